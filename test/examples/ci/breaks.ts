/** Ways to break what the workflows and the pipeline promise: each turns one rule red. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One way to break a rule, with the cells of its line. */
interface Break {
  readonly rule: string;
  readonly cells: readonly string[];
  /** The first place with this text gets the other one. */
  readonly from: string;
  readonly to: string;
}

/** A text has a rule, and below it its breaks: cells, then both texts as JSON, between bars. */
function breaksIn(text: string): Break[] {
  let rule = "";
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("  ")) rule = line || rule;
    if (!line.startsWith("  ")) return [];
    const cells = line.trim().split(" | ");
    const [from = "", to = ""] = cells.splice(-2).map((cell) => String(JSON.parse(cell)));
    return [{ rule, cells, from, to }];
  });
}

/** The rule of a break. @throws if there is no such rule */
export function ruleOf<Rule>({ rule }: Break, rules: Readonly<Record<string, Rule>>): Rule {
  const found = rules[rule];
  if (found === undefined) throw new Error(`no rule ${rule}`);
  return found;
}

/** Cells: what, the file, and where the rule finds it. */
export const breaks = breaksIn(readFileSync(join(import.meta.dirname, "breaks.txt"), "utf8"));
