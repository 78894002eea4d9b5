/** The configuration of a stack whose state Pulumi cannot open: what the files of the folder say. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { configFileOf, OWN_PROJECT, plainConfigOf, readProject, shortStackName } from "./stack-names.ts";

/** Runs a command of Pulumi in a folder. @returns its standard output */
type RunIn = (
  folder: string,
  args: readonly string[],
  environment: Record<string, string>,
) => Promise<string>;

/**
 * Pulumi decrypts the secrets in a separate folder with an empty backend.
 * @returns the output of `pulumi config --json --show-secrets`
 * @throws Error if it cannot, such as with another passphrase
 */
export async function configWithoutState(folder: string, stack: string, run: RunIn): Promise<string> {
  const file = configFileOf(folder, stack);
  const { name = OWN_PROJECT, config } = readProject(folder);
  const short = shortStackName(stack);
  const alone = mkdtempSync(join(tmpdir(), "orgseat-config-"));
  try {
    writeFileSync(join(alone, "Pulumi.yaml"), stringify({ name, runtime: "nodejs", config }));
    if (file !== undefined) copyFileSync(file, join(alone, `Pulumi.${short}.yaml`));
    mkdirSync(join(alone, "state"));
    const environment = { PULUMI_BACKEND_URL: `file://${join(alone, "state")}` };
    await run(alone, ["stack", "init", short, "--no-select"], environment);
    return await run(alone, ["config", "--json", "--show-secrets", "--stack", short], environment);
  } finally {
    rmSync(alone, { recursive: true, force: true });
  }
}

/** Without the secrets. */
export function plainConfig(folder: string, stack: string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(plainConfigOf(folder, stack)).flatMap(([key, value]) =>
      ["string", "number", "boolean"].includes(typeof value) ? [[key, String(value)] as const] : [],
    ),
  );
}
