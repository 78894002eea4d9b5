/** The tables of the page. Names are in `bdi`, so that a name written from right to left does not reverse other text. */

import { describeFinding, describeUnmanaged, nameOfUnmanaged } from "../../plan/drift.ts";
import type { MonthlyChanges, Report, ReportedDrift, ReportedPerson } from "../schema.ts";
import {
  dayOf,
  describeAccess,
  describeBand,
  describeDays,
  describeSeatUse,
  describeSource,
  type Finding,
} from "../texts/phrases.ts";
import { html, type Markup, nothing, scroller } from "./markup.ts";

/** The maximum number of rows; the table of everyone has all people. */
const LISTED = 200;

export function peopleTable(people: readonly ReportedPerson[]): Markup {
  const hasEnds = people.some(({ access }) => access !== null);
  const accessHead = hasEnds ? html`<th scope="col">Access until</th>` : nothing;
  const accessCell = (person: ReportedPerson): Markup =>
    hasEnds ? html`<td class="date">${describeAccess(person)[0]}</td>` : nothing;
  const hasRotations = people.some(({ token }) => token?.rotationDue);
  const rotationHead = hasRotations ? html`<th scope="col">Rotation due</th>` : nothing;
  const rotationCell = ({ token }: ReportedPerson): Markup =>
    hasRotations
      ? html`<td class="date">${token?.rotationDue ? dayOf(token.rotationDue) : ""}</td>`
      : nothing;
  return scroller(
    "Everyone",
    html`<table>
<thead><tr><th scope="col">Person or purpose</th><th scope="col">Team</th><th scope="col">Seat</th><th scope="col">Token until</th><th scope="col">Days left</th><th scope="col">Source</th>${rotationHead}${accessHead}<th scope="col">Roster</th></tr></thead>
<tbody>
${people.map((person) => html`<tr>${nameOf(person)}<td>${bdi(person.team)}</td><td>${seatInWords[person.seat]}</td>${tokenCells(person)}${rotationCell(person)}${accessCell(person)}<td>${rosterInWords(person)}</td></tr>`)}
</tbody></table>`,
  );
}

const findingColumns = {
  token: {
    head: html`<th scope="col">Token until</th><th scope="col">Days left</th><th scope="col">Source</th>`,
    cells: tokenCells,
  },
  seatUse: { head: html`<th scope="col">Last seen</th><th scope="col">Unused for</th>`, cells: useCells },
  access: { head: html`<th scope="col">Access until</th><th scope="col">Left</th>`, cells: accessCells },
} as const;

export function findingTable({ title, people, shows = "token" }: Finding): Markup {
  const { head, cells } = findingColumns[shows];
  const others = people.length - LISTED;
  const table = html`<table>
<thead><tr><th scope="col">Person or purpose</th><th scope="col">Team</th>${head}</tr></thead>
<tbody>
${people.slice(0, LISTED).map((person) => html`<tr>${nameOf(person)}<td>${bdi(person.team)}</td>${cells(person)}</tr>`)}
</tbody></table>`;
  return html`${scroller(title, table)}${others > 0 ? html`<p class="soft">And ${others} more, listed under Everyone.</p>` : nothing}`;
}

export function bandTable({ bands }: Report["tokens"]): Markup {
  return scroller(
    "Tokens by days left",
    html`<table class="narrow">
<thead><tr><th scope="col">Days left</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Confirmed</th><th scope="col" class="number">Declared</th></tr></thead>
<tbody>
${bands.map(({ band, total, confirmed, declared }) => html`<tr><td class="days ${band}">${describeBand[band]}</td><td class="number">${total}</td><td class="number">${confirmed}</td><td class="number">${declared}</td></tr>`)}
</tbody></table>`,
  );
}

export function managedTable(managed: Report["machineUsersByPurpose"]): Markup {
  return html`<table class="narrow">
<thead><tr><th scope="col">Purpose</th><th scope="col" class="number">Users</th></tr></thead>
<tbody>
${managed.map(({ purpose, total }) => html`<tr><th scope="row">${bdi(purpose)}</th><td class="number">${total}</td></tr>`)}
</tbody></table>`;
}

export function driftTable({ findings, unmanaged }: ReportedDrift): Markup {
  const rows = [
    ...findings.map((finding) => ({ who: finding.who, what: describeFinding(finding) })),
    ...unmanaged.map((member) => ({
      who: nameOfUnmanaged(member),
      what: `not in the stack: ${describeUnmanaged(member)}`,
    })),
  ];
  if (rows.length === 0) return nothing;
  return scroller(
    "Drift",
    html`<table><tbody>
${rows.map(({ who, what }) => html`<tr><th scope="row">${bdi(who)}</th><td>${bdi(what)}</td></tr>`)}
</tbody></table>`,
  );
}

export function changeTable(title: string, changes: MonthlyChanges["joined"] | null): Markup {
  if (changes === null) return html`<div><h3>${title}: unknown</h3></div>`;
  return html`<div><h3>${title}: ${changes.length}</h3>${
    changes.length === 0
      ? nothing
      : html`<table><tbody>
${changes.map(({ who, at }) => html`<tr><th scope="row">${bdi(who)}</th><td class="date">${dayOf(at)}</td></tr>`)}
</tbody></table>`
  }</div>`;
}

const seatInWords: Readonly<Record<ReportedPerson["seat"], string>> = {
  assigned: "yes",
  unconfirmed: "not confirmed",
  none: "no seat",
};

function rosterInWords({ inRoster, inState, access }: ReportedPerson): string {
  if (!inState) return access?.status === "ended" ? "access ended" : "not added yet";
  return inRoster ? "listed" : "not listed";
}

function nameOf({ who, firstName, lastName, kind, userId }: ReportedPerson): Markup {
  const names = [firstName, lastName].filter((name) => name !== null).join(" ");
  const sub =
    kind === "machine" ? "machine user" : kind === "unknown" && who !== userId ? (userId ?? "") : names;
  return html`<th scope="row">${bdi(who)}${sub === "" ? nothing : html`<span class="sub">${bdi(sub)}</span>`}</th>`;
}

function tokenCells({ token }: ReportedPerson): Markup {
  if (token === null) return html`<td>no token</td><td></td><td></td>`;
  return html`<td class="date">${dayOf(token.validUntil)}</td><td class="days ${token.band}">${describeDays(token)}</td><td>${describeSource(token.source)}</td>`;
}

function useCells(person: ReportedPerson): Markup {
  const [lastSeen, unused] = describeSeatUse(person);
  return html`<td class="date">${lastSeen}</td><td>${unused}</td>`;
}

function accessCells(person: ReportedPerson): Markup {
  const [until, left] = describeAccess(person);
  return html`<td class="date">${until}</td><td>${left}</td>`;
}

function bdi(text: string | null): Markup {
  return text === null ? nothing : html`<bdi>${text}</bdi>`;
}
