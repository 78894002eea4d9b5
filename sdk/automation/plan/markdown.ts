/** A plan as a comment on a pull request: GitHub takes 65,536 characters, so it is bounded, and says what it left out. */
import { headline } from "./counts.ts";
import type { Stop } from "./guards.ts";
import type { Plan } from "./plan.ts";
import { counted } from "./plural.ts";
import { type Line, leftOutInWords, linesOf, mailsInWords, movingInWords } from "./words.ts";

/** Characters of a comment, at most. */
export const MARKDOWN_LIMIT = 60_000;
/** Kept free for the heads and ends of the blocks and for what they say of the rest. */
const RESERVE = 1000;
/** Characters of one fault, at most. */
const TEXT = 500;

interface Unseen {
  readonly stack: string;
  readonly text: string;
}

/** How many names a stop shows. */
const SHOWN = 50;

/** What a preview found, as far as the comment shows it. */
export interface Shown {
  readonly plan: Plan;
  readonly stops?: readonly Stop[];
  /** Stacks that could not be looked at. */
  readonly faults?: readonly Unseen[];
  /** Keys of those whose state moves to another stack. */
  readonly moving?: readonly string[];
  /** Who stands in the roster, and is left out because of the leaver list. */
  readonly leftOut?: readonly string[];
}

export function inMarkdown({ plan, stops = [], faults = [], moving = [], leftOut = [] }: Shown): string {
  const lines = linesOf(plan);
  const page = new Page();
  const isBlind = faults.length > 0 && plan.steps.length === 0;
  page.add(`### orgseat: ${isBlind ? "nothing could be looked at" : escaped(headline(plan))}`, "");
  for (const { stack, text } of faults.slice(0, SHOWN)) {
    page.add(
      "> [!WARNING]",
      `> **Not looked at: stack ${code(stack)}.** ${escaped(text.slice(0, TEXT).replace(/\s+/g, " "))}`,
      "",
    );
  }
  for (const { guard, text, people, details: about = people } of stops) {
    page.add(`> [!CAUTION]`, `> **Stopped (${guard}).** ${escaped(text)}`);
    page.add(...about.slice(0, SHOWN).map((who) => `> - ${code(who)}`));
    if (about.length > SHOWN) page.add(`> - and ${about.length - SHOWN} more`);
    page.add("");
  }
  if (leftOut.length > 0) {
    const more = leftOut.length > SHOWN ? ` and ${leftOut.length - SHOWN} more` : "";
    const names = leftOut.slice(0, SHOWN).map(code).join(", ");
    page.add(leftOutInWords(`${names}${more}`), "");
  }
  const final = lines.filter(({ isFinal }) => isFinal);
  const others = lines.filter(({ isFinal }) => !isFinal);
  if (final.length > 0) {
    page.add(`**Cannot be undone** (${final.length})`, "", ...HEAD);
    page.rows(final.map(row));
    page.add("");
  }
  if (others.length > 0) {
    page.add(
      `<details${final.length === 0 ? " open" : ""}><summary>${counted(others.length, "change")}</summary>`,
      "",
      ...HEAD,
    );
    page.rows(others.map(row));
    page.add("", "</details>", "");
  }
  if (lines.length > 0) page.add(mailsInWords(plan), "");
  if (moving.length > 0) page.add(movingInWords(moving));
  return page.text;
}

const HEAD = ["| who | what |", "|---|---|"];

function row({ who, what }: Line): string {
  return `| ${code(who)} | ${what} |`;
}

function more(left: number): string {
  return `| | and ${counted(left, "line")} more, see the log of the run |`;
}

/** A name as it is: neither HTML nor a link nor a mention. */
function code(text: string): string {
  const inside = text.replace(/\s+/g, " ").replaceAll("|", "\\|");
  const fence = "`".repeat(1 + Math.max(0, ...[...inside.matchAll(/`+/g)].map(([ticks]) => ticks.length)));
  return fence.length === 1 ? `\`${inside}\`` : `${fence} ${inside} ${fence}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? sign);
}

/** Lines up to the limit. */
class Page {
  #text = "";

  get text(): string {
    return this.#text.trimEnd();
  }

  add(...lines: readonly string[]): void {
    for (const line of lines) this.#text += `${line}\n`;
  }

  /** As many rows as fit; the rest is counted. */
  rows(lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) {
      if (this.#text.length + line.length + 1 > MARKDOWN_LIMIT - RESERVE) {
        this.add(more(lines.length - index));
        return;
      }
      this.add(line);
    }
  }
}
