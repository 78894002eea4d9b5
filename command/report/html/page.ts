/** The report as one page for a browser: no script, nothing loaded from anywhere. */
import { createHash } from "node:crypto";
import type { Report } from "../schema.ts";
import {
  days,
  describeMonth,
  describeSeatUses,
  describeSubscription,
  type Finding,
  findingsOf,
  minuteOf,
} from "../texts/phrases.ts";
import { html, Markup, nothing } from "./markup.ts";
import { style } from "./style.ts";
import { bandTable, changeTable, driftTable, findingTable, managedTable, peopleTable } from "./tables.ts";
import { timeline } from "./timeline.ts";

const styleHash = createHash("sha256").update(style).digest("base64");

export function htmlOf(report: Report): string {
  const findings = findingsOf(report);
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
${navigation(report, findings)}
</header>
<main>
${tiles(report)}
${tokensSection(report)}
${findings.map(findingSection)}
${managedSection(report)}
${monthSection(report)}
${driftSection(report)}
${everyoneSection(report)}
${notesSection(report)}
</main>
<footer>Written by <code>orgseat report</code>. Dates are in UTC.</footer>
</body>
</html>
`;
  return page.text;
}

function navigation(
  { machineUsersByPurpose, month, drift, notes, people }: Report,
  findings: readonly Finding[],
): Markup {
  const links: readonly (readonly [string, string] | undefined)[] = [
    ["tokens", "Tokens"],
    ...findings.map(({ title }, index) => [`look-${index}`, title] as const),
    machineUsersByPurpose.length === 0 ? undefined : ["machine", "Machine users"],
    month === null ? undefined : ["month", describeMonth(month.month)],
    drift === null ? undefined : ["drift", "Drift"],
    ["everyone", `Everyone (${people.length})`],
    notes.length === 0 ? undefined : ["notes", "Notes"],
  ];
  return html`<nav aria-label="Sections">${links.flatMap((link) => (link === undefined ? [] : [html`<a href="#${link[0]}">${link[1]}</a>`]))}</nav>`;
}

function tokensSection(report: Report): Markup {
  const { total, confirmed } = report.tokens;
  return html`<section id="tokens"><h2>Tokens by expiry</h2>
<p class="meaning">${total} tokens: the service confirmed the expiry of ${confirmed}; ${total - confirmed} are declared.</p>
${timeline(report)}
${total === 0 ? nothing : html`<ul class="legend"><li class="disc">confirmed by the service</li><li class="ring">declared</li><li>A bar shows a group of people. The filled part is confirmed by the service.</li></ul>`}
${bandTable(report.tokens)}
</section>`;
}

function findingSection(finding: Finding, index: number): Markup {
  return html`<section id="look-${index}"><h2>${finding.title}: ${finding.people.length}</h2>
<p class="meaning">${withCode(finding.meaning)}</p>
${findingTable(finding)}</section>`;
}

function managedSection({ machineUsersByPurpose }: Report): Markup {
  if (machineUsersByPurpose.length === 0) return nothing;
  return html`<section id="machine"><h2>Machine users by purpose</h2>
<p class="meaning">Users that are not people, with the purpose of their token.</p>
${managedTable(machineUsersByPurpose)}</section>`;
}

function monthSection({ month }: Report): Markup {
  if (month === null) return nothing;
  return html`<section id="month"><h2>${describeMonth(month.month)}</h2><div class="columns">
${changeTable("Joined", month.joined)}
${changeTable("Left", month.left)}
${month.adopted.length === 0 ? nothing : changeTable("Adopted", month.adopted)}
</div></section>`;
}

function driftSection({ drift }: Report): Markup {
  if (drift === null) return nothing;
  const { findings, unmanaged, tokens } = drift;
  return html`<section id="drift"><h2>Drift: ${findings.length} changed in the service, ${unmanaged.length} not in the stack</h2>
<p class="meaning">Compared with the service: users and seats${tokens ? ", and tokens" : ""}. No run removes members that are not in the stack; ${withCode("`orgseat adopt --only-unmanaged` adopts them.")}</p>
${driftTable(drift)}</section>`;
}

function everyoneSection({ people }: Report): Markup {
  return html`<section id="everyone"><h2>Everyone: ${people.length}</h2>
<p class="meaning">Sorted by token expiry. The browser's search (Ctrl+F) finds people, teams, "no seat", "declared".</p>
${peopleTable(people)}</section>`;
}

function notesSection({ notes }: Report): Markup {
  if (notes.length === 0) return nothing;
  return html`<section id="notes"><h2>Notes</h2><ul class="notes">${notes.map((note) => html`<li>${withCode(note)}</li>`)}</ul></section>`;
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
