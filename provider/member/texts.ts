/** How steps, refusals, waits, and notes are worded: the only place. Pure. */
import { shortInstant } from "../util/instants.ts";
import { shortList } from "../util/text.ts";
import {
  type Call,
  type Cause,
  type Condition,
  type Note,
  type Obstacle,
  type Reason,
  type Step,
  takesSomething,
  type Unit,
  type ValueChange,
} from "./step.ts";

/** What texts need to know about the member. */
export interface Named {
  /** The email, or the purpose. */
  readonly who: string;
  /** Whether the member is a row of a roster: next steps are then about its columns. */
  readonly isRow?: boolean;
}

const verbs: Readonly<Record<Call, string>> = {
  "add user": "add",
  "assign seat": "assign seat",
  "issue token": "issue token",
  "renew token": "renew token",
  "revoke token": "revoke token",
  "remove seat": "remove seat",
  "remove user": "remove from the organization",
};

const causes: Readonly<Partial<Record<Cause, string>>> = {
  missing: "new, or not done by an earlier run",
  goneInService: "the earlier user is gone",
  adopted: "adopted",
  unconfirmed: "confirms the seat, and uses no second one",
  address: "the address or purpose changed",
  notWanted: "not wanted any more",
  leaving: "removed",
  accessEnded: "the access has ended",
  mark: "rotation changed",
  recipients: "recipients changed, and only a new value can be stored in the new form",
  keepValue: "keepValue changed, and only a new value can be stored",
  schedule: "due by the rotation rule",
  newSchedule: "due by the changed rotation rule",
  lost: "its value is lost",
  shortened: "the expiry moves back, but a renewal can only extend a token",
  keptTimeOver: "its time beside the new one is over",
  observed: "the service shows another state",
  unknown: "depends on a value that is not known yet",
};

const conditions: Readonly<Partial<Record<Condition, string>>> = {
  conflict: "if the user has one",
  isMember: "if the user is not an administrator",
  notListed: "if the list of users lacks the person",
  listed: "if the list of users has the user",
  eachOther: "any other token of the user",
  noOtherToken: "if the user has no other token",
};

/** One step in a plan, such as `renew token (value unchanged; expires 2027-06-30)`. */
export function stepText(step: Step): string {
  const { call, onlyIf = [], isPossible } = step;
  const what = call === undefined ? changeText(step) : verbs[call];
  const until = step.target?.until;
  const details = [
    ...(call === "renew token" ? ["value unchanged"] : []),
    ...(until !== undefined ? [`expires ${shortInstant(until)}`] : []),
    ...(call === undefined ? [] : [causeText(step)].filter((text) => text !== undefined)),
    ...onlyIf.flatMap((one) => conditions[one] ?? []),
  ];
  const may = isPossible === true ? "may " : "";
  return details.length === 0 ? `${may}${what}` : `${may}${what} (${details.join("; ")})`;
}

/** What a changed address takes away is the previous user's, whom the name of the member no longer means. */
function causeText(step: Step): string | undefined {
  const { call, cause } = step;
  if (cause !== "address" || !takesSomething(step)) return causes[cause];
  return call === "remove user" ? "the previous user" : "of the previous user";
}

/** The steps of a unit in one line. */
export function unitText({ steps }: Unit): string {
  return steps.map(stepText).join(", then ");
}

function changeText({ changes = [], cause, effect }: Step): string {
  if (effect?.do === "forget") return `update the state only: no longer manage user ${effect.user}`;
  if (cause === "adopted") return "adopt (is already a member)";
  if (cause === "observed") return "note what the service shows";
  // Of names, the state has a mark alone.
  const texts = changes.map(({ what, from, to }) =>
    what === "names" ? what : `${what} ${valueText(from)} -> ${valueText(to)}`,
  );
  return texts.length === 0 ? "update the state only" : `update the state only: ${texts.join(", ")}`;
}

function valueText(value: ValueChange["from"]): string {
  if (value === undefined) return "none";
  if (typeof value === "string") return shortInstant(value);
  return JSON.stringify(value);
}

/** For a user whom the program may have as a resource of another name, or as the one that Pulumi replaces. */
export const IF_DECLARED =
  "If you renamed the resource, use `aliases`. If `--replace` or a taint caused this, omit `--replace`, or run `pulumi state untaint <its URN>`.";

/** For a creation in a program that got no answer. */
export const DECIDE =
  "Where the service lists users, `pulumi up --refresh` settles it. Otherwise check in the service whether the user exists: if so, set `adopt` to its id; if not, run `pulumi up --replace <its URN>`, which adds it";

/** For one of a roster. */
export const DECIDE_IN_ROSTER =
  "If it exists, write its user id into `user_id` of the row. If not, approve adding it: `orgseat preview` prints the value for --approve.";

type Wording = (obstacle: Obstacle, named: Named) => string;

const reasons: Readonly<Record<Reason, Wording>> = {
  protected: (_, { who, isRow }) =>
    `${who} is protected, so nothing is taken away. To allow it, set ${isRow ? "`protected` to no" : "protected: false"} and run once, before the change`,
  role: ({ names = [] }, { who, isRow }) =>
    `cannot remove ${who}: the role of this user is ${names[1]}. Change the role in the service${isRow ? "" : ", or set allowAdminRemoval: true and run once,"} before the removal`,
  userExists: ({ names = [] }, { who, isRow }) =>
    `${who} is already a member, as user ${names[0]}. ${isRow ? "" : `${IF_DECLARED} `}To adopt the membership, set ${isRow ? "`user_id` to this id" : `\`adopt: "${names[0]}"\``}`,
  adoptsOther: ({ names = [] }, { who, isRow }) =>
    `${who} is user ${names[0]}, and ${adopts(isRow)} is user ${names[1]}. Remove it; to manage the other membership, declare a second member`,
  adoptsPrevious: ({ names = [] }, { who, isRow }) =>
    `${adopts(isRow)} of ${who} is still user ${names[0]}, the previous person. Remove it to add ${who} as a new member, or set it to the user id of the new person`,
  adoptsGone: ({ names = [] }, { who, isRow }) =>
    `cannot adopt user ${names[0]} as ${who}: this user was removed. Remove ${adopts(isRow)} to add a new member`,
  adoptsMissing: ({ names = [] }, { who, isRow }) =>
    `cannot adopt user ${names[0]} as ${who}: no user has this id. Correct or remove ${adopts(isRow)}`,
  adoptsAnother: ({ names = [] }, { who, isRow }) =>
    `cannot adopt user ${names[0]} as ${who}: ${names[1] === undefined ? "the list of users shows no email of this user" : `this user is ${names[1]}`}. Correct or remove ${adopts(isRow)}`,
  tokenMissing: ({ names = [] }, { who }) =>
    `cannot adopt the token of ${who}: the user has ${listedTokens(names)}. Correct or remove \`adopt\` of the token`,
  tokenAmbiguous: ({ names = [] }, { who, isRow }) =>
    `cannot tell which token of ${who} is the one to manage: the user has ${listedTokens(names)}. ${isRow ? "Revoke all but one of them in the service" : "Set `adopt` of the token to the id of one of them"}`,
  tokenUnknown: ({ names = [] }, { who, isRow }) =>
    `${who} has ${listedTokens(names)}, which the state doesn't contain. An interrupted run or a person may have issued it. Revoke it in the service, or ${isRow ? `write ${names[0]} into \`user_id\` of the row, and \`token: adopt\`` : "set `adopt` of the token to its id"}`,
  valuePast: ({ names = [] }, { who }) =>
    `cannot issue a token for ${who}: it would already be expired (${names[1]}). Set a later date for the expiry or the subscription. Nothing was revoked`,
  datePast: ({ names = [] }, { who }) =>
    `cannot move the expiry of the token of ${who} back to ${names[1]}: this date is in the past. To end the token, remove it; to keep it, set a later date`,
  noDate: (_, { who }) =>
    `cannot issue a token for ${who}: no expiry date is known. Set the expiry, or the end of the subscription`,
  userUndecided: ({ since }, { who, isRow }) =>
    `a run at ${since} requested ${who} and got no answer, so the user may exist. ${isRow ? "If it does, set `user_id` to its id; if not, approve adding it" : DECIDE}`,
  userAmbiguous: ({ since, names = [] }, { who, isRow }) =>
    `a run at ${since} requested ${who} and got no answer, and ${names.length === 1 ? "this user" : "several users"} may be the new one: ${names.join(", ")}. Set ${adopts(isRow)} to the right one`,
  pendingOther: ({ since }, { who, isRow }) =>
    `a run at ${since} requested another user for ${who} and got no answer. Decide about that one first: restore its address or purpose and set ${adopts(isRow)} to its id; if it does not exist, ${isRow ? "approve that" : "run `pulumi up --replace <its URN>`"}`,
  removalUndecided: ({ since, names = [] }, { who, isRow }) =>
    `a run at ${since} asked to remove user ${names[0]} of ${who} and got no answer. If the user still exists, set ${isRow ? "`user_id`" : "adopt"} to this id; if not, approve adding a new one`,
  notInDirectory: (_, { who }) =>
    `${who} is not in the organization, and the identity provider has to add the person first`,
};

/** Why something is not done, and what to do. */
export function obstacleText(obstacle: Obstacle, named: Named): string {
  return reasons[obstacle.reason](obstacle, named);
}

/** Whether it is about the user whom the member has, who can have another name than the wanted one. */
export function isAboutHeldUser({ reason }: Obstacle): boolean {
  return reason === "protected" || reason === "role";
}

function adopts(isRow: boolean | undefined): string {
  return isRow === true ? "`user_id`" : "`adopt`";
}

function listedTokens([, ...tokens]: readonly string[]): string {
  return tokens.length === 0 ? "no token" : `the tokens ${tokens.join(", ")}`;
}

const notes: Readonly<Record<Note["kind"], (note: Note, named: Named) => string>> = {
  drift: ({ names = [] }, { who }) => `the service has another address for ${who}: ${names[0]}`,
  accessEndsSoon: ({ names: [end = ""] = [] }, { who }) =>
    `the access of ${who} ends on ${shortInstant(end)}: the first run after it takes token, seat, and membership. To extend it, write a later date`,
  renewsLater: ({ names = [] }, { who }) =>
    `the token of ${who} is renewed to ${names[0]}, later than declared (${names[1]}): a renewal extends to the end of the subscription`,
  expiresSoon: ({ names = [] }, { who }) =>
    `the token of ${who} ${names[0]}, and no declared date renews it. If the subscription was renewed, write its new end`,
  unmanaged: ({ user, names = [] }, { who, isRow }) =>
    `the token of ${who} has ended, and ${names.length === 1 ? `an unmanaged token is` : "unmanaged tokens are"} live instead: ${shortList(names)}. Its owner may have issued ${names.length === 1 ? "it" : "them"}, and a new token can end ${names.length === 1 ? "it" : "them"}, so none is issued. To issue one nevertheless, ${isRow ? "run `orgseat rotate` for this person" : "change `rotation`"}; to adopt it without its value, ${isRow ? `write ${user} into \`user_id\` of the row, and \`token: adopt\`` : "set `adopt` of the token to its id"}`,
  pendingForgotten: ({ names = [] }, { who }) =>
    `a run at ${names[0]} requested ${who} and got no answer. No state has the user now: check in the service, and remove it there`,
};

export function noteText(note: Note, named: Named): string {
  return notes[note.kind](note, named);
}
