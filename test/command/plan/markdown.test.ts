/** A plan as a comment on a pull request: what comes from a roster, a state or the service is shown there and does nothing. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Violation } from "../../../command/plan/guards/violation.ts";
import type { Plan } from "../../../command/plan/plan.ts";
import { MARKDOWN_LIMIT, planToMarkdown } from "../../../command/plan/texts/markdown.ts";
import { prose } from "../../../command/plan/texts/markdown-text.ts";
import { hostileNames } from "../report/hostile-names.ts";
import { machine, plan, rows } from "./planned.ts";

/** What GitHub makes links, images, mentions, references, HTML or another layout of. */
const tricks: readonly string[] = [
  "@acme/team",
  "@octocat",
  "ada@acme.example",
  "#123",
  "GH-123",
  "acme/tools#7",
  "d0dd1f61c7d9ef0d0dd1f61c7d9ef0ab",
  "https://evil.example/a?b=c",
  "www.evil.example",
  "mailto:ada@acme.example",
  "[click](https://evil.example)",
  "![x](https://evil.example/x.png)",
  "[x]: https://evil.example",
  "<https://evil.example>",
  "<img src=x onerror=alert(1)>",
  "</details><h1>",
  "<!--",
  "`",
  "```",
  "`` ` ``",
  "a|b",
  "a\\|b",
  "a\\\\|b|",
  "\\",
  "*bold* _it_ ~~no~~",
  "# heading",
  "> quote",
  "- [ ] task",
  "1. one",
  "---",
  "line\n\n| a | b |\n|---|---|\n",
  "\r\n@acme/team\r\n",
  "\u202e@reversed",
  "@\u200bteam",
  "&#64;team &amp;",
  "$x^2$ :tada:",
  "x".repeat(5000),
  "@x ".repeat(2000),
  "`@x".repeat(2000),
  "\ud800",
  "",
  " ",
  ...hostileNames,
];

/** The text of a page that is in no code span: a run of backticks begins one, the next run of the same length ends it. */
function outsideCode(markdown: string): string {
  return markdown.replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, "C");
}

/** The cells of a row of a table: GitHub looks for their ends before it looks for code. */
function cellsOf(row: string): string[] {
  return [...row.matchAll(/((?:\\.|[^|\\])*)\|/g)].slice(1).map(([, cell = ""]) => cell.trim());
}

/** Everything that a comment says by itself, and the plain words of sentences. */
const HARMLESS =
  /^(?:> )?(?:- )?(?:\[!(?:WARNING|CAUTION)\]|### orgseat: |<\/?details(?: open)?>|<summary>|<\/summary>|\*\*|\||[\p{L}\d',.;:!?%()"+· -])*$/u;

function expectHarmless(markdown: string): void {
  for (const line of markdown.split("\n")) {
    const outside = outsideCode(line);
    expect(outside, line).toMatch(HARMLESS);
    expect(outside, line).not.toMatch(/`|@|#\d|:\/\/|www\.|\w\.[a-z]{2}|GH-\d|\b[0-9a-f]{7,}\b|\]\(|&\w*;/i);
    if (line.startsWith("| ")) expect(cellsOf(line), line).toHaveLength(2);
  }
  expect(markdown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/);
  expect(markdown.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
  expect(markdown.isWellFormed()).toBe(true);
}

/** A page in which every place that takes a text has this one. */
function pageWith(text: string): string {
  const people = [text, `ada ${text}`];
  const stop: Violation = {
    guard: "removal-limit",
    text: `30 people: ${text}. Run again.`,
    people,
    override: undefined,
  };
  return planToMarkdown({
    plan: renamed(text),
    violations: [stop, { ...stop, details: people }],
    leftOut: people,
  });
}

const [joining, leaving, changing] = ["a", "b", "c"] as const;
const sample = await plan({
  had: [machine(leaving, "Old"), machine(changing, "Before")],
  has: [machine(joining, "New"), machine(changing, "After")],
});

/** The plan with another name for each member and setting. */
function renamed(text: string): Plan {
  const members = sample.members.map((member) => ({ ...member, label: `${text} (was ${text})` }));
  const settings = [{ name: text, entries: [], actions: ["changeMembership" as const], reasons: [text] }];
  return { ...sample, members, settings };
}

describe("a plan in Markdown", () => {
  test.each(tricks)("shows %j and does nothing else with it", (text) => {
    expectHarmless(pageWith(text));
  });

  test("shows characters without a shape as numbers", () => {
    expect(pageWith("a\u200bda@acme.example \u202eeve")).toContain(
      "`a\\u{200b}da@acme.example \\u{202e}eve`",
    );
  });

  test("shows any mixture of such texts and does nothing else with it", () => {
    const mixture = fc
      .array(fc.oneof(fc.constantFrom(...tricks), fc.string({ unit: "binary", maxLength: 20 })), {
        maxLength: 6,
      })
      .chain((parts) => fc.constantFrom("", " ", "\n").map((between) => parts.join(between)));
    fc.assert(
      fc.property(mixture, (text) => expectHarmless(pageWith(text))),
      // Of such texts the first one says enough, and shrinking them takes long.
      { numRuns: 300, endOnFailure: true },
    );
  });

  test("keeps sentences readable: plain words stay, names, commands and addresses are code", () => {
    expect(
      prose(
        "30 people would lose a seat; the limit is 8 of 40 (20%). To take ada@acme.example out, run `orgseat destroy`. Run again with --approve 0123456789abcdef@2026-11-21T13:00:00Z",
        1000,
      ),
    ).toBe(
      "30 people would lose a seat; the limit is 8 of 40 (20%). To take `ada@acme.example` out, run `orgseat destroy`. Run again with `--approve 0123456789abcdef@2026-11-21T13:00:00Z`",
    );
  });

  test("shows a name with a pipe or backticks as it is", () => {
    const named = sample.members.map((member) => ({ ...member, label: "`<b>|@all`" }));
    const page = planToMarkdown({ plan: { ...sample, members: named } });
    expect(page).toContain("| `` `<b>\\|@all` `` | add, ");
    const stop: Violation = { guard: "protected-person", text: "no", people: ["a|b"], override: undefined };
    expect(planToMarkdown({ plan: { ...sample, members: [] }, violations: [stop] })).toContain("> - `a|b`");
  });

  test("fits a comment with 5,000 people who all change, and every guard", async () => {
    const long = `${"very-long-name.".repeat(15)}@acme.example`;
    const found = await plan({ had: rows(2500, "gone"), has: rows(2500, "new") });
    const members = found.members.map((member) => ({ ...member, label: `${member.key}-${long}` }));
    const many = { ...found, members };
    const about = Array.from({ length: 5000 }, (_, index) => `${index}-${long}`);
    const stop: Violation = {
      guard: "removal-limit",
      text: "`@x ".repeat(5000),
      people: about,
      override: undefined,
    };
    const page = planToMarkdown({
      plan: many,
      violations: Array.from({ length: 8 }, () => stop),
      leftOut: about,
    });
    expect(page.length).toBeLessThanOrEqual(65_000);
    expectHarmless(page);
    expect(page).toContain("2,500 to add, 2,500 to remove");
    expect(page).toMatch(
      /Ignored, because they are on the offboarded list: .* and [\d,]+ more\. Delete .*\n/,
    );
    expect(page).toMatch(/and [\d,]+ more: `orgseat preview --verbose` lists them/);
  });
});
