/** `orgseat token`: prints a secret to a terminal or a file that only its owner can read, never to a pipe or a log. */
import { existsSync, writeFileSync } from "node:fs";
import { type OrganizationOptions, openOrganization } from "../automation/organization.ts";
import { tokenOf } from "../automation/tokens.ts";

export async function tokenVerb(
  who: string,
  out: string | undefined,
  options: OrganizationOptions,
): Promise<void> {
  if (out === undefined && !process.stdout.isTTY) {
    throw new Error("refusing to print a token to a pipe; use --out FILE");
  }
  if (out !== undefined && existsSync(out))
    throw new Error(`cannot write ${out}: the file exists. Pass a new file`);
  const token = await tokenOf(
    await openOrganization({ ...options, acceptEndedSubscription: true, readOnly: true }),
    who,
  );
  if (out === undefined) {
    console.log(token);
    return;
  }
  writeFileSync(out, `${token}\n`, { mode: 0o600, flag: "wx" });
  console.log(`Wrote the token of ${who} to ${out} (mode 0600).`);
}
