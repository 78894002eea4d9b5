/** docs/resources/org-member.md: what each change sends is what `stepsOf` says, on both platforms. */
import { expect, test } from "vitest";
import { observe } from "../../provider/member/observe.ts";
import { stepsOf } from "../../provider/member/steps/steps-of.ts";
import type { Wanted } from "../../provider/member/wanted.ts";
import { ada, held, LOVELACE, now, SUBSCRIPTION, token, user } from "../provider/member/people.ts";
import { type PlatformName, platforms } from "../provider/member/run.ts";
import { page, section, tableRows } from "./pages.ts";

const text = page("docs/resources/org-member.md");
const EARLIER = "2027-03-01T23:59:59Z";
const PAST = "2026-11-01T23:59:59Z";

const full = (platform: PlatformName) => held([user(platform)]);
const empty = () => held([], { left: ["u-1"] });
const without = (more: { seat?: "none" }) => (platform: PlatformName) =>
  held([user(platform, { ...more, tokens: [] })]);
const earlier = (platform: PlatformName) =>
  held([user(platform, { tokens: [token(platform, { declaredEnd: EARLIER, reportedEnd: EARLIER })] })]);
const retained = (platform: PlatformName) =>
  held([user(platform)], {
    agreed: { subscriptionExpiresAt: SUBSCRIPTION, onDelete: { user: "retain", seat: "retain" } },
  });
const rotated = { mark: "2" };

/** What is held before, and what the program wants then. */
const changes: Readonly<
  Record<string, readonly [before: (platform: PlatformName) => ReturnType<typeof held>, ...Wanted[]]>
> = {
  "new member with seat and token": [() => held([], { agreed: {} }), ada()],
  "`seat` to true": [without({ seat: "none" }), ada({ token: undefined })],
  "`token` added": [without({}), ada()],
  "`token` removed": [full, ada({ token: undefined })],
  "`token` removed, and `seat` to false": [full, ada({ token: undefined, seat: false })],
  "later `expiresAt` or `subscriptionExpiresAt`": [earlier, ada()],
  "earlier `expiresAt`": [full, ada({ token: { expiresAt: EARLIER } })],
  "`rotation` or `recipients`, or a rotation that is due": [
    full,
    ada({ token: rotated }),
    ada({ token: { recipients: ["age1x"] } }),
  ],
  "`email` or `purpose`": [full, ada({ email: LOVELACE })],
  'the same, with `onDelete: "retain"` for user and seat': [
    retained,
    ada({ email: LOVELACE, onDeleteUser: "retain", onDeleteSeat: "retain" }),
  ],
  "`accessUntil` has passed": [full, ada({ accessUntil: PAST })],
  "later `accessUntil` after that": [empty, ada({ accessUntil: "2028-01-01T00:00:00Z" })],
  "names, settings, `token.keepValue` to false": [
    full,
    ada({ firstName: "Ada" }),
    ada({ protected: true }),
    ada({ token: { keepValue: false } }),
  ],
};

/** The operations in order, without those for what nothing but a list shows. */
function operations(platform: PlatformName, before: ReturnType<typeof held>, wanted: Wanted): string {
  const { units, refused } = stepsOf(observe(before, {}), wanted, now, platforms[platform]);
  expect(refused).toEqual([]);
  const steps = units
    .flatMap((unit) => unit.steps)
    .filter(({ onlyIf = [] }) => !onlyIf.includes("eachOther"));
  return steps.flatMap(({ call }) => call ?? []).join(", ") || "none";
}

test("the table of changes has the operations of the code", () => {
  const [, ...rows] = tableRows(section(text, "Changes"));
  const expected = Object.entries(changes).map(([title, [before, ...wanted]]) => {
    const cell = (platform: PlatformName) => {
      const found = new Set(wanted.map((one) => operations(platform, before(platform), one)));
      expect(found.size, title).toBe(1);
      return [...found].join();
    };
    const [basic, anaconda] = [cell("basic"), cell("anaconda")];
    return [title, basic, basic === anaconda ? "the same" : anaconda];
  });
  expect(rows.filter(([title]) => title !== "the same, with `keepPreviousFor`")).toEqual(expected);
  expect(rows).toContainEqual([
    "the same, with `keepPreviousFor`",
    "refused",
    `${operations("anaconda", full("anaconda"), ada({ token: { ...rotated, keepPreviousFor: "7d" } }))}; later: revoke token`,
  ]);
});
