import { describe, expect, test } from "vitest";
import { factsOf } from "../../../../sdk/automation/report/facts.ts";
import { htmlOf } from "../../../../sdk/automation/report/html/page.ts";
import { buildReport } from "../../../../sdk/automation/report/report.ts";
import { browser, layoutOf, open } from "./browser.ts";
import { hostileNames } from "./hostile-names.ts";
import { type HeldMember, invented, now, person, roster, stackExport } from "./organization.ts";

const { held, people } = invented(1000);
const strange = hostileNames.map((purpose, index) => person(`strange${index}`, { purpose, team: purpose }));
const listed = roster([...people, ...strange]);
const page = htmlOf(
  buildReport(factsOf([stackExport("a", held)], listed, [], { now }), { month: "2026-11" }),
);
const DAY_MS = 86_400_000;
const dayAfter = (days: number) => new Date(now + days * DAY_MS).toISOString().replace(".000Z", "Z");
/** On the first days few tokens expire, then more and more. */
const crowd = Array.from({ length: 14 }, (_, day) =>
  Array.from({ length: 13 + day * 14 }, (_token, index): HeldMember => {
    const source = index % 2 === 0 ? "service" : "declared";
    return { key: `p${day}-${index}@acme.example`, token: { validUntil: dayAfter(day), source } };
  }),
).flat();
const crowded = htmlOf(
  buildReport(
    factsOf(
      [stackExport("a", crowd)],
      roster(
        crowd.map(({ key }) => person(key, { team: "A-team-with-a-name-without-any-space-in-it" })),
        { subscriptionExpiresAt: dayAfter(5) },
      ),
      [],
      { now },
    ),
    { month: "2026-11" },
  ),
);
const everyone = [...held.map(({ key }) => key), ...hostileNames];

/** The texts that stand in `bdi`, as the browser read them. */
function namesIn(dom: string): Set<string> {
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", nbsp: "\u00a0" };
  const decoded = (text: string) => text.replaceAll(/&(lt|gt|amp|nbsp);/g, (_, name) => entities[name] ?? "");
  return new Set([...dom.matchAll(/<bdi>([^<]*)<\/bdi>/g)].map(([, text = ""]) => decoded(text)));
}

describe.skipIf(browser === undefined)("a real browser", () => {
  test("reads the report without an error, and finds everybody", async () => {
    const seen = await open(browser ?? "", page);
    expect(seen.console).toEqual([]);
    const found = namesIn(seen.dom);
    expect(everyone.filter((name) => !found.has(name))).toEqual([]);
  });

  describe.each([360, 480, 1200])("a window of %i px", (width) => {
    test.each([
      ["a report of 1,000 people", page],
      ["a report with 13 to 200 tokens a day and the end of the subscription near", crowded],
    ])("keeps the lines of %s in their cards and all labels apart", async (_title, shown) => {
      const layout = await layoutOf(browser ?? "", shown, width);
      expect(layout).toEqual({ excess: 0, outside: [], touching: [] });
    });
  });

  test("refuses and notices a script in the report, and a person who is missing", async () => {
    const row = /<tr><th scope="row"><bdi>person0@acme\.example<.*?<\/tr>/gs;
    const script = '<script>document.title = "ran"; console.error("ran")</script></main>';
    const broken = page.replaceAll(row, "").replace("</main>", () => script);
    const seen = await open(browser ?? "", broken);
    expect(seen.console).toEqual([expect.stringMatching(/Content Security Policy|script-src/)]);
    expect(seen.dom).not.toContain("<title>ran");
    const found = namesIn(seen.dom);
    expect(everyone.filter((name) => !found.has(name))).toEqual(["person0@acme.example"]);
  });
});
