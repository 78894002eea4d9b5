/** The rules of the policies, by the inputs that Pulumi shows a policy. */
import { describe, expect, test } from "vitest";
import { tooLong, unprotected, unprotectedMember, unsealed } from "../../../sdk/policies/rules.ts";

const KEY = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";

describe("the policy of sealed tokens", () => {
  test.each([
    { recipients: [KEY] },
    { keepValue: false },
    { adopt: "0193" },
    { adopt: true, recipients: [KEY] },
  ])("accepts %j", (inputs) => {
    expect(unsealed(inputs)).toBeUndefined();
  });

  test.each([
    {},
    { keepValue: true },
    // Issues a token if none exists.
    { adopt: true },
    // The rotation gives it a value.
    { adopt: "0193", rotateEvery: "90d" },
  ])("refuses %j", (inputs) => {
    expect(unsealed(inputs)).toMatch(/unsealed\. Set `recipients`, or `keepValue: false`$/);
  });
});

describe("the policy of the life of a token", () => {
  const now = Date.parse("2026-06-01T00:00:00Z");

  test.each([
    { rotateEvery: "90d" },
    { rotateEvery: "83d", keepPreviousFor: "7d" },
    { rotateEvery: "30d", expiresAt: "3650d" },
    { expiresAt: "2026-08-30T00:00:00Z" },
    { expiresAt: "2026-07-30T00:00:00Z", expirationToleranceMonths: 1 },
  ])("accepts %j", (inputs) => {
    expect(tooLong(inputs, 90, now)).toBeUndefined();
  });

  test.each([
    {},
    { rotateEvery: "91d" },
    { rotateEvery: "84d", keepPreviousFor: "7d" },
    // Each renewal begins the period again, and keeps the value.
    { expiresAt: "30d" },
    { expiresAt: "2026-08-30T00:00:01Z" },
    { expiresAt: "2026-07-31T00:00:00Z", expirationToleranceMonths: 1 },
    { expiresAt: "2026-07-01T00:00:00Z", renewBefore: "7d" },
    { expiresAt: "an unreadable date" },
    { rotateEvery: "an unreadable period" },
  ])("refuses %j", (inputs) => {
    expect(tooLong(inputs, 90, now)).toMatch(/longer than 90 days\. Set `rotateEvery`/);
  });
});

describe("the policy of protected members", () => {
  const emails = ["Ada@acme.example"];

  test("accepts a protected one, another one, and a machine user", () => {
    expect(unprotected({ email: "ada@acme.example" }, true, emails)).toBeUndefined();
    expect(unprotected({ email: "grace@acme.example" }, false, emails)).toBeUndefined();
    expect(unprotected({ purpose: "Linux builds" }, false, emails)).toBeUndefined();
  });

  test("refuses a listed one in any letter case", () => {
    expect(unprotected({ email: "ADA@acme.example" }, false, emails)).toBe(
      "ADA@acme.example needs the option `protect: true`",
    );
  });

  test.each([
    { inputs: { protected: true }, option: true, missing: undefined },
    { inputs: { protected: true }, option: false, missing: "the option `protect: true`" },
    {
      inputs: {},
      option: true,
      missing: "the input `protected: true` too: the option `protect` guards against deletion alone",
    },
    {
      inputs: { protected: false },
      option: false,
      missing: "the option `protect: true` and the input `protected: true`",
    },
  ])("says what an OrgMember with $inputs and protect: $option lacks", ({ inputs, option, missing }) => {
    const found = unprotectedMember({ email: "ada@acme.example", ...inputs }, option, emails);
    expect(found).toBe(missing && `ada@acme.example needs ${missing}`);
    expect(unprotectedMember({ email: "grace@acme.example", ...inputs }, option, emails)).toBeUndefined();
    expect(unprotectedMember({ purpose: "Linux builds", ...inputs }, option, emails)).toBeUndefined();
  });
});
