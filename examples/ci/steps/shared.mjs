/** What both steps need. They need no packages, and run on Node 20 and newer. */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";

const onGitHub = process.env.GITHUB_ACTIONS === "true";
/** The most characters of a comment on GitHub; GitLab allows more. */
export const LIMIT = 65_536;

/** An error for people: its message says all. */
export class Stop extends Error {}

/**
 * Runs a step with its arguments. Settings are arguments and environment variables, so no shell reads them.
 * @param {readonly string[]} names of the arguments, all texts; a missing one is empty
 * @param {(values: Record<string, string>) => Promise<number>} step returns the exit code
 */
export async function runStep(names, step) {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string", default: "" }]));
  try {
    process.exitCode = await step(parseArgs({ options }).values);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    say("error", error.message);
    process.exitCode = 1;
  }
}

function escaped(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** @param {"error" | "warning"} severity */
export function say(severity, text) {
  if (onGitHub) console.log(`::${severity}::${escaped(text)}`);
  else console.error(`${severity}: ${text}`);
}

/** Prints a text of others, in which GitHub looks for no commands. */
export function print(text) {
  const end = randomUUID();
  console.log(onGitHub ? `::stop-commands::${end}\n${text}\n::${end}::` : text);
}

/** GitHub masks the secrets that it knows; a value from elsewhere it learns here. */
export function mask(secret) {
  if (onGitHub) console.log(`::add-mask::${escaped(secret)}`);
}

/** Ends at the end of a line if there is one, and counts the lines that it leaves out. */
export function truncated(text, limit) {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf("\n", limit);
  const shown = text.slice(0, end > limit / 2 ? end : limit).toWellFormed();
  const left = text.slice(shown.length).trim().split("\n").length;
  const isOpen = shown.split("<details").length > shown.split("</details>").length;
  return `${shown}\n${isOpen ? "\n</details>\n" : ""}\nand ${left} more ${left === 1 ? "line" : "lines"}, in the log of the job that ran orgseat`;
}
