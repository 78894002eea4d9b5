import { describe, expect, test } from "vitest";
import { html, Markup } from "../../../command/report/html/markup.ts";
import { htmlOf } from "../../../command/report/html/page.ts";
import { scaleOf } from "../../../command/report/html/scale.ts";
import { hostileNames } from "./hostile-names.ts";
import {
  type HeldMember,
  inDays,
  invented,
  now,
  person,
  reportOn,
  roster,
  subscriptionEnd,
} from "./organization.ts";
import { sampleReport } from "./sample.ts";

function pageOf(held: readonly HeldMember[], people = held.map(({ key }) => person(key))): string {
  return htmlOf(reportOn(held, roster(people), { month: "2026-11" }));
}

const { held, people } = invented(300);
const page = pageOf(held, people);

describe("the page", () => {
  test("loads nothing and runs nothing, and forbids both", () => {
    expect(page).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/,
    );
    expect(page.match(/<script|<link|<img|<iframe|\ssrc=|url\(|@import|\son\w+=|\sstyle=/gi)).toBeNull();
    expect(page.match(/\bhref="[^"]*"/g)?.filter((link) => !link.startsWith('href="#'))).toEqual([]);
  });

  test("each link leads to a section", () => {
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(5);
    expect(targets.filter((id) => !page.includes(`<section id="${id}"`))).toEqual([]);
  });

  test("shows seats, tokens and findings as figures", () => {
    const text = page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    expect(text).toContain("Members 300 ");
    expect(text).toContain("Members without a seat: 6");
    expect(text).toContain("In the roster but not in any state: 1");
  });

  test("shows idle seats as a section and a figure, and rotations as a column", () => {
    const sample = htmlOf(sampleReport);
    expect(sample).toContain('<span class="soft">Idle seats</span><b>3</b>');
    expect(sample).toContain("<h2>Idle seats: 3</h2>");
    expect(sample).toMatch(
      /Seat use: 3 idle for 30 days or more .*<td class="date">2026-09-30<\/td><td>52 days<\/td>/s,
    );
    expect(sample).toContain('<th scope="col">Rotation due</th>');
  });

  test("names of every kind are texts: in tables, titles, teams and purposes", () => {
    const members = hostileNames.map((name, index): HeldMember => ({ key: `k${index}`, names: [name] }));
    const persons = hostileNames.map((name, index) => person(`k${index}`, { purpose: name, team: name }));
    const hostile = pageOf(members, persons);
    expect(hostile.match(/<script|<img|<!--|<\/title><\/style>|\sonmouseover='/g)).toBeNull();
    expect(hostile).toContain("&lt;script&gt;console.error(&#39;ran&#39;)&lt;/script&gt;");
    expect(hostile).toContain("<bdi>שלום עולם</bdi>");
    expect(hostile).toContain("x".repeat(200));
  });
});

describe("the timeline", () => {
  const member = (index: number, days: number, source: "service" | "declared" = "service"): HeldMember => ({
    key: `p${index}@acme.example`,
    token: { validUntil: inDays(days), source },
  });

  test("marks each person, with the name, the day and how it is known", () => {
    const drawn = pageOf([member(1, 3), member(2, 40, "declared"), member(3, -2)]);
    const marks = [...drawn.matchAll(/<circle class="([^"]+)"[^>]*><title>([^<]*)<\/title>/g)];
    expect(marks.map(([, look, title]) => [look, title])).toEqual([
      ["mark expired service", "p3@acme.example: 2026-11-19, expired, confirmed"],
      ["mark under7 service", "p1@acme.example: 2026-11-24, 3 days left, confirmed"],
      ["mark under90 declared", "p2@acme.example: 2026-12-31, 40 days left, declared"],
    ]);
  });

  test("many who end together are one bar with their number and the first names, filled as far as confirmed", () => {
    const source = (index: number) => (index % 4 === 0 ? "declared" : "service");
    const drawn = pageOf(Array.from({ length: 40 }, (_, index) => member(index, 100, source(index))));
    expect(drawn).not.toContain("<circle");
    const [, title] = /<g><title>([^<]*)<\/title><rect/.exec(drawn) ?? [];
    expect(title).toMatch(/^40 people, 2027-03-01, 30 confirmed: p0@acme\.example, .* and 20 more$/);
    const parts = [...drawn.matchAll(/<rect class="mark more (\w+)"[^>]* height="(\d+)"/g)];
    const [all, filled] = parts.map(([, , height]) => Number(height));
    expect(parts.map(([, look]) => look)).toEqual(["declared", "service"]);
    expect((filled ?? 0) / (all ?? 0)).toBeCloseTo(0.75, 1);
    expect(drawn).toMatch(/<text class="count"[^>]*>40<\/text>/);
  });

  test("says in words what it shows", () => {
    const drawn = pageOf([member(1, 3), member(2, 40)]);
    expect(drawn).toContain(
      'id="timeline-words">2 tokens by days left. 1: under 7 days; 1: 30 to 89 days. The table Everyone lists each date.',
    );
  });

  test("disappears if nobody has a token", () => {
    expect(pageOf([{ key: "ada@acme.example", token: null }])).not.toContain("<svg");
  });
});

describe("the time axis", () => {
  const axis = (ends: readonly number[]) => scaleOf({ now, ends, left: 0, right: 1000, column: 16 });

  test("runs from the month before this one to the month of the last end", () => {
    const { months, holds } = axis([Date.parse(subscriptionEnd)]);
    expect(months.map(({ label }) => label).join(" ")).toBe("Oct Nov Dec Jan 2027 Feb Mar Apr May Jun");
    expect([holds(Date.parse("2026-09-30T23:59:59Z")), holds(Date.parse("2026-10-01"))]).toEqual([
      false,
      true,
    ]);
  });

  test("covers three years at most; what lies beyond stands at its edges", () => {
    const far = Date.parse("2099-12-31");
    const scale = axis([far]);
    expect(scale.holds(far)).toBe(false);
    expect(scale.x(far)).toBe(1000);
    expect(scale.x(Date.parse("1999-01-01"))).toBe(0);
    expect(scale.months.length).toBeLessThan(20);
  });

  test("columns are wide enough for a mark each", () => {
    for (const days of [10, 200, 900]) {
      const { columnOf, middleOf } = axis([Date.parse(inDays(days))]);
      const column = columnOf(now);
      expect(middleOf(column + 1) - middleOf(column)).toBeGreaterThanOrEqual(15.5);
    }
  });
});

describe("the template", () => {
  test("escapes every value but markup, and leaves out what no page may hold", () => {
    const value = '<a href="x">&\'\u0000\u001b\ud800';
    expect(html`<p title="${value}">${new Markup("<b>ok</b>")}${[html`${1}`, html`<i>`]}</p>`.text).toBe(
      '<p title="&lt;a href=&quot;x&quot;&gt;&amp;&#39;\ufffd\ufffd\ufffd"><b>ok</b>1<i></p>',
    );
  });
});
