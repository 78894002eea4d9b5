import { describe, expect, test } from "vitest";
import {
  differenceOf,
  type PlanOrigin,
  parsePlan,
  planDocument,
  shortDigest,
} from "../../../command/plan/document.ts";
import { changedPlan } from "../../../command/plan/guards/violation.ts";
import type { Plan } from "../../../command/plan/plan.ts";
import type { RosterPerson } from "../../../command/roster/roster.ts";
import { ORGANIZATION, origin, plan, row } from "./planned.ts";

function documentOf({ entries }: Pick<Plan, "entries">, more: Partial<PlanOrigin> = {}) {
  return planDocument({ ...origin, ...more }, entries, "2026-11-22T00:00:00Z");
}

/** Before the time of the plan. */
const PAST = "2026-01-31T23:59:59Z";
const KEYS = [
  "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl",
  "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg",
] as const;

const none = await plan({});
const [ada, bob] = [row("ada"), row("bob")];
const leaving = await plan({ had: [ada], has: [] });
const both = await plan({ had: [ada], has: [bob] });
const withRecipient = (key: string) => plan({ has: [row("cy", { recipients: [key] })] });

describe("the document of a plan", async () => {
  const [one, other] = [await withRecipient(KEYS[0]), await withRecipient(KEYS[1])];

  test("contains one entry for each operation, with its facts", async () => {
    const rotated = row("bob", { rotation: "2026-11-20" });
    const { entries } = documentOf(await plan({ had: [ada, bob], has: [rotated] }));
    expect(entries.map(({ key, operation, id }) => [key, operation, id]).toSorted()).toEqual([
      ["ada", "remove seat", "id-of-ada"],
      ["ada", "remove user", "id-of-ada"],
      ["ada", "revoke token", "id-of-ada"],
      ["bob", "issue token", "id-of-bob"],
      ["bob", "revoke token", "id-of-bob"],
    ]);
  });

  test.each<[string, Partial<RosterPerson> | undefined, Partial<RosterPerson>, string[]]>([
    ["a new token", undefined, { expires: PAST }, ["add user", "assign seat", "refuse new token"]],
    ["a rotated token", {}, { expires: PAST, rotation: "2" }, ["refuse new token"]],
    ["a token whose date moves into the past", {}, { expires: PAST }, ["refuse expiry"]],
  ])("says that the date of %s has passed, and sends nothing for it", async (_, had, has, operations) => {
    const rows = { had: had === undefined ? [] : [row("ada", had)], has: [row("ada", has)] };
    const { entries } = await plan({ ...rows, platform: "anaconda" });
    expect(entries.map(({ operation }) => operation)).toEqual(expect.arrayContaining(operations));
    const sent = entries.flatMap(({ operation }) =>
      /^(issue|revoke|renew) /.test(operation) ? [operation] : [],
    );
    expect(sent).toEqual([]);
  });

  test("stays the same after it was written and read", () => {
    const document = documentOf(both);
    expect(parsePlan(JSON.stringify(document))).toEqual(document);
  });

  test("refuses a file that was edited", () => {
    const text = JSON.stringify(documentOf(leaving));
    expect(() => parsePlan(text.replace("remove seat", "assign seat"))).toThrow("the file was edited");
    expect(() => parsePlan(text.replace(ORGANIZATION, "another"))).toThrow("the file was edited");
  });

  test("keeps its digest at another time, in another order of the entries, and with another version of the state", () => {
    const { digest } = documentOf(both);
    expect(documentOf({ entries: both.entries.toReversed() }).digest).toBe(digest);
    expect(documentOf(both, { time: "2026-11-24T00:00:00Z" }).digest).toBe(digest);
    expect(planDocument(origin, both.entries, null).digest).toBe(digest);
    expect(shortDigest({ digest })).toMatch(/^[0-9a-f]{12}$/);
  });

  test.each([
    ["recipient", documentOf(one), documentOf(other)],
    ["backend", documentOf(none), documentOf(none, { backend: "s3://other" })],
    ["override", documentOf(none), documentOf(none, { approve: "0123456789abcdef@2026-11-24T00:00:00Z" })],
    ["organization", documentOf(none), documentOf(none, { organizationId: "o2" })],
    ["pending person", documentOf(none), documentOf(none, { pending: ["ada"] })],
    ["member who is gone", documentOf(none), documentOf(none, { gone: ["u1"] })],
  ])("gets another digest with a changed %s", (_what, one, other) => {
    expect(one.digest).not.toBe(other.digest);
  });
});

describe("the difference of two plans", () => {
  const sealed = (key: string) => row("cy", { recipients: [key] });
  const of = async (leaver: string, key: string) =>
    documentOf(await plan({ had: [row(leaver)], has: [sealed(key)] }));

  test("finds nothing between equal plans", async () => {
    const approved = await of("ada", KEYS[0]);
    expect(differenceOf(approved, await of("ada", KEYS[0]))).toBe(undefined);
    expect(changedPlan(approved, approved)).toEqual([]);
    expect(changedPlan(undefined, approved)).toEqual([]);
  });

  test("names the entries that were added, changed, or are missing", async () => {
    const approved = await of("ada", KEYS[0]);
    const now = await of("bob", KEYS[1]);
    const removal = ["remove seat", "remove user", "revoke token"];
    const difference = differenceOf(approved, now);
    expect(difference?.added.map(({ key }) => key)).toEqual(["bob", "bob", "bob"]);
    expect(difference?.missing.map(({ operation }) => operation).toSorted()).toEqual(removal);
    const changed = difference?.changed.map(({ key, operation }) => [key, operation]);
    expect(changed).toContainEqual(["cy", "issue token"]);
    expect(new Set(changed?.map(([key]) => key))).toEqual(new Set(["cy"]));
    const [violation] = changedPlan(approved, now);
    expect(violation?.text).toMatch(
      /^the plan changed since its approval: \d+ entries\. Approved: [0-9a-f]{12}\./,
    );
    expect(violation?.details).toContain("added: bob@acme.example: remove user");
  });

  test("names what else differs", () => {
    const [violation] = changedPlan(documentOf(none), documentOf(none, { backend: "s3://other" }));
    expect(violation?.text).toContain("the plan changed since its approval: different backend.");
  });
});
