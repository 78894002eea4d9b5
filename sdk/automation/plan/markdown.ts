/** A plan as a comment on a pull request: GitHub takes 65,536 characters, so it is bounded, and says what it left out. */

import { counted, people } from "../../../provider/util/plural.ts";
import { headline } from "./counts.ts";
import type { Violation } from "./guards.ts";
import { cell, code, prose } from "./markdown-text.ts";
import type { Plan } from "./plan.ts";
import {
  describeEmails,
  describeLeftOut,
  describeMoves,
  type PlanLine,
  peopleByViolation,
  peopleNamedBy,
  planLines,
} from "./text.ts";

/** Characters of a comment, at most. */
export const MARKDOWN_LIMIT = 60_000;
/** How long the comment may be after each of its parts, so that no part takes the place of the next ones. */
const ENDS = { faults: 12_000, stops: 35_000, leftOut: 42_000, changes: MARKDOWN_LIMIT - 1000 } as const;
/** Characters of the reason of a stop or of a stack that could not be looked at, at most. */
const TEXT = 1000;

interface Unseen {
  readonly stack: string;
  readonly text: string;
}

/** How many stacks, and how many names of the leaver list, are shown. */
const SHOWN = 20;

/** What a preview found, as far as the comment shows it. */
export interface MarkdownOptions {
  readonly plan: Plan;
  readonly violations?: readonly Violation[];
  /** Stacks that could not be looked at. */
  readonly failures?: readonly Unseen[];
  /** Keys of those whose state moves to another stack. */
  readonly moving?: readonly string[];
  /** Who stands in the roster, and is left out because of the leaver list. */
  readonly leftOut?: readonly string[];
}

export function planToMarkdown({
  plan,
  violations = [],
  failures = [],
  moving = [],
  leftOut = [],
}: MarkdownOptions): string {
  const all = plan.isComplete ? planLines(plan) : [];
  const named = peopleNamedBy(violations);
  const page = new Page();
  page.add(`### orgseat: ${titleOf(plan, violations)}`, "");
  page.rows(failures.slice(0, SHOWN).map(unseenBlock), {
    until: ENDS.faults,
    total: failures.length,
    more: (left) => `> ${counted(left, "stack")} more could not be looked at, see the log of the run\n`,
  });
  for (const stop of peopleByViolation(violations, all)) addStop(page, stop);
  if (leftOut.length > 0) addLeftOut(page, leftOut);
  addChanges(
    page,
    all.filter(({ who }) => !named.has(who)),
  );
  if (all.length > 0) page.add(describeEmails(plan), "");
  if (moving.length > 0 && plan.isComplete) page.add(describeMoves(moving));
  return page.text;
}

function titleOf(plan: Plan, stops: readonly Violation[]): string {
  if (plan.isComplete) return headline(plan);
  return stops.length === 0 ? "the preview did not finish" : "stopped";
}

function unseenBlock({ stack, text }: Unseen): string {
  return `> [!WARNING]\n> **Not looked at: stack ${code(stack)}.** ${prose(text, TEXT)}\n`;
}

function addStop(page: Page, { stop, names, more }: ReturnType<typeof peopleByViolation>[number]): void {
  page.add("> [!CAUTION]", `> **Stopped (${stop.guard}).** ${prose(stop.text, TEXT)}`);
  page.rows(
    names.map(({ text }) => `> - ${code(text)}`),
    { until: ENDS.stops, total: names.length + more, more: (left) => `> - and ${left} more` },
  );
  page.add("");
}

function addLeftOut(page: Page, leftOut: readonly string[]): void {
  const more = leftOut.length > SHOWN ? ` and ${leftOut.length - SHOWN} more` : "";
  const names = leftOut.slice(0, SHOWN).map(code).join(", ");
  page.rows([`${describeLeftOut(`${names}${more}`)}\n`], {
    until: ENDS.leftOut,
    more: () => `${describeLeftOut(people(leftOut.length))}\n`,
  });
}

function addChanges(page: Page, lines: readonly PlanLine[]): void {
  const final = lines.filter(({ isFinal }) => isFinal);
  const others = lines.filter(({ isFinal }) => !isFinal);
  const table = (shown: readonly PlanLine[]) => {
    page.add("", "| who | what |", "|---|---|");
    page.rows(
      shown.map(({ who, what }) => `| ${cell(who)} | ${what} |`),
      {
        until: ENDS.changes,
        more: (left) => `| | and ${counted(left, "line")} more, see the log of the run |`,
      },
    );
    page.add("");
  };
  if (final.length > 0) {
    page.add(`**Cannot be undone** (${final.length})`);
    table(final);
  }
  if (others.length > 0) {
    page.add(
      `<details${final.length === 0 ? " open" : ""}><summary>${counted(others.length, "change")}</summary>`,
    );
    table(others);
    page.add("</details>", "");
  }
}

interface Bounds {
  /** How long the page may be afterwards, the line about the rest aside. */
  readonly until: number;
  /** How many there are. Default: as many as are given. */
  readonly total?: number;
  /** The line about those that are not shown. */
  readonly more: (left: number) => string;
}

class Page {
  #text = "";

  get text(): string {
    return this.#text.trimEnd();
  }

  add(...lines: readonly string[]): void {
    for (const line of lines) this.#text += `${line}\n`;
  }

  /** As many as fit; the rest is counted. */
  rows(lines: readonly string[], { until, total = lines.length, more }: Bounds): void {
    let shown = 0;
    for (const line of lines) {
      if (this.#text.length + line.length + 1 > until) break;
      this.add(line);
      shown += 1;
    }
    if (shown < total) this.add(more(total - shown));
  }
}
