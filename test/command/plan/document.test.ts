import { describe, expect, test } from "vitest";
import {
  differenceOf,
  type PlanOrigin,
  parsePlan,
  planDocument,
  shortDigest,
} from "../../../command/plan/document.ts";
import { changedPlan } from "../../../command/plan/guards/violation.ts";
import type { Properties, Step } from "../../../command/plan/steps/steps.ts";
import { UNKNOWN_MARKER } from "../../../provider/resources/unknown.ts";
import { member, ORGANIZATION, origin, plan, step } from "./steps.ts";

function documentOf(steps: readonly Step[], more: Partial<PlanOrigin> = {}) {
  return planDocument({ ...origin, ...more }, plan(steps).entries, { people: "2026-11-22T00:00:00Z" });
}

/** Before the time of the plan. */
const PAST = "2026-01-31T23:59:59Z";
const FUTURE = "2027-01-31T23:59:59Z";

function withRecipient(recipient: string): Step {
  return step("ada", "UserToken", "create", { news: { userId: "id-of-ada", recipients: [recipient] } });
}

describe("the document of a plan", () => {
  test("contains one entry for each operation, with its facts", () => {
    const { entries } = documentOf([...member("ada", "delete"), step("bob", "UserToken", "replace")]);
    expect(entries.map(({ key, operation, id }) => [key, operation, id])).toEqual(
      expect.arrayContaining([
        ["ada", "revoke token", "id-of-ada"],
        ["ada", "remove seat", "id-of-ada"],
        ["ada", "remove user", "id-of-ada"],
        ["bob", "revoke token", "id-of-bob"],
        ["bob", "issue token", null],
      ]),
    );
    expect(entries).toHaveLength(5);
  });

  const token = (action: Step["action"], news: Properties, olds: Properties = {}) =>
    step("ada", "UserToken", action, { news, olds });
  const later = { expiresAt: FUTURE, validUntil: FUTURE };
  test.each<[string, Step, string[]]>([
    ["a new token", token("create", { expiresAt: PAST }), ["refuse new token"]],
    ["a token of a new subscription", token("create", { subscriptionExpiresAt: PAST }), ["refuse new token"]],
    ["a changed email's token", token("replace", { expiresAt: PAST }), ["revoke token", "refuse new token"]],
    [
      "a token whose date moves into the past",
      token("update", { expiresAt: PAST }, later),
      ["refuse expiry"],
    ],
    ["a token with an unknown date", token("create", { expiresAt: UNKNOWN_MARKER }), ["issue token"]],
    ["an adopted token", token("create", { expiresAt: PAST, adopt: true }), ["adopt token"]],
  ])("says whether %s can be issued, by its date", (_, given, operations) => {
    const { entries } = documentOf([given]);
    expect(entries.map(({ operation }) => operation).toSorted()).toEqual(operations.toSorted());
    const approved = plan([given]).approvedChanges.flatMap((change) => change.operations);
    const isRefused = operations.includes("refuse new token");
    expect(isRefused && approved.includes("issue token")).toBe(false);
  });

  test("stays the same after it was written and read", () => {
    const document = documentOf(member("ada", "create"));
    expect(parsePlan(JSON.stringify(document))).toEqual(document);
  });

  test("refuses a file that was edited", () => {
    const text = JSON.stringify(documentOf(member("ada", "delete")));
    expect(() => parsePlan(text.replace("remove seat", "assign seat"))).toThrow("the file was edited");
    expect(() => parsePlan(text.replace(ORGANIZATION, "another"))).toThrow("the file was edited");
  });

  test("keeps its digest at another time, in another order of the steps, and with other versions of the states", () => {
    const steps = [...member("ada", "delete"), ...member("bob", "create")];
    const { digest } = documentOf(steps);
    expect(documentOf(steps.toReversed()).digest).toBe(digest);
    expect(documentOf(steps, { time: "2026-11-24T00:00:00Z" }).digest).toBe(digest);
    expect(planDocument(origin, plan(steps).entries, {}).digest).toBe(digest);
    expect(shortDigest({ digest })).toMatch(/^[0-9a-f]{12}$/);
  });

  test.each([
    ["recipient", documentOf([withRecipient("age1a")]), documentOf([withRecipient("age1b")])],
    ["backend", documentOf([]), documentOf([], { backend: "s3://other" })],
    ["override", documentOf([]), documentOf([], { approve: "0123456789abcdef@2026-11-24T00:00:00Z" })],
    ["organization", documentOf([]), documentOf([], { organizationId: "o2" })],
  ])("gets another digest with a changed %s", (_what, one, other) => {
    expect(one.digest).not.toBe(other.digest);
  });
});

describe("the difference of two plans", () => {
  const approved = documentOf([...member("ada", "delete"), withRecipient("age1a")]);

  test("finds nothing between equal plans", () => {
    expect(differenceOf(approved, documentOf([...member("ada", "delete"), withRecipient("age1a")]))).toBe(
      undefined,
    );
    expect(changedPlan(approved, approved)).toEqual([]);
    expect(changedPlan(undefined, approved)).toEqual([]);
  });

  test("names the entries that were added, changed, or are missing", () => {
    const now = documentOf([...member("bob", "delete"), withRecipient("age1b")]);
    const difference = differenceOf(approved, now);
    expect(difference?.added.map(({ key }) => key)).toEqual(["bob", "bob", "bob"]);
    expect(difference?.changed.map(({ operation }) => operation)).toEqual(["issue token"]);
    expect(difference?.missing.map(({ operation }) => operation).toSorted()).toEqual([
      "remove seat",
      "remove user",
      "revoke token",
    ]);
    const [violation] = changedPlan(approved, now);
    expect(violation?.text).toMatch(
      /^the plan changed since its approval: 7 entries\. Approved: [0-9a-f]{12}\./,
    );
    expect(violation?.details).toContain("added: bob@acme.example: remove user");
  });

  test("names what else differs", () => {
    const [violation] = changedPlan(documentOf([]), documentOf([], { backend: "s3://other" }));
    expect(violation?.text).toContain("the plan changed since its approval: different backend.");
  });
});
