/** `orgseat token`: a secret goes to a terminal or into a file of its owner alone, never into a pipe or a log. */
import { existsSync, writeFileSync } from "node:fs";
import { type OrganizationOptions, openOrganization } from "../automation/organization.ts";
import { tokenOf } from "../automation/tokens.ts";

export async function tokenVerb(
  who: string,
  out: string | undefined,
  options: OrganizationOptions,
): Promise<void> {
  if (out === undefined && !process.stdout.isTTY) {
    throw new Error(
      "a token is printed to a terminal only; name a new file with --out, which only you can read",
    );
  }
  if (out !== undefined && existsSync(out)) throw new Error(`${out} is there already; name a new file`);
  const token = await tokenOf(await openOrganization({ ...options, acceptEndedSubscription: true }), who);
  if (out === undefined) {
    console.log(token);
    return;
  }
  writeFileSync(out, `${token}\n`, { mode: 0o600, flag: "wx" });
  console.log(`The token of ${who} is in ${out}, which only you can read.`);
}
