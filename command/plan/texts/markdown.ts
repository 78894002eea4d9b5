/** A plan as a comment on a pull request: GitHub accepts 65,536 characters, so the text is bounded and counts what it omits. */

import { countedPeople, grouped, shortList } from "../../../provider/util/text.ts";
import type { StoppedRow } from "../../members/stopped.ts";
import { type AccessEnd, describeAccessEnds } from "../access-ends.ts";
import { type PlanDocument, shortDigest } from "../document.ts";
import type { Violation } from "../guards/violation.ts";
import type { Absent, PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { headline } from "./counts.ts";
import { cell, code, prose, proseCell } from "./markdown-text.ts";
import {
  byFile,
  describeAbsent,
  describeEmails,
  describeLeftOut,
  describeStopped,
  describeTotal,
  describeWithheld,
  type PlanLine,
  peopleByViolation,
  peopleNamedBy,
  planLines,
} from "./text.ts";
import { unnamedIn, type Warning } from "./warnings.ts";

/** Characters of a comment, at most. */
export const MARKDOWN_LIMIT = 60_000;
/** The maximum length of the comment after each of its parts, so that every part gets some space. */
const ENDS = {
  violations: 30_000,
  warnings: 37_000,
  leftOut: 42_000,
  accessEnds: 45_000,
  changes: MARKDOWN_LIMIT - 1000,
} as const;
/** Characters of the reason of a violation or of a failure, at most. */
const TEXT = 1000;

/** The number of warnings, and of names in a sentence, that are shown. */
const SHOWN = 20;

/** The parts of a preview that the comment shows. */
interface MarkdownOptions {
  readonly plan: Plan;
  /** Its digest and what it was made for. */
  readonly document?: PlanDocument;
  readonly violations?: readonly Violation[];
  /** People of the roster who are ignored because they are on the offboarded list. */
  readonly leftOut?: readonly string[];
  /** The people whom `--no-removals` leaves as they are. */
  readonly withheld?: readonly PlannedMember[];
  /** The people whom a directory does not have. */
  readonly absent?: Absent | undefined;
  readonly stopped?: readonly StoppedRow[] | undefined;
  /** People whose access ends soon, or has ended before they were added. */
  readonly accessEnds?: readonly AccessEnd[];
  /** Sentences about machine users whose creation an earlier run did not finish. */
  readonly undecided?: readonly string[];
  readonly warnings?: readonly Warning[];
}

export function planToMarkdown({
  plan,
  document,
  violations = [],
  leftOut = [],
  withheld = [],
  accessEnds = [],
  absent = { pending: [], gone: [] },
  stopped = [],
  undecided = [],
  warnings = [],
}: MarkdownOptions): string {
  const changes = plan.isComplete ? planLines(plan) : [];
  const named = peopleNamedBy(violations);
  const page = new Page();
  page.add(`### orgseat: ${titleOf(plan, violations)}`, "");
  if (document !== undefined) page.add(describeTarget(document), "");
  for (const found of peopleByViolation(violations, changes)) addViolation(page, found);
  const all = [...undecided.map((text) => ({ text, people: [] })), ...warnings];
  addBlock(page, "Warnings", all.map(warningLine), ENDS.warnings, SHOWN);
  addNames(page, leftOut, ENDS.leftOut, describeLeftOut);
  const { title, lines: kept } = describeWithheld(withheld);
  const keptLines = kept.map(({ who, what }) => `${code(who)}: ${prose(what, TEXT)}`);
  addBlock(page, title, keptLines, ENDS.accessEnds);
  const left = { title: describeStopped(stopped), people: stopped.map(({ text }) => text) };
  for (const list of [left, ...describeAbsent(absent), ...describeAccessEnds(accessEnds)])
    addNames(page, list.people, ENDS.accessEnds, (names) => `${list.title}: ${names}`);
  addChanges(page, changes, named);
  if (changes.length > 0) page.add(describeEmails(plan), "");
  return page.text;
}

function describeTarget(document: PlanDocument): string {
  const { organizationId, stack } = document;
  return `Plan ${code(shortDigest(document))}, organization ${code(organizationId)}, stack ${code(stack)}`;
}

function titleOf(plan: Plan, violations: readonly Violation[]): string {
  if (plan.isComplete) return headline(plan);
  return violations.length === 0 ? "the preview did not finish" : "blocked";
}

function addViolation(
  page: Page,
  { violation, names, more }: ReturnType<typeof peopleByViolation>[number],
): void {
  page.add("> [!CAUTION]", `> **Blocked (${violation.guard}).** ${prose(violation.text, TEXT)}`);
  page.rows(
    names.map(({ text }) => `> - ${code(text)}`),
    { until: ENDS.violations, total: names.length + more, more: (left) => `> - and ${grouped(left)} more` },
  );
  page.add("");
}

/** A block of lines below a title. @param until as `Page.rows` has it @param most the number of lines that are shown */
function addBlock(
  page: Page,
  title: string,
  lines: readonly string[],
  until: number,
  most = lines.length,
): void {
  if (lines.length === 0) return;
  page.add(`**${title}**`, "");
  page.rows(
    lines.slice(0, most).map((line) => `- ${line}`),
    { until, total: lines.length, more: (left) => `- and ${grouped(left)} more` },
  );
  page.add("");
}

function warningLine(warning: Warning): string {
  const people = unnamedIn(warning);
  return `${prose(warning.text, TEXT)}${people.length === 0 ? "" : ` (${namesIn(people)})`}`;
}

function namesIn(all: readonly string[]): string {
  return shortList(all.map(code), SHOWN);
}

/** A sentence about people, with their number in place of their names if these do not fit. */
function addNames(
  page: Page,
  people: readonly string[],
  until: number,
  sentence: (people: string) => string,
): void {
  if (people.length === 0) return;
  page.rows([`${sentence(namesIn(people))}\n`], {
    until,
    more: () => `${sentence(countedPeople(people.length))}\n`,
  });
}

/** @param named those whom a guard names */
function addChanges(page: Page, all: readonly PlanLine[], named: ReadonlySet<string>): void {
  const listed = (isFinal: boolean) => {
    const total = all.filter((line) => line.isFinal === isFinal);
    const lines = total.filter(({ who }) => !named.has(who));
    return { lines, count: describeTotal(total.length, lines.length) };
  };
  const [final, others] = [listed(true), listed(false)];
  const table = (shown: readonly PlanLine[]) => {
    const groups = byFile(shown);
    const isGrouped = groups.some(({ file }) => file !== undefined);
    const column = (text: string) => (isGrouped ? `| ${text} ` : "");
    page.add("", `${column("file")}| who | what |`, `${column("---")}|---|---|`);
    page.rows(
      groups.flatMap(({ file = "", lines }) =>
        lines.map(({ who, what }) => `${column(cell(file))}| ${cell(who)} | ${proseCell(what, TEXT)} |`),
      ),
      {
        until: ENDS.changes,
        more: (left) =>
          `${column("")}| | and ${grouped(left)} more: \`orgseat preview --verbose\` lists them |`,
      },
    );
    page.add("");
  };
  if (final.lines.length > 0) {
    page.add(`**Cannot be undone** (${final.count})`);
    table(final.lines);
  }
  if (others.lines.length > 0) {
    page.add(
      `<details${final.lines.length === 0 ? " open" : ""}><summary>Changes (${others.count})</summary>`,
    );
    table(others.lines);
    page.add("</details>", "");
  }
}

interface Bounds {
  /** The maximum length of the page afterwards, without the line about the rest. */
  readonly until: number;
  /** The number of all lines. Default: the number of the given ones. */
  readonly total?: number;
  /** The line about the lines that are not shown. */
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

  /** Adds as many lines as fit, and counts the rest. */
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
