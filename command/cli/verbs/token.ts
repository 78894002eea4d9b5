/**
 * `orgseat token`: prints a secret to a terminal or a file that only its owner can read, never to a pipe or a log; a sealed
 * token is not a secret.
 */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { writeWhole } from "../../../provider/util/json.ts";
import { counted, shortList } from "../../../provider/util/text.ts";
import { createText, PRIVATE_MODE } from "../../roster/formats/text-file.ts";
import { type SealedToken, sealedTokensOf, tokenOf } from "../../verbs/token-values.ts";
import type { TokenFlags } from "../line/flags.ts";
import { openForOutput } from "../open.ts";
import { print, printExactly } from "../output.ts";

export async function tokenVerb(
  who: string | undefined,
  { sealed = false, all = false, out, ...options }: TokenFlags,
): Promise<void> {
  if ((who === undefined) !== all)
    throw new CodedError("invalid-flag", "cannot tell whose token: pass one email or key, or --all");
  if (all && !sealed)
    throw new CodedError(
      "invalid-flag",
      "refusing to write all tokens in plain text; use --all with --sealed",
    );
  if (all && out === undefined)
    throw new CodedError("invalid-flag", "cannot print all tokens at once; use --out DIR");
  if (!sealed && out === undefined && !process.stdout.isTTY) {
    throw new CodedError("invalid-flag", "refusing to print a token to a pipe; use --out FILE");
  }
  if (out === "-")
    throw new CodedError(
      "invalid-flag",
      "refusing to write a token to standard output; pass the name of a new file",
    );
  if (!all && out !== undefined && existsSync(out)) throw isThere(out);
  const organization = await openForOutput(options, { acceptEndedSubscription: true });
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
  if (!(await createText(out, value, PRIVATE_MODE))) throw isThere(out);
  print(`Wrote the ${sealed ? "sealed " : ""}token of ${who} to ${out} (mode 0600).`);
}

function isThere(file: string): CodedError {
  return new CodedError("file-error", `cannot write ${file}: the file exists. Pass a new file`);
}

/** One file per person. An older one is replaced in one step. */
function writeAll(tokens: readonly SealedToken[], folder: string): void {
  if (tokens.length === 0)
    throw new CodedError("no-token", "no person has a sealed token. Set `recipients` in the roster");
  mkdirSync(folder, { recursive: true });
  const names = new Set<string>();
  for (const { key, sealed } of tokens) {
    writeWhole(join(folder, `${uniqueName(key, names)}.age`), sealed, PRIVATE_MODE);
  }
  print(`Wrote ${counted(tokens.length, "sealed token")} to ${folder}.`);
}

/** Also if the file system ignores letter case. */
function uniqueName(key: string, taken: Set<string>): string {
  const safe = key.replaceAll(/[^A-Za-z0-9._@+-]/g, "_");
  let name = safe;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${safe}-${count}`;
  taken.add(name.toLowerCase());
  return name;
}
