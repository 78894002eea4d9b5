/** What a person needs of the engine's output: which resources, what was said, and the sum. Of either engine. */

/** Words of a preview; those of a run that is under way or done are told by the calls. */
const STEP =
  /^ *[+~-]{1,2} +\S*orgseat:(ServiceAccount|OrgUser|SeatAssignment|UserToken) (.+?) (create|update|delete|replace)(?: *\[diff: .*| *)$/;
const SUM = /^ +(?:[+~-]{1,2} ?)?\d+ (?:to \w+|created|updated|deleted|replaced|changes\.|unchanged|errored)/;

export interface EngineOutput {
  /** `create  UserToken  ada@acme.example-token`, in the order in which the engine told them. */
  readonly steps: readonly string[];
  /** Messages, errors first with their `error:`; each once. */
  readonly messages: readonly string[];
  /** `4 to update, 13 unchanged`. */
  readonly sum: string;
}

/** The parts of `pulumi up`: what it previews, unless told not to, and what it does. */
export function previewAndRun(output: string): { preview: string; run: string } {
  const at = output.search(/^(Updating|Destroying) \(/m);
  return at < 0 ? { preview: output, run: "" } : { preview: output.slice(0, at), run: output.slice(at) };
}

/** @param part the output of one preview or one run */
export function shorten(part: string): EngineOutput {
  const lines = part.split("\n");
  return {
    steps: lines.flatMap((line) => {
      const [, type = "", name = "", word = ""] = STEP.exec(line) ?? [];
      return word === "" ? [] : [`${word.padEnd(7)}  ${type.padEnd(14)}  ${name}`];
    }),
    messages: messagesOf(lines),
    sum: lines
      .filter((line) => SUM.test(line))
      .map((line) => line.replace(/^[ +~-]+/, "").trim())
      .join(", "),
  };
}

/** The lines under `Diagnostics:` that are messages and not the resources they are about. */
function messagesOf(lines: readonly string[]): string[] {
  const begin = lines.indexOf("Diagnostics:");
  if (begin < 0) return [];
  const end = lines.findIndex((line, at) => at > begin && /^\S/.test(line));
  const inside = lines.slice(begin + 1, end < 0 ? undefined : end);
  const said = inside.filter((line) => /^ {4}/.test(line)).map((line) => line.trim());
  return [...new Set(said)].filter((line) => line !== "" && line !== "error: update failed");
}
