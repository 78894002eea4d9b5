import { describe, expect, test } from "vitest";
import { withNames } from "../../../command/plan/members.ts";
import { plan, row } from "./planned.ts";

describe("the people of a plan", () => {
  test("give their names to the user ids of a message, once", async () => {
    const { members } = await plan({ had: [row("ada")], has: [] });
    expect(withNames("the token of user id-of-ada stays.", members)).toBe(
      "the token of ada@acme.example (user id-of-ada) stays.",
    );
    const named = "the seat of ada@acme.example (user id-of-ada) stays; user id-of-bob is not known";
    expect(withNames(named, members)).toBe(named);
  });

  test("include the user who has still to leave after a changed address, and count once", async () => {
    const given = {
      had: [row("bob", { email: "robert@acme.example" })],
      held: (held: Parameters<NonNullable<Parameters<typeof plan>[0]["held"]>>[0]) => {
        const users = held.users.map((user) => ({
          ...user,
          address: undefined,
          id: "id-of-old",
          tokens: [],
        }));
        return { ...held, users: [...held.users, ...users] };
      },
    };
    const { members, losingAccess, removals } = await plan(given);
    expect(members.map(({ label, actions }) => [label, actions])).toEqual([
      ["robert@acme.example", ["removePrevious", "returnSeat"]],
    ]);
    expect(losingAccess.map(({ userId }) => userId)).toEqual(["id-of-bob"]);
    expect(removals).toEqual([
      { operation: "remove seat", id: "id-of-old" },
      { operation: "remove user", id: "id-of-old" },
    ]);
  });
});
