/** The figures at the top of the page. */
import type { Report } from "../schema.ts";
import { html, type Markup, nothing } from "./markup.ts";

export function tiles({ people, seats, tokens }: Report): Markup {
  const members = people.filter(({ inState }) => inState);
  const managed = members.filter(({ kind }) => kind === "managed").length;
  const count = (...names: readonly string[]) =>
    tokens.bands.filter(({ band }) => names.includes(band)).reduce((sum, { total }) => sum + total, 0);
  return html`<ul class="tiles">
${tile("Members", members.length, managed === 0 ? "" : `${managed} of them managed users`)}
${seatsTile(seats)}
${tile("Free seats", ...freeSeats(seats))}
${tile("Ending within 30 days", count("under7", "under30"), `of ${tokens.total} tokens`)}
${tile("Expired", count("expired"), `of ${tokens.total} tokens`, count("expired") > 0)}
</ul>`;
}

function seatsTile({ used, bought, unconfirmed }: Report["seats"]): Markup {
  const outstanding = unconfirmed === 0 ? "" : `, ${unconfirmed} not confirmed yet`;
  if (bought === null) return tile("Seats used", used, `bought: not known${outstanding}`);
  const words = `of ${bought} bought (declared)${outstanding}`;
  const meter = html`<meter min="0" max="${bought}" value="${Math.min(used, bought)}" aria-label="Seats used">${used} of ${bought}</meter>`;
  return tile("Seats used", used, words, used > bought, meter);
}

function freeSeats({ free }: Report["seats"]): [number | string, string, boolean] {
  if (free === null) return ["–", "bought: not known", false];
  return free < 0 ? [0, `${-free} more used than bought`, true] : [free, "as declared", false];
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
