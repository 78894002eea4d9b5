/** How many managed people a list of users may lack and still show that they are gone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../provider/api/calls/errors.ts";
import type { ListedUser } from "../../provider/api/schemas/anaconda-schemas.ts";
import { doubtOf } from "../../provider/resources/members/lacking.ts";
import { removalLimit } from "../../provider/resources/members/removal.ts";
import { requireRights, witnessIn } from "../../provider/resources/members/rights.ts";

const admin = { id: "u0", email: "Admin@acme.example", role: "admin", subscriptions: [] };
const member = (id: string): ListedUser => ({
  id,
  email: `${id}@acme.example`,
  role: "member",
  subscriptions: [],
});

const root = { administrator: "root@acme.example" };

describe("a list that lacks managed people", () => {
  test.each([
    ["nobody is missing", 0, 25, {}, undefined],
    ["3 of 4 are missing", 3, 4, {}, undefined],
    ["4 of 4 are missing", 4, 4, {}, "it has 1 user and lacks 4 people of the state (limit 3: 20%, at least"],
    ["5 of 25 are missing", 5, 25, {}, undefined],
    ["6 of 25 are missing", 6, 25, {}, "(limit 5: 20%, at least 3, at most 25)"],
    ["26 of 5,000 are missing", 26, 5000, {}, "lacks 26 people of the state (limit 25: "],
    ["the user allows as many", 25, 25, { most: 25 }, undefined],
    ["the user allows none", 1, 25, { most: 0 }, "lacks 1 person of the state (limit 0: set for this run)"],
    ["the administrator is there", 1, 25, { administrator: "admin@ACME.example" }, undefined],
    [
      "the administrator is missing too",
      1,
      25,
      root,
      "lacks 1 person of the state, and root@acme.example, the",
    ],
    ["only the administrator is missing", 0, 25, root, undefined],
  ])("shows that they are gone, or nothing: %s", (_, missing, managed, more, doubt) => {
    expect(doubtOf([admin], { missing, managed, ...more })).toEqual(
      doubt === undefined ? undefined : expect.stringContaining(doubt),
    );
  });

  test("shows nothing exactly above the removal limit", () => {
    fc.assert(
      fc.property(fc.nat({ max: 300 }), fc.nat({ max: 300 }), (missing, others) => {
        const managed = missing + others;
        expect(doubtOf([admin], { missing, managed }) !== undefined).toBe(missing > removalLimit(managed));
      }),
    );
  });
});

describe("a service account", () => {
  const refuse = (status: number) => async () => {
    throw new ApiError({
      code: "refused",
      status,
      call: "list tokens",
      method: "GET",
      path: "/x",
      reason: "x",
    });
  };

  test("passes where the service knows a user whom it lists", async () => {
    await requireRights("acme", admin, async () => []);
  });

  test.each([404, 422])("fails where a listed user is answered with HTTP %i", async (status) => {
    const failure = requireRights("acme", admin, refuse(status));
    await expect(failure).rejects.toThrow(
      "the service answers that there is no user Admin@acme.example, whom it lists",
    );
    // Another limit changes nothing about it.
    await expect(failure).rejects.not.toThrow("ORGSEAT_MAX_REMOVALS");
  });

  test("proves nothing where the answer is another failure", async () => {
    await expect(requireRights("acme", admin, refuse(500))).rejects.toThrow(/HTTP 500/);
  });

  test("counts by a member who stays, otherwise by an administrator", () => {
    const users = [admin, member("u1"), member("u2")];
    expect(witnessIn(users)?.id).toBe("u1");
    expect(witnessIn(users, ({ id }) => id !== "u1")?.id).toBe("u2");
    expect(witnessIn(users, () => false)?.id).toBe("u0");
  });
});
