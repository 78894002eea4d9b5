/** The report as one page for a browser: no script, nothing loaded from anywhere. */
import { createHash } from "node:crypto";
import { changedIn, unmanagedLines } from "../../plan/drift.ts";
import type { MonthlyChanges, Report, ReportedDrift } from "../schema.ts";
import {
  bandColumns,
  changeColumns,
  driftColumns,
  everyoneColumns,
  machineUserColumns,
} from "../texts/columns.ts";
import { type Finding, findingsOf } from "../texts/findings.ts";
import { days, describeMonth, describeSeatUses, describeSubscription, minuteOf } from "../texts/phrases.ts";
import { html, Markup, nothing } from "./markup.ts";
import { style } from "./style.ts";
import { tableOf } from "./tables.ts";
import { timeline } from "./timeline.ts";

/** The maximum number of rows of a finding; the table of everyone has all people. */
const LISTED = 200;

const styleHash = createHash("sha256").update(style).digest("base64");

export function htmlOf(report: Report): string {
  const sections = sectionsOf(report);
  const { organizationId, generatedAt, subscription, seats, seatUse } = report;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${new Markup(styleHash)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Organization report, ${generatedAt.slice(0, 10)}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header>
<h1>Organization report</h1>
<div>Organization <code>${organizationId}</code></div>
<div class="soft">As of ${minuteOf(generatedAt)}. The subscription ${describeSubscription(subscription)}.</div>
${seatUse === null ? nothing : html`<div class="soft">Seat use: ${describeSeatUses(seatUse, seats)}.</div>`}
<nav aria-label="Sections">${sections.map(({ id, name }) => html`<a href="#${id}">${name}</a>`)}</nav>
</header>
<main>
${tiles(report)}
${sections.map(
  ({ id, name, title = name, meaning, content }) => html`<section id="${id}"><h2>${title}</h2>
${meaning === undefined ? nothing : html`<p class="meaning">${withCode(meaning)}</p>\n`}${content}</section>\n`,
)}
</main>
<footer>Written by <code>orgseat report</code>. Dates are in UTC.</footer>
</body>
</html>
`;
  return page.text;
}

interface Section {
  readonly id: string;
  /** In the navigation. */
  readonly name: string;
  /** Default: the name. */
  readonly title?: string;
  readonly meaning?: string;
  readonly content: Markup;
}

function sectionsOf(report: Report): Section[] {
  const { machineUsersByPurpose: machineUsers, month, drift, notes, people } = report;
  const sections: readonly (Section | false | null)[] = [
    tokensSection(report),
    ...findingsOf(report).map(findingSection),
    machineUsers.length > 0 && {
      ...{ id: "machine", name: "Machine users" },
      meaning: "Users that are not people, with the purpose of their token.",
      content: tableOf("Machine users", machineUserColumns, machineUsers),
    },
    month && monthSection(month),
    drift && driftSection(drift),
    {
      ...{ id: "everyone", name: `Everyone (${people.length})`, title: `Everyone: ${people.length}` },
      meaning:
        'Sorted by token expiry. The browser\'s search (Ctrl+F) finds people, teams, "no seat", "declared".',
      content: tableOf("Everyone", everyoneColumns(people), people),
    },
    notes.length > 0 && {
      ...{ id: "notes", name: "Notes" },
      content: html`<ul class="notes">${notes.map((note) => html`<li>${withCode(note)}</li>`)}</ul>`,
    },
  ];
  return sections.filter((section) => section !== false && section !== null);
}

function tokensSection(report: Report): Section {
  const { total, confirmed, declared, bands } = report.tokens;
  const legend = html`<ul class="legend"><li class="disc">confirmed by the service</li><li class="ring">declared</li><li>A bar shows a group of people. The filled part is confirmed by the service.</li></ul>`;
  return {
    ...{ id: "tokens", name: "Tokens", title: "Tokens by expiry" },
    meaning: `${total} tokens: the service confirmed the expiry of ${confirmed}; ${declared} are declared.`,
    content: html`${total === 0 ? nothing : html`${timeline(report)}${legend}`}${tableOf("Tokens by days left", bandColumns, bands)}`,
  };
}

function findingSection({ title, meaning, people, columns }: Finding, index: number): Section {
  const others = people.length - LISTED;
  const table = tableOf(title, columns, people.slice(0, LISTED));
  return {
    ...{ id: `look-${index}`, name: title, title: `${title}: ${people.length}`, meaning },
    content: html`${table}${others > 0 ? html`<p class="soft">And ${others} more, listed under Everyone.</p>` : nothing}`,
  };
}

function monthSection({ month, joined, left, adopted }: MonthlyChanges): Section {
  const changes = (title: string, found: MonthlyChanges["left"]): Markup =>
    html`<div><h3>${title}: ${found === null ? "unknown" : found.length}</h3>${found === null || found.length === 0 ? nothing : tableOf(title, changeColumns, found)}</div>`;
  return {
    ...{ id: "month", name: describeMonth(month) },
    content: html`<div class="columns">${changes("Joined", joined)}${changes("Left", left)}${adopted.length === 0 ? nothing : changes("Adopted", adopted)}</div>`,
  };
}

function driftSection({ findings, unmanaged, tokens }: ReportedDrift): Section {
  const rows = [
    ...changedIn(findings).values(),
    ...unmanagedLines(unmanaged).map(({ who, what }) => ({ who, what: `not in the stack: ${what}` })),
  ];
  return {
    ...{ id: "drift", name: "Drift" },
    title: `Drift: ${findings.length} changed in the service, ${unmanaged.length} not in the stack`,
    meaning: `Compared with the service: users and seats${tokens ? ", and tokens" : ""}. No run removes members that are not in the stack; \`orgseat adopt --only-unmanaged\` adopts them.`,
    content: rows.length === 0 ? nothing : tableOf("Drift", driftColumns, rows),
  };
}

/** Text in backticks is code. */
function withCode(text: string): Markup[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function tiles({ people, seats, seatUse, tokens }: Report): Markup {
  const members = people.filter(({ inState }) => inState);
  const managed = members.filter(({ kind }) => kind === "machine").length;
  const count = (...names: readonly string[]) =>
    tokens.bands.filter(({ band }) => names.includes(band)).reduce((sum, { total }) => sum + total, 0);
  return html`<ul class="tiles">
${tile("Members", members.length, managed === 0 ? "" : `${managed} of them machine users`)}
${seatsTile(seats)}
${tile("Available seats", ...availableSeats(seats))}
${seatUse === null ? nothing : tile("Idle seats", seatUse.idle, `no use for ${days(seatUse.idleDays)} or more`)}
${tile("Expiring within 30 days", count("under7", "under30"), `of ${tokens.total} tokens`)}
${tile("Expired", count("expired"), `of ${tokens.total} tokens`, count("expired") > 0)}
</ul>`;
}

function seatsTile({ used, purchased, unconfirmed }: Report["seats"]): Markup {
  const outstanding = unconfirmed === 0 ? "" : `, ${unconfirmed} not confirmed yet`;
  if (purchased === null) return tile("Seats used", used, `purchased: unknown${outstanding}`);
  const words = `of ${purchased} purchased (declared)${outstanding}`;
  const meter = html`<meter min="0" max="${purchased}" value="${Math.min(used, purchased)}" aria-label="Seats used">${used} of ${purchased}</meter>`;
  return tile("Seats used", used, words, used > purchased, meter);
}

function availableSeats({ available }: Report["seats"]): [number | string, string, boolean] {
  if (available === null) return ["–", "purchased: unknown", false];
  return available < 0
    ? [0, `${-available} more used than purchased`, true]
    : [available, "as declared", false];
}

function tile(
  name: string,
  value: number | string,
  words: string,
  isAlarm = false,
  more: Markup = nothing,
): Markup {
  const text = typeof value === "number" ? value.toLocaleString("en") : value;
  return html`<li${isAlarm ? html` class="alarm"` : nothing}><span class="soft">${name}</span><b>${text}</b><span class="soft">${words}</span>${more}</li>`;
}
