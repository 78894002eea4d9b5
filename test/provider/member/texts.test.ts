import { describe, expect, test } from "vitest";
import { unread } from "../../../provider/member/observe.ts";
import type { Reason } from "../../../provider/member/step.ts";
import { stepsOf } from "../../../provider/member/steps/steps-of.ts";
import { noteText, obstacleText, unitText } from "../../../provider/member/texts.ts";
import type { Wanted } from "../../../provider/member/wanted.ts";
import { unknown } from "../../../provider/resources/unknown.ts";
import { ADA, ada, held, now, user } from "./people.ts";
import { type PlatformName, platforms } from "./run.ts";

const lines = (platform: PlatformName, has = held([user(platform)]), wanted: Wanted = ada()) =>
  stepsOf(unread(has), wanted, now, platforms[platform]).units.map(unitText);

describe("unitText", () => {
  // The stories of resources have the rest: test/resources/org-member.txt and others.
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

/** Of whom or what a text speaks, and the next step: of a roster, and of a program if it is another one. */
const obstacles: Readonly<Record<Reason, readonly [about: string, roster: string, program?: string]>> = {
  protected: ["nothing is taken away", "set `protected` to no and run", "set protected: false and run"],
  role: ["is t-1. ", "Change the role in the service before", "or set allowAdminRemoval: true and run once"],
  userExists: ["as user u-1.", "set `user_id` to this id", 'set `adopt: "u-1"`'],
  adoptsOther: ["is user u-1, and", "`user_id` is user t-1. Remove it", "`adopt` is user t-1. Remove it"],
  adoptsPrevious: ["is still user u-1", "`user_id` of", "`adopt` of"],
  adoptsGone: ["user u-1 as", "was removed. Remove `user_id`", "was removed. Remove `adopt`"],
  adoptsMissing: ["user u-1 as", "Correct or remove `user_id`", "Correct or remove `adopt`"],
  adoptsAnother: ["this user is t-1", "Correct or remove `user_id`", "Correct or remove `adopt`"],
  tokenMissing: ["has the tokens t-1, t-2.", "Correct or remove `adopt` of the token"],
  tokenAmbiguous: ["has the tokens t-1, t-2.", "Revoke all but one of them", "Set `adopt` of the token to"],
  tokenUnknown: [
    "has the tokens t-1, t-2,",
    "write u-1 into `user_id` of the row",
    "set `adopt` of the token",
  ],
  valuePast: ["already be expired (t-1)", "Set a later date for the expiry or the subscription"],
  datePast: ["back to t-1", "To end the token, remove it; to keep it, set a later date"],
  noDate: ["no expiry date is known", "Set the expiry, or the end of the subscription"],
  userUndecided: [`a run at ${since}`, "set `user_id` to its id; if not, approve", "--replace <its URN>`"],
  userAmbiguous: ["several users may be the new one: u-1, t-1, t-2", "Set `user_id` to", "Set `adopt` to"],
  pendingOther: [
    `a run at ${since}`,
    "set `user_id` to its id; if it does not exist, approve",
    "run `pulumi up",
  ],
  removalUndecided: ["asked to remove user u-1 of", "set `user_id` to this id", "set adopt to this id"],
  notInDirectory: ["is not in the organization", "the identity provider has to add the person first"],
};

describe("obstacleText", () => {
  test.each(Object.entries(obstacles))("says what %s is about, and the next step", (key, parts) => {
    const reason = key as Reason;
    const [about, roster, program = roster] = parts;
    const textOf = (isRow: boolean) =>
      obstacleText({ code: "cannot-adopt", reason, names, since }, { who: ADA, isRow });
    for (const text of [textOf(true), textOf(false)]) expect(text).toMatch(new RegExp(`${ADA}.*[^.]$`));
    for (const part of [about, roster]) expect(textOf(true)).toContain(part);
    for (const part of [about, program]) expect(textOf(false)).toContain(part);
    expect(textOf(true)).not.toMatch(/pulumi|URN|aliases|allowAdminRemoval|`adopt: /);
    expect(textOf(false)).not.toMatch(/`orgseat|user_id|\brow\b|--approve/);
  });

  test("says that a user has no token", () => {
    const obstacle = { code: "cannot-adopt", reason: "tokenMissing", names: ["u-1"] } as const;
    expect(obstacleText(obstacle, { who: ADA })).toContain("the user has no token.");
  });
});

describe("noteText", () => {
  test.each([
    ["drift", "has another address for", "u-1"],
    ["accessEndsSoon", "ends on u-1", "To extend it, write a later date"],
    ["renewsLater", "is renewed to u-1, later than declared (t-1)", "to the end of the subscription"],
    ["expiresSoon", "u-1, and no declared date renews it", "write its new end"],
    ["unmanaged", "are live instead: u-1, t-1, t-2.", "change `rotation`; to adopt it"],
    ["pendingForgotten", "a run at u-1 requested", "check in the service, and remove it there"],
  ] as const)("says what %s is about, and the next step", (kind, ...parts) => {
    const text = noteText({ kind, names }, { who: ADA });
    for (const part of [ADA, ...parts]) expect(text).toContain(part);
  });
});
