/** A timeline of token expiries: one mark for each person, or one bar for many with the same date. */

import type { Report, ReportedPerson, ReportedToken } from "../schema.ts";
import { dayOf, days, describeBand, describeSource } from "../texts/phrases.ts";
import { html, type Markup, nothing, scroller } from "./markup.ts";
import { type Scale, scaleOf } from "./scale.ts";

type TokenOwner = ReportedPerson & { readonly token: ReportedToken };

const WIDTH = 1060;
const MARGIN = 34;
/** Of a mark, and of the distance between two marks. */
const RADIUS = 5;
const STEP = 14;
const AXIS_SPACE = 44;
const HEAD_SPACE = 34;
/** The width of a digit of the number above a bar, at most. */
const DIGIT = 8;
/** People of one column that are drawn one by one. */
const TALLEST = 12;
/** Names in the title of a bar. */
const NAMED = 20;

/** Empty without tokens. */
export function timeline({ people, generatedAt, subscription, tokens }: Report): Markup {
  const holders = people.filter((person): person is TokenOwner => person.token !== null);
  if (holders.length === 0) return nothing;
  const now = Date.parse(generatedAt);
  const ends = holders.map(({ token }) => Date.parse(token.validUntil));
  const end = subscription.endsAt === null ? undefined : Date.parse(subscription.endsAt);
  const scale = scaleOf({
    now,
    ends: end === undefined ? ends : [...ends, end],
    left: MARGIN,
    right: WIDTH - MARGIN,
    column: Math.max(STEP + 2, String(holders.length).length * DIGIT + 4),
  });
  const columns = Map.groupBy(holders, ({ token }) => scale.columnOf(Date.parse(token.validUntil)));
  const rows = Math.max(3, Math.min(TALLEST, Math.max(...[...columns.values()].map(({ length }) => length))));
  const floor = HEAD_SPACE + rows * STEP;
  const words = tokens.bands
    .filter(({ total }) => total > 0)
    .map(({ band, total }) => `${total}: ${describeBand[band]}`);
  const drawn = html`<svg viewBox="0 0 ${WIDTH} ${floor + AXIS_SPACE}" role="img" aria-labelledby="timeline-name timeline-words">
<title id="timeline-name">Timeline of token expiries</title>
<desc id="timeline-words">${tokens.total} tokens by days left. ${words.join("; ")}. The table Everyone lists each date.</desc>
${months(scale, floor)}
${line("now", "today", scale.x(now), floor)}
${end === undefined || !scale.holds(end) ? nothing : line("end", "subscription ends", scale.x(end), floor)}
${[...columns].flatMap(([column, own]) => (own.length <= TALLEST ? dots(scale.middleOf(column), own, floor) : bar(scale.middleOf(column), own, floor)))}
</svg>`;
  return scroller("Timeline", drawn);
}

function months(scale: Scale, floor: number): Markup[] {
  return scale.months.map(
    ({ x, label, isYear }) =>
      html`<path class="grid" d="M${x} ${HEAD_SPACE - 6}V${floor + 6}"/><text x="${x + 3}" y="${floor + (isYear ? 34 : 18)}">${label}</text>`,
  );
}

function line(name: "now" | "end", label: string, x: number, floor: number): Markup {
  const isRight = x > WIDTH / 2;
  return html`<path class="${name}" d="M${x} ${name === "now" ? 4 : 14}V${floor + 6}"/><text x="${isRight ? x - 5 : x + 5}" y="${name === "now" ? 13 : 25}" text-anchor="${isRight ? "end" : "start"}">${label}</text>`;
}

function dots(x: number, holders: readonly TokenOwner[], floor: number): Markup[] {
  return holders.map(
    ({ who, token }, index) =>
      html`<circle class="mark ${token.band} ${token.source}" cx="${x}" cy="${floor - RADIUS - 2 - index * STEP}" r="${RADIUS}"><title>${who}: ${dayOf(token.validUntil)}, ${leftInWords(token)}, ${describeSource(token.source)}</title></circle>`,
  );
}

/** Its lower part, as much of it as the service has confirmed, is filled. */
function bar(x: number, holders: readonly TokenOwner[], floor: number): Markup {
  const tokens = holders.map(({ token }) => token);
  const confirmed = tokens.filter(({ source }) => source === "service").length;
  const band = tokens[0]?.band ?? "more";
  const bottom = floor - 2;
  const full = (TALLEST - 1) * STEP;
  const filled = Math.round((full * confirmed) / tokens.length);
  const part = (source: ReportedToken["source"], height: number) =>
    html`<rect class="mark ${band} ${source}" x="${x - RADIUS}" y="${bottom - height}" width="${2 * RADIUS}" height="${height}" rx="${RADIUS}"/>`;
  const named = holders.slice(0, NAMED).map(({ who }) => who);
  const others = holders.length > NAMED ? [`and ${holders.length - NAMED} more`] : [];
  return html`<g><title>${holders.length} people, ${spanOf(tokens)}, ${confirmed} confirmed: ${[...named, ...others].join(", ")}</title>${part("declared", full)}${filled === 0 ? nothing : part("service", filled)}<text class="count" x="${x}" y="${bottom - full - 4}" text-anchor="middle">${holders.length}</text></g>`;
}

function leftInWords({ band, daysLeft }: ReportedToken): string {
  return band === "expired" ? "expired" : `${days(daysLeft)} left`;
}

/** @param tokens in the order of their ends */
function spanOf(tokens: readonly ReportedToken[]): string {
  const days = new Set([tokens.at(0), tokens.at(-1)].map((token) => dayOf(token?.validUntil)));
  return [...days].join(" to ");
}
