import { describe, expect, test } from "vitest";
import { withNames } from "../../../../sdk/automation/plan/people.ts";
import { member, plan } from "./steps.ts";

describe("the people of a plan", () => {
  test("give their names to the user ids of a message, once", () => {
    const { members } = plan(member("ada", "delete"));
    expect(withNames("the token of user id-of-ada stays.", members)).toBe(
      "the token of ada@acme.example (user id-of-ada) stays.",
    );
    const named = "the seat of ada@acme.example (user id-of-ada) stays; user id-of-bob is not known";
    expect(withNames(named, members)).toBe(named);
  });
});
