/** Shortens the output of either engine to resources, messages and the summary. */

/** The operations of a preview. */
const STEP =
  /^ *[+~-]{1,2} +\S*orgseat:(ServiceAccount|OrgUser|SeatAssignment|UserToken) (.+?) (create|update|delete|replace)(?: *\[diff: .*| *)$/;
const SUM = /^ +(?:[+~-]{1,2} ?)?\d+ (?:to \w+|created|updated|deleted|replaced|changes\.|unchanged|errored)/;

export interface EngineOutput {
  /** `create  UserToken  ada@acme.example-token`, in the engine's order. */
  readonly steps: readonly string[];
  /** Messages, errors first with their `error:`; each once. */
  readonly messages: readonly string[];
  /** `4 to update, 13 unchanged`. */
  readonly sum: string;
}

/** The output of `pulumi up`: the preview, if any, and the run. */
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

/** The messages under `Diagnostics:`, without the lines that name resources. */
function messagesOf(lines: readonly string[]): string[] {
  const begin = lines.indexOf("Diagnostics:");
  if (begin < 0) return [];
  const end = lines.findIndex((line, at) => at > begin && /^\S/.test(line));
  const inside = lines.slice(begin + 1, end < 0 ? undefined : end);
  const messages = inside.filter((line) => /^ {4}/.test(line)).map((line) => line.trim());
  return [...new Set(messages)].filter((line) => line !== "" && line !== "error: update failed");
}
