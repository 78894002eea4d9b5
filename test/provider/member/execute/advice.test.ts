/** What people are told to do after a failed call: about their row and the command, or about their program's resources. */
import { describe, expect, test } from "vitest";
import { advices } from "./advice.ts";

describe("the next step of a failed call", () => {
  test.each(advices(true).map(({ what, text }) => [what, text] as const))(
    "asks a reader of a roster for nothing of a program: %s",
    (_, text) => {
      expect(text).toMatch(/^cannot .+ \(HTTP \d+, \w+ \/users\)\. \S.*\.$|^cannot .+: .+\. \S.*\.$/);
      expect(text).not.toMatch(
        /pulumi|URN|OrgUser|OrgMember|SeatAssignment|UserToken|aliases|replaceExisting|`adopt/,
      );
    },
  );

  test.each(advices(false).map(({ what, text }) => [what, text] as const))(
    "asks a reader of a program for nothing of a roster: %s",
    (_, text) => expect(text).not.toMatch(/`orgseat|user_id|\brow\b|--approve/),
  );

  test("says of each refused removal what is left, and what to do", () => {
    const refused = advices(true).filter(({ what }) => /^(revoke|remove) .*, 422$/.test(what));
    expect(new Set(refused.map(({ what }) => what)).size).toBe(3);
    for (const { text, code } of refused) {
      expect(text).toMatch(
        / is still .*\. Correct the reason that the service gives, or .* in its admin console, then run/,
      );
      expect(code).toBe("refused");
    }
  });

  test.each([
    ["add user", "lacks a membership"],
    ["issue token", "lacks a token"],
    ["renew token", "The token of .* expires as before"],
    ["revoke token", "The token of .* is still valid"],
    ["remove seat", "The seat of .* is still assigned"],
    ["remove user", "is still a member of the organization"],
  ])("says of %s after the end of the subscription what the person has", (call, text) => {
    for (const isRow of [true, false]) {
      const [ended] = advices(isRow).filter(({ what }) => what === `${call}, 402`);
      expect(ended?.text).toMatch(new RegExp(`${text}\\. Renew the organization's subscription`));
    }
  });

  test("keeps its code for both", () => {
    const codes = (isRow: boolean) => advices(isRow).map(({ what, code }) => [what, code]);
    expect(codes(true)).toEqual(codes(false));
    expect(new Set(advices(true).map(({ code }) => code)).size).toBeGreaterThan(10);
  });
});
