/**
 * `orgseat token`: prints a secret to a terminal or a file that only its owner can read, never to a pipe or a log; a sealed
 * token is no secret.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { counted, shortList } from "../../../provider/util/text.ts";
import type { OrganizationOptions } from "../../automation/stacks/organization.ts";
import { type SealedToken, sealedTokensOf, tokenOf } from "../../automation/verbs/token-values.ts";
import type { TokenFlags } from "../flags.ts";
import { openForOutput } from "../open.ts";
import { print, printExactly } from "../output.ts";

export async function tokenVerb(
  who: string | undefined,
  { sealed = false, all = false, out }: TokenFlags,
  options: OrganizationOptions,
): Promise<void> {
  if ((who === undefined) !== all)
    throw new Error("cannot tell whose token: pass one email or key, or --all");
  if (all && !sealed) throw new Error("refusing to write all tokens in plain text; use --all with --sealed");
  if (all && out === undefined) throw new Error("cannot print all tokens at once; use --out DIR");
  if (!sealed && out === undefined && !process.stdout.isTTY) {
    throw new Error("refusing to print a token to a pipe; use --out FILE");
  }
  if (!all && out !== undefined && existsSync(out))
    throw new Error(`cannot write ${out}: the file exists. Pass a new file`);
  const organization = await openForOutput({ ...options, acceptEndedSubscription: true });
  if (who === undefined) {
    const { tokens, notSealed } = await sealedTokensOf(organization, { all: true });
    writeAll(tokens, out ?? "");
    if (notSealed.length > 0) print(`Not sealed: ${shortList(notSealed)}.`);
    return;
  }
  const value = sealed
    ? (await sealedTokensOf(organization, who)).tokens.map((token) => token.sealed).join("")
    : `${await tokenOf(organization, who)}\n`;
  if (out === undefined) {
    printExactly(value);
    return;
  }
  writeFileSync(out, value, { mode: 0o600, flag: "wx" });
  print(`Wrote the ${sealed ? "sealed " : ""}token of ${who} to ${out} (mode 0600).`);
}

/** One file per person. An older one is replaced in one step. */
function writeAll(tokens: readonly SealedToken[], folder: string): void {
  if (tokens.length === 0) throw new Error("no person has a sealed token. Write `recipient` in the roster");
  mkdirSync(folder, { recursive: true });
  const names = new Set<string>();
  for (const { key, sealed } of tokens) {
    const file = join(folder, `${uniqueName(key, names)}.age`);
    const written = `${file}.${randomUUID()}.tmp`;
    // Not through a link that somebody put there.
    writeFileSync(written, sealed, { mode: 0o600, flag: "wx" });
    renameSync(written, file);
  }
  print(`Wrote ${counted(tokens.length, "sealed token")} to ${folder}.`);
}

/** Also where the file system ignores letter case. */
function uniqueName(key: string, taken: Set<string>): string {
  const safe = key.replaceAll(/[^A-Za-z0-9._@+-]/g, "_");
  let name = safe;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${safe}-${count}`;
  taken.add(name.toLowerCase());
  return name;
}
