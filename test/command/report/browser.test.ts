// @module-tag ci
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { htmlOf } from "../../../command/report/html/page.ts";
import { visible } from "../../../provider/util/text.ts";
import { Browser, type Page } from "../../browser/browser.ts";
import { hasBrowser, scriptOf } from "../../browser/chromium.ts";
import { hostileNames } from "./hostile-names.ts";
import { layoutOf, sound, violationsOf } from "./layout.ts";
import { type HeldMember, inDays, invented, person, reportOn, roster } from "./organization.ts";
import { sampleReport } from "./sample.ts";

const { held, people } = invented(1000);
const strange = hostileNames.map((purpose, index) => person(`strange${index}`, { purpose, team: purpose }));
const listed = roster([...people, ...strange]);
const page = htmlOf(reportOn(held, listed, { month: "2026-11" }));
/** On the first days few tokens expire, then more and more. */
const crowd = Array.from({ length: 14 }, (_, day) =>
  Array.from({ length: 13 + day * 14 }, (_token, index): HeldMember => {
    const source = index % 2 === 0 ? "service" : "declared";
    return { key: `p${day}-${index}@acme.example`, token: { validUntil: inDays(day), source } };
  }),
).flat();
const crowded = htmlOf(
  reportOn(
    crowd,
    roster(
      crowd.map(({ key }) => person(key, { team: "A-team-with-a-name-without-any-space-in-it" })),
      { subscriptionExpiresAt: inDays(5) },
    ),
    { month: "2026-11" },
  ),
);
const sample = htmlOf(sampleReport);
const everyone = [...held.map(({ key }) => key), ...hostileNames].map(visible);
const widths = [360, 400, 768, 1200];
/** An A4 page without its margins. */
const PAPER_WIDTH = 688;

/** The names as the browser read them. */
function namesIn(shown: Page): Promise<string[]> {
  return shown.evaluate(
    z.array(z.string()),
    "[...document.querySelectorAll('bdi')].map(({ textContent }) => textContent)",
  );
}

describe.skipIf(!hasBrowser)("a real browser", () => {
  test("reads the report without an error, and finds everybody", async () => {
    const shown = await (await Browser.start()).open(page, { width: 1200 });
    expect(shown.console).toEqual([]);
    const found = new Set(await namesIn(shown));
    expect(everyone.filter((name) => !found.has(name))).toEqual([]);
  });

  test.each([
    ["a report of 1,000 people", page],
    ["a report with 13 to 200 tokens a day and the end of the subscription near", crowded],
    ["a report with all sections", sample],
  ])("keeps the lines of %s in their cards and all texts apart in every window", async (_title, text) => {
    const browser = await Browser.start();
    for (const width of widths) {
      const { scrolling: _, ...layout } = await layoutOf(await browser.open(text, { width }));
      expect({ width, ...layout }).toEqual({ width, excess: 0, outside: [], touching: [] });
    }
  });

  test.each([
    ["a report of 1,000 people", page],
    ["a report with all sections", sample],
  ])("cuts nothing of %s on paper", async (_title, text) => {
    const browser = await Browser.start();
    expect(await layoutOf(await browser.open(text, { width: PAPER_WIDTH, isPrinted: true }))).toEqual(sound);
  });

  test("finds nothing that excludes people with assistive technology, in light and dark, on paper, and narrow", async () => {
    const [browser, axe] = [await Browser.start(), await scriptOf("axe")];
    for (const width of [400, 1200]) {
      for (const isDark of [false, true])
        expect(await violationsOf(await browser.open(sample, { width, isDark }), axe)).toEqual([]);
    }
    const printed = await browser.open(sample, { width: PAPER_WIDTH, isPrinted: true, isDark: true });
    expect(await violationsOf(printed, axe)).toEqual([]);
  });

  test("notices a text over another, a wide element and a pale color (positive control)", async () => {
    const broken = `<!doctype html><html lang="en"><title>x</title><main><h1>Report</h1><section style="width: 200px">
<p style="margin-bottom: -30px">one text</p><p style="color: #ddd">another text</p><div style="width: 500px">wide</div></section></main>`;
    const shown = await (await Browser.start()).open(broken, { width: 400 });
    const { excess, outside, touching } = await layoutOf(shown);
    expect(excess).toBeGreaterThan(0);
    expect(outside).toContain("DIV: wide");
    expect(touching).toEqual([expect.stringContaining("another text")]);
    expect(await violationsOf(shown, await scriptOf("axe"))).toEqual([
      expect.stringMatching(/^color-contrast: /),
    ]);
  });

  test("refuses and notices a script in the report, and a person who is missing", async () => {
    const row = /<tr><th scope="row"><bdi>person0@acme\.example<.*?<\/tr>/gs;
    const script = '<script>document.title = "ran"; console.error("ran")</script></main>';
    const broken = page.replaceAll(row, "").replace("</main>", () => script);
    const shown = await (await Browser.start()).open(broken, { width: 1200 });
    expect(shown.console).toEqual([expect.stringMatching(/Content Security Policy|script-src/)]);
    expect(await shown.evaluate(z.string(), "document.title")).not.toBe("ran");
    const found = new Set(await namesIn(shown));
    expect(everyone.filter((name) => !found.has(name))).toEqual(["person0@acme.example"]);
  });
});
