/**
 * The only place where the command prints: what it prints has no secret of the run, and cannot act on the terminal. Only a value
 * that the user asked for is printed exactly as it is.
 */

import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { Redactor } from "../../provider/api/client/redact.ts";
import { CodedError, codeOf, withCode } from "../../provider/util/error-codes.ts";
import { actingCharacterIn, escapedInJson, messageOf, visibleLines } from "../../provider/util/text.ts";
import { addSecretsOfEnvironment } from "../engine/masked.ts";
import { painter } from "./color.ts";

/** The colors of color.ts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a color begins with one
const COLORS = /(\x1b\[\d{1,2}m)/;

/** The secrets of this process: those of its environment, and those that its engine reads. */
export const secrets = new Redactor();
addSecretsOfEnvironment(secrets, process.env);

export function print(text: string): void {
  console.log(shown(text));
}

/** A note beside the output, on standard error. */
export function printNote(text: string): void {
  console.error(shown(text));
}

/** A question; the answer follows on its line. */
export function printQuestion(text: string): void {
  process.stderr.write(shown(text));
}

/** For a program: names stay as they are, and the result is JSON whatever its texts contain. */
export function printJson(value: object): void {
  const masked = (_: string, part: unknown) => (typeof part === "string" ? secrets.redact(part) : part);
  console.log(escapedInJson(JSON.stringify(value, masked, 2)));
}

/** After a change of the roster's file alone. */
export const NOTHING_SENT = "Nothing was sent. Show what the change means with `orgseat preview`.";

/** The result of a verb: as JSON for a program that asks for it, otherwise as text. */
export function printResult(
  { json }: { readonly json?: boolean | undefined },
  result: object,
  text: () => string,
): void {
  if (json) printJson({ status: "succeeded", ...result });
  else print(text());
}

/** A secret that the user asked for. @throws if the terminal would not show it as it is */
export function printExactly(value: string): void {
  const acting = value.split("\n").flatMap((line) => actingCharacterIn(line) ?? [])[0];
  if (acting !== undefined) {
    throw new CodedError(
      "invalid-flag",
      `cannot print the value: it contains the control character ${acting.codePoint}, which would act on the terminal. Use --out FILE`,
    );
  }
  process.stdout.write(value);
}

/** An error that ends the command, and its code. */
export function printFailure(error: unknown): void {
  printNote(failureText(error));
}

/** Every error begins in the same way. */
export function failureText(error: unknown): string {
  const paint = painter({ color: !process.argv.includes("--no-color") }, process.stderr);
  return withCode(`orgseat: ${messageOf(error)}`, codeOf(error), paint);
}

/** Commands that messages name. */
const COMMANDS = /(?<=`)(orgseat|pulumi)(?=[ `])/g;
/** The command of a line that a reader copies, also of `source <(orgseat ...)`. */
const COMMAND_OF_LINE = /(?<=^|\()orgseat(?= )/;

/** Names each command so that it runs in the reader's shell: of a local installation, which is not on the PATH, with npx. */
export function runnable(text: string, program?: string, folder?: string): string {
  return withRunner(text, COMMANDS, program, folder);
}

/** As `runnable`, for a line that is nothing but a command. */
export function runnableLine(line: string, program?: string, folder?: string): string {
  return withRunner(line, COMMAND_OF_LINE, program, folder);
}

/** Before `--cwd`. */
const STARTED_IN = process.cwd();

/** A global installation can have a folder of the same name, but not the reader in its project. */
function withRunner(
  text: string,
  commands: RegExp,
  program = process.argv[1] ?? "",
  folder = STARTED_IN,
): string {
  const bin = dirname(program);
  const project = dirname(dirname(bin));
  const isLocal =
    bin.endsWith(join("node_modules", ".bin")) && `${folder}${sep}`.startsWith(`${project}${sep}`);
  if (!isLocal) return text;
  return text.replace(commands, (name) => (existsSync(join(bin, name)) ? `npx ${name}` : name));
}

/** A text as the command prints it. */
export function shown(text: string): string {
  const parts = secrets.redact(runnable(text)).split(COLORS);
  return parts.map((part, index) => (index % 2 === 1 ? part : visibleLines(part))).join("");
}
