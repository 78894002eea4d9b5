import { describe, expect, test } from "vitest";
import { unread } from "../../../provider/member/observe.ts";
import type { Reason } from "../../../provider/member/step.ts";
import { stepsOf } from "../../../provider/member/steps/steps-of.ts";
import { noteText, obstacleText, unitText } from "../../../provider/member/texts.ts";
import type { Wanted } from "../../../provider/member/wanted.ts";
import { unknown } from "../../../provider/resources/unknown.ts";
import { ADA, ada, held, LOVELACE, leaver, now, token, user } from "./people.ts";
import { type PlatformName, platforms } from "./run.ts";

const lines = (platform: PlatformName, has = held([user(platform)]), wanted: Wanted = ada()) =>
  stepsOf(unread(has), wanted, now, platforms[platform]).units.map(unitText);

describe("unitText", () => {
  test("says what a run sends, in order, and why", () => {
    expect(lines("anaconda", held([], { agreed: {} }))).toEqual([
      "add (if the list of users lacks the person)",
      "assign seat",
      "issue token (expires 2027-06-30)",
    ]);
    expect(lines("basic", undefined, ada({ email: LOVELACE }))).toEqual([
      "add (the address or purpose changed)",
      [
        "revoke token (of the previous user)",
        "remove seat (of the previous user)",
        "assign seat",
        "issue token (expires 2027-06-30)",
      ].join(", then "),
      "remove from the organization (the previous user)",
    ]);
    expect(lines("anaconda", undefined, leaver)).toEqual([
      "revoke token (removed; if the user is not an administrator)",
      "revoke token (removed; any other token of the user)",
      "remove seat (removed)",
      "remove from the organization (removed)",
      "update the state only: leaving none -> true",
    ]);
  });

  test("says that a renewal keeps the value", () => {
    const earlier = token("basic", { declaredEnd: "2027-01-31T23:59:59Z", reportedEnd: undefined });
    expect(lines("basic", held([user("basic", { tokens: [earlier] })]))).toEqual([
      "renew token (value unchanged; expires 2027-06-30)",
    ]);
  });

  test("shows the old and the new value of settings", () => {
    const wanted = ada({ accessUntil: "2027-03-31T23:59:59Z", onDeleteUser: "retain", team: "Engines" });
    expect(
      lines("basic", held([user("basic")], { agreed: { ...held([]).agreed, team: "Compilers" } }), wanted),
    ).toEqual([
      "update the state only: team Compilers -> Engines",
      'update the state only: onDelete none -> {"user":"retain"}',
      "update the state only: accessUntil none -> 2027-03-31",
    ]);
  });

  test("marks what an unknown value decides", () => {
    expect(lines("basic", undefined, ada({ seat: unknown }))).toEqual([
      "may remove seat (depends on a value that is not known yet)",
    ]);
  });

  test("names an adoption", () => {
    expect(
      lines("basic", held([], { agreed: {} }), ada({ userId: "u-1", token: { replaceExisting: true } })),
    ).toEqual([
      "adopt (is already a member)",
      "assign seat (confirms the seat, and uses no second one)",
      "issue token (expires 2027-06-30), then revoke token (if the user has one), then issue token (expires 2027-06-30; if the user has one)",
    ]);
  });
});

const names = ["u-1", "t-1", "t-2"];
const since = "2026-11-26T08:00:00Z";

describe("obstacleText", () => {
  test.each<[Reason, boolean, string]>([
    [
      "protected",
      true,
      `${ADA} is protected, so nothing is taken away. To allow it, set \`protected\` to no and run once, before the change`,
    ],
    [
      "protected",
      false,
      `${ADA} is protected, so nothing is taken away. To allow it, set protected: false and run once, before the change`,
    ],
    [
      "role",
      false,
      `cannot remove ${ADA}: the role of this user is t-1. Change the role in the service, or set allowAdminRemoval: true and run once, before the removal`,
    ],
    [
      "role",
      true,
      `cannot remove ${ADA}: the role of this user is t-1. Change the role in the service before the removal`,
    ],
    [
      "userExists",
      true,
      `${ADA} is already a member, as user u-1. To adopt the membership, set \`user_id\` to this id`,
    ],
    [
      "userExists",
      false,
      `${ADA} is already a member, as user u-1. If you renamed the resource, use \`aliases\`. If \`--replace\` or a taint caused this, omit \`--replace\`, or run \`pulumi state untaint <its URN>\`. To adopt the membership, set \`adopt: "u-1"\``,
    ],
    [
      "adoptsOther",
      false,
      `${ADA} is user u-1, and \`adopt\` is user t-1. Remove it; to manage the other membership, declare a second member`,
    ],
    [
      "adoptsPrevious",
      true,
      `\`user_id\` of ${ADA} is still user u-1, the previous person. Remove it to add ${ADA} as a new member, or set it to the user id of the new person`,
    ],
    [
      "adoptsGone",
      false,
      `cannot adopt user u-1 as ${ADA}: this user was removed. Remove \`adopt\` to add a new member`,
    ],
    [
      "adoptsMissing",
      true,
      `cannot adopt user u-1 as ${ADA}: no user has this id. Correct or remove \`user_id\``,
    ],
    [
      "adoptsAnother",
      false,
      `cannot adopt user u-1 as ${ADA}: this user is t-1. Correct or remove \`adopt\``,
    ],
    [
      "tokenMissing",
      false,
      `cannot adopt the token of ${ADA}: the user has the tokens t-1, t-2. Correct or remove \`adopt\` of the token`,
    ],
    [
      "tokenAmbiguous",
      false,
      `cannot tell which token of ${ADA} is the one to manage: the user has the tokens t-1, t-2. Set \`adopt\` of the token to the id of one of them`,
    ],
    [
      "tokenUnknown",
      false,
      `${ADA} has the tokens t-1, t-2, which the state doesn't contain. An interrupted run or a person may have issued it. Revoke it in the service, or set \`adopt\` of the token to its id`,
    ],
    [
      "tokenAmbiguous",
      true,
      `cannot tell which token of ${ADA} is the one to manage: the user has the tokens t-1, t-2. Revoke all but one of them in the service`,
    ],
    [
      "tokenUnknown",
      true,
      `${ADA} has the tokens t-1, t-2, which the state doesn't contain. An interrupted run or a person may have issued it. Revoke it in the service, or write u-1 into \`user_id\` of the row, and \`token: adopt\``,
    ],
    [
      "valuePast",
      false,
      `cannot issue a token for ${ADA}: it would already be expired (t-1). Set a later date for the expiry or the subscription. Nothing was revoked`,
    ],
    [
      "datePast",
      false,
      `cannot move the expiry of the token of ${ADA} back to t-1: this date is in the past. To end the token, remove it; to keep it, set a later date`,
    ],
    [
      "noDate",
      false,
      `cannot issue a token for ${ADA}: no expiry date is known. Set the expiry, or the end of the subscription`,
    ],
    [
      "userUndecided",
      true,
      `a run at ${since} requested ${ADA} and got no answer, so the user may exist. If it does, set \`user_id\` to its id; if not, approve adding it`,
    ],
    [
      "userAmbiguous",
      false,
      `a run at ${since} requested ${ADA} and got no answer, and several users may be the new one: u-1, t-1, t-2. Set \`adopt\` to the right one`,
    ],
    [
      "pendingOther",
      false,
      `a run at ${since} requested another user for ${ADA} and got no answer. Decide about that one first: restore its address or purpose and set \`adopt\` to its id; if it does not exist, run \`pulumi up --replace <its URN>\``,
    ],
    [
      "removalUndecided",
      false,
      `a run at ${since} asked to remove user u-1 of ${ADA} and got no answer. If the user still exists, set adopt to this id; if not, approve adding a new one`,
    ],
    [
      "notInDirectory",
      true,
      `${ADA} is not in the organization, and the identity provider has to add the person first`,
    ],
  ])("words %s (roster: %s)", (reason, isRow, text) => {
    expect(obstacleText({ code: "cannot-adopt", reason, names, since }, { who: ADA, isRow })).toBe(text);
  });

  test("says that a user has no token", () => {
    const obstacle = { code: "cannot-adopt", reason: "tokenMissing", names: ["u-1"] } as const;
    expect(obstacleText(obstacle, { who: ADA })).toContain("the user has no token.");
  });
});

describe("noteText", () => {
  test.each([
    ["drift", `the service has another address for ${ADA}: u-1`],
    [
      "accessEndsSoon",
      `the access of ${ADA} ends on u-1: the first run after it takes token, seat, and membership. To extend it, write a later date`,
    ],
    [
      "renewsLater",
      `the token of ${ADA} is renewed to u-1, later than declared (t-1): a renewal extends to the end of the subscription`,
    ],
    [
      "expiresSoon",
      `the token of ${ADA} u-1, and no declared date renews it. If the subscription was renewed, write its new end`,
    ],
    [
      "unmanaged",
      `the token of ${ADA} has ended, and unmanaged tokens are live instead: u-1, t-1, t-2. Its owner may have issued them, and a new token can end them, so none is issued. To issue one nevertheless, change \`rotation\`; to adopt it without its value, set \`adopt\` of the token to its id`,
    ],
    [
      "pendingForgotten",
      `a run at u-1 requested ${ADA} and got no answer. No state has the user now: check in the service, and remove it there`,
    ],
  ] as const)("words %s", (kind, text) => {
    expect(noteText({ kind, names }, { who: ADA })).toBe(text);
  });
});
