import { describe, expect, test } from "vitest";
import { withNames } from "../../../command/plan/members.ts";
import { member, plan, step } from "./steps.ts";

describe("the people of a plan", () => {
  test("give their names to the user ids of a message, once", () => {
    const { members } = plan(member("ada", "delete"));
    expect(withNames("the token of user id-of-ada stays.", members)).toBe(
      "the token of ada@acme.example (user id-of-ada) stays.",
    );
    const named = "the seat of ada@acme.example (user id-of-ada) stays; user id-of-bob is not known";
    expect(withNames(named, members)).toBe(named);
  });

  describe("a person who was replaced under a key", () => {
    const robert = { olds: { email: "robert@acme.example" }, id: "id-of-robert" };
    const bob = { isReplaced: true, id: "id-of-bob" };
    test("counts as another person than the one who has the key now", () => {
      const { members, losingAccess, removals } = plan([
        ...member("bob", "same", robert),
        step("bob", "OrgUser", "delete", bob),
      ]);
      expect(members.map(({ label, actions }) => [label, actions])).toEqual([
        ["bob@acme.example", ["leave"]],
        ["robert@acme.example", []],
      ]);
      expect(losingAccess.map(({ userId }) => userId)).toEqual(["id-of-bob"]);
      expect(removals).toEqual([{ type: "OrgUser", id: "id-of-bob" }]);
    });
    test("counts as another one with a seat and a token that the interrupted run has left", () => {
      const id = "id-of-bob";
      const { members } = plan([
        step("bob", "OrgUser", "delete", robert),
        step("bob", "SeatAssignment", "delete", { id }),
        step("bob", "UserToken", "delete", { id }),
        step("bob", "OrgUser", "delete", bob),
      ]);
      expect(members.map(({ userId, actions }) => [userId, actions])).toEqual([
        [id, ["leave", "revokeToken", "returnSeat"]],
        ["id-of-robert", ["leave"]],
      ]);
    });
    test("counts as another one than whoever replaces the successor, who gets the seat", () => {
      const { members } = plan([
        step("bob", "OrgUser", "replace", robert),
        step("bob", "SeatAssignment", "replace", { id: "id-of-bob" }),
        step("bob", "OrgUser", "delete", bob),
      ]);
      expect(members.map(({ userId, actions }) => [userId, actions])).toEqual([
        ["id-of-bob", ["leave"]],
        ["id-of-robert", ["changeEmail", "returnSeat", "assignSeat"]],
      ]);
    });
    test("counts as the same one where the user id is the same", () => {
      const { members } = plan([
        step("bob", "OrgUser", "update"),
        step("bob", "UserToken", "delete", { isReplaced: true }),
      ]);
      expect(members.map(({ actions }) => actions)).toEqual([["revokeToken", "note"]]);
    });
  });
});
