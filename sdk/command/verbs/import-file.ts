/** `orgseat import-file`: writes a file for `pulumi import`, which can contain secrets, for its owner alone. */

import { existsSync, writeFileSync } from "node:fs";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { counted, LISTED } from "../../../provider/util/text.ts";
import { ownVersion } from "../../automation/engine/packages.ts";
import { PulumiEngine } from "../../automation/engine/pulumi.ts";
import { hasSecrets, importFileOfStack, type Target } from "../../automation/verbs/import-file.ts";
import type { RosterImport } from "../../automation/verbs/import-roster.ts";
import type { ImportFileFlags } from "../line/flags.ts";
import { organizationOptions } from "../line/options.ts";
import { openForOutput } from "../open.ts";
import { print, printJson, secrets } from "../output.ts";

export async function importFileVerb(flags: ImportFileFlags): Promise<void> {
  const { out, fromStack, json = false, verbose = false } = flags;
  if (out === undefined)
    throw new CodedError(
      "invalid-flag",
      "--out must be passed in to proceed: the new import file, which can contain secrets",
    );
  if (existsSync(out))
    throw new CodedError("file-error", `cannot write ${out}: the file exists. Pass a new file`);
  const target = flags.plugin ? { pluginVersion: ownVersion() } : "dynamic";
  const { file, notes } = await importOf(flags, target);
  writeFileSync(out, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  const count = file.resources.filter(({ id }) => id !== undefined).length;
  if (json) {
    printJson({ status: "succeeded", file: out, resources: count, notes });
    return;
  }
  const shown = verbose ? notes : notes.slice(0, LISTED);
  const more = notes.length - shown.length;
  print(
    [
      `Wrote ${counted(count, "resource")} to ${out} (mode 0600).${hasSecrets(file) ? " It contains secrets in plain text: delete it after the import." : ""}`,
      ...shown.map(({ who, text }) => `Not in the file: ${who}: ${text}`),
      ...(more > 0 ? [`and ${more} more`] : []),
      "",
      "In the project of the other stack, with its program in place, run:",
      `  pulumi import --file ${out} --generate-code=false --protect=false --yes --skip-preview`,
      "  pulumi up",
      "`pulumi up` changes nothing in the service for these resources. Run it before any destroy: it writes the order of removal into the state.",
      ...(fromStack === undefined ? [] : afterMove(fromStack)),
    ].join("\n"),
  );
}

async function importOf(flags: ImportFileFlags, target: Target): Promise<RosterImport> {
  const { fromStack } = flags;
  if (fromStack !== undefined) {
    const engine = new PulumiEngine({ folder: process.cwd(), secrets });
    return { file: await importFileOfStack(engine, fromStack, target), notes: [] };
  }
  const organization = await openForOutput({
    ...organizationOptions(flags),
    acceptEndedSubscription: true,
  });
  const { importFileOfRoster } = await import("../../automation/verbs/import-roster.ts");
  return importFileOfRoster(organization, target);
}

function afterMove(stack: string): string[] {
  return [
    `Stack ${stack} still has the same resources: do not destroy it. To forget them there, run \`pulumi stack rm ${stack} --force\`, which sends no request.`,
  ];
}
