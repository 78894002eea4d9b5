/** The rows of the table of steps: what is held and wanted, what lists show, and the steps on each platform. */
import {
  type Held,
  type HeldToken,
  type HeldUser,
  markOf,
  REVOCATION,
} from "../../../provider/member/held.ts";
import type { Seen, SeenUser, Wanted, WantedToken } from "../../../provider/member/wanted.ts";
import { unknown } from "../../../provider/resources/unknown.ts";
import { ADA, ada, held, LOVELACE, leaver, NOW, REF, SUBSCRIPTION, token, user } from "./people.ts";
import type { PlatformName } from "./run.ts";
import { rowsIn } from "./table.ts";

type HeldOf = (platform: PlatformName) => Held;
/** What is held and wanted; and what is read, or that the service of the test does not contain what is held. */
type Given = readonly [held: HeldOf, wanted: Wanted, more?: Seen | "not run"];

export interface Case {
  readonly title: string;
  readonly held: HeldOf;
  readonly wanted: Wanted;
  /** Undefined: nothing is read. */
  readonly seen?: Seen | undefined;
  /** The steps in short, on basic and on anaconda. */
  readonly basic: string;
  readonly anaconda: string;
  /** Whether the service of the test contains what is held, so that the steps can be executed. */
  readonly isRun: boolean;
}

const end = SUBSCRIPTION;
const EARLIER = "2027-03-01T23:59:59Z";
const PAST = "2026-11-01T23:59:59Z";
const LONG_AGO = "2024-01-01T00:00:00Z";
const empty = { seat: "none", tokens: [] } as const;
const lacks = { hasSeat: false, tokens: [] };
const bot = { email: null, firstName: "Builds" };
const several = { tokens: [{ id: "t-1" }, { id: "t-2" }] };
const lovelace = { address: markOf(REF, LOVELACE) };
const retains = { onDeleteUser: "retain", onDeleteSeat: "retain" } as const;
const deleted = { onDelete: { user: "delete" } };
const offboarded = { leaving: true, removal: "delete" } as const;
const settings = {
  ...{ key: "ada", firstName: "Ada", team: "Engines", accessUntil: "2027-06-01T23:59:59Z", protected: true },
  token: { rotateEvery: "3000d", keepPreviousFor: "7d", renewBefore: "30d" },
};

const nothing = () => held([], { agreed: {} });
const one = (more: Partial<HeldUser> = {}, agreed = {}) => {
  return (platform: PlatformName) =>
    held([user(platform, more)], { agreed: { subscriptionExpiresAt: SUBSCRIPTION, ...agreed } });
};
/** With another token. */
const holding = (more: Partial<HeldToken>, agreed = {}) => {
  return (platform: PlatformName) => one({ tokens: [token(platform, more)] }, agreed)(platform);
};
const full = one();
/** A live token that no state has, since the own one ended. */
const ended = (platform: PlatformName) =>
  one({ tokens: [], unmanaged: { live: [{ id: "t-9", end: SUBSCRIPTION }], instead: token(platform) } })(
    platform,
  );
const changed = (more: Partial<Extract<Wanted, { email?: unknown }>> = {}) =>
  ada({ email: LOVELACE, ...more });
const coming = (more: Partial<HeldUser> = {}): HeldUser => ({
  ...user("basic", { id: "u-2", ...lovelace, ...empty, coming: true }),
  ...more,
});
const two =
  (old: Partial<HeldUser>, fresh: Partial<HeldUser> = {}) =>
  () =>
    held([user("basic", { ...empty, ...old }), coming(fresh)]);
const listed = (more: Partial<SeenUser> = {}): SeenUser => ({
  ...{ id: "u-1", email: ADA, role: "member", hasSeat: true, tokens: [{ id: "t-1", end: SUBSCRIPTION }] },
  ...more,
});
const lists = (...users: readonly SeenUser[]): Seen => ({ users });
const retained = { onDelete: { user: "retain", seat: "retain" } } as const;
const machine = { purpose: markOf(REF, "Builds"), address: undefined } as const;
const builds = (purpose = "Builds") => ada({ email: undefined, purpose });
const pending =
  (more = {}) =>
  () =>
    held([], { pending: { since: PAST, address: markOf(REF, ADA), ...more } });
const pendingMachine = (more = {}) =>
  pending({ address: undefined, purpose: markOf(REF, "Builds"), ...more });
const none = (more: Partial<Held>) => () => held([], more);
const bare = ada({ seat: false, token: undefined });
const seated = ada({ token: undefined });
const wants = (token: Partial<WantedToken>) => ada({ token });
const adopts = (token: Partial<WantedToken> | undefined) => ada({ userId: "u-1", token });
/** With an earlier token beside the own one. */
const kept = (endsAfter: string, more: Partial<HeldToken> = {}) =>
  one({ tokens: [token("anaconda", { id: "t-2", ...more }), token("anaconda", { endsAfter })] });
const unnamed = (more: Partial<HeldToken>) => one({ tokens: [token("basic", more)] });
const ends = (at: string) => ({ declaredEnd: at, reportedEnd: at });
const shows = (...users: readonly Partial<SeenUser>[]) => lists(...users.map(listed));

const table = rowsIn<Given>`
  // nothing | person; with seat; with seat and token
  adds a person: ${[nothing, bare]} 5 · ~subscriptionExpiresAt | 5? · ~subscriptionExpiresAt
  adds a person with a seat:
    ${[nothing, seated]} 5 · 6n · ~subscriptionExpiresAt | 5? · 6n · ~subscriptionExpiresAt
  adds a person with a seat and a token: ${[nothing, ada()]} 5 · 6n · 7n | 5? · 6n · 7n
  adds a machine user: ${[nothing, builds()]} 5 · 6n · 7n | 5? · 6n · 7n
  adds whom the list lacks: ${[nothing, ada(), shows()]} 5 · 6n · 7n
  refuses whom the list has: ${[nothing, ada(), shows({})]} refused userExists
  takes over whom an interrupted run added, and replaces the lost token:
    ${[nothing, ada(), shows({ isOurs: true })]} ~adopt user · 7 9
  takes over which machine user an interrupted run added:
    ${[nothing, builds(), shows({ id: "u-0", ...bot }, { ...bot, isOurs: true })]} ~adopt user · 7 9
  waits for the directory: ${[nothing, ada({ directory: true })]} waits notInDirectory
  refuses a date in the past:
    ${[nothing, wants({ expiresAt: PAST })]} 5 · 6n; refused valuePast | 5? · 6n; refused valuePast
  refuses a token without a date:
    ${[nothing, ada({ subscriptionExpiresAt: undefined })]} 5 · 6n; refused noDate | 5? · 6n; refused noDate
  adds nobody whose access has ended:
    ${[nothing, ada({ accessUntil: PAST })]} ~accessUntil,subscriptionExpiresAt
  // nothing, adopt | the same
  adopts whom no list shows: ${[nothing, adopts(undefined), "not run"]}
    ~adopt user · 6 · ~subscriptionExpiresAt | ~adopt user? · 6 · ~subscriptionExpiresAt
  adopts whom no list shows, without a seat:
    ${[nothing, ada({ userId: "u-1", seat: false, token: undefined }), "not run"]}
    ~adopt user · ~subscriptionExpiresAt | ~adopt user? · ~subscriptionExpiresAt
  adopts whom no list shows with the seat that somebody has seen:
    ${[nothing, ada({ userId: "u-1", trustsSeat: true, token: undefined }), "not run"]}
    ~adopt user · ~subscriptionExpiresAt | ~adopt user? · 6 · ~subscriptionExpiresAt
  adopts whom the list shows: ${[nothing, adopts(undefined), shows({})]} ~adopt user · ~subscriptionExpiresAt
  adopts with the token: ${[nothing, adopts({ adopt: true }), shows({})]} ~adopt user · ~subscriptionExpiresAt
  adopts the token of a declared rotation:
    ${[nothing, adopts({ adopt: true, mark: "1" }), shows({})]} ~adopt user · ~subscriptionExpiresAt
  adopts, and revokes the token of a 409: ${[nothing, adopts({ replaceExisting: true }), "not run"]}
    ~adopt user · 6 · 7 9? 7? | ~adopt user? · 6 · 7?
  revokes the token of a 409 of a member that it added, once the row names the user:
    ${[(platform: PlatformName) => held([user(platform, { tokens: [] })]), adopts({ replaceExisting: true }), "not run"]}
    7 9? 7? | 7
  adopts, and names an unknown token:
    ${[nothing, ada({ userId: "u-1" }), shows({ tokens: [{ id: "t-1", end: EARLIER }] })]}
    ~adopt user · ~subscriptionExpiresAt; refused tokenUnknown
  adopts, and issues a token beside one of another end:
    ${[nothing, adopts({ replaceExisting: true }), shows({ tokens: [{ id: "t-1", end: EARLIER }] })]}
    ~adopt user · 7
  refuses to adopt several tokens:
    ${[nothing, adopts({ adopt: true }), shows(several)]}
    refused tokenAmbiguous
  refuses to adopt a token that is not there:
    ${[nothing, adopts({ adopt: "t-9" }), shows({})]} refused tokenMissing
  refuses to adopt whom the list lacks: ${[nothing, ada({ userId: "u-9" }), shows({})]} refused adoptsMissing
  refuses to adopt whose address the list does not show:
    ${[nothing, ada({ userId: "u-1" }), shows({ email: undefined })]} refused adoptsAnother
  refuses to adopt another person:
    ${[nothing, ada({ userId: "u-1" }), shows({ email: LOVELACE })]} refused adoptsAnother
  refuses to adopt a user who was removed:
    ${[none({ left: ["u-1"] }), ada({ userId: "u-1" }), "not run"]} refused adoptsGone
  adopts the listed user of a directory without a seat:
    ${[nothing, ada({ userId: "u-1", directory: true }), shows({ ...lacks })]}
    ~adopt user · 6 · 7 · ~directory
  // user; user and seat; user and token without seat | the same
  assigns a missing seat and issues a token: ${[one(empty), ada()]} 6 · 7
  issues a missing token: ${[one({ tokens: [] }), ada()]} 7
  adopts a token that the program names later:
    ${[one({ tokens: [] }), wants({ adopt: true }), shows({})]} 7 | ~user token
  issues a token if the one to adopt is gone:
    ${[one({ tokens: [] }), wants({ adopt: "t-9" }), shows({ tokens: [] })]} 7
  assigns the seat of a token: ${[one({ seat: "none" }), ada()]} 6
  confirms a seat: ${[one({ seat: "unconfirmed" }), ada()]} 6
  does nothing: ${[full, ada()]} nothing
  // user, seat, token | no token; no seat
  revokes the token: ${[full, seated]} 9
  revokes token and seat: ${[full, bare]} 9 · 10
  retains the seat: ${[one({}, retained), ada({ seat: false, token: undefined, ...retains })]} 9 · ~user seat
  retains an adopted seat: ${[one({ seatAdopted: true }), bare]} 9 · ~user seat
  leaves a retained seat: ${[one({ seat: "left", tokens: [] }), bare]} nothing
  manages a retained seat again: ${[one({ seat: "left", tokens: [] }), seated]} ~user seat
  removes a seat of which a removal got no answer: ${[one({ seat: "unknown", tokens: [] }), bare]} 10
  // renewals
  renews an earlier token: ${[holding(ends(EARLIER)), ada()]} 8
  renews an expired token: ${[holding(ends(PAST)), ada()]} 8
  renews to a date:
    ${[holding(ends(EARLIER), { expiresAt: EARLIER }), wants({ expiresAt: "2027-05-01T23:59:59Z" })]}
    8; note renewsLater | 8
  shortens a token: ${[full, wants({ expiresAt: EARLIER })]} 9 7 | 8
  refuses to shorten into the past: ${[full, wants({ expiresAt: PAST })]} refused datePast
  waits after a shorter answer:
    ${[holding({ reportedEnd: EARLIER, asked: { what: SUBSCRIPTION, at: "2026-11-20T00:00:00Z" } }), ada()]}
    nothing
  // due tokens
  issues no token beside one that its owner may have issued: ${[ended, ada(), "not run"]} note unmanaged
  issues one beside it if asked to: ${[ended, wants({ mark: "2" })]} 7
  looks for the one to adopt instead: ${[ended, wants({ adopt: true })]} 7 | 7?
  rotates by the mark: ${[full, wants({ mark: "2" })]} 9 7 | 7 9
  keeps the previous token for a while:
    ${[full, wants({ mark: "2", keepPreviousFor: "7d" })]} 9 7 · ~keepPreviousFor | 7 · ~keepPreviousFor
  rotates for other recipients: ${[full, wants({ recipients: ["age1x"] })]} 9 7 | 7 9
  rotates for a value to be kept again: ${[holding({ value: "none" }), ada()]} 9 7 | 7 9
  drops the value: ${[full, wants({ keepValue: false })]} ~token keepValue
  rotates on a schedule:
    ${[holding({ issuedAt: LONG_AGO }, { rotateEvery: "90d" }), wants({ rotateEvery: "90d" })]} 9 7 | 7 9
  rotates by a new schedule: ${[holding({ issuedAt: LONG_AGO }), wants({ rotateEvery: "90d" })]}
    9 7 · ~rotateEvery | 7 9 · ~rotateEvery
  issues a lost value again: ${[holding({ value: "lost" }), ada()]} 9 7 | 7 9
  issues again after a revocation without an answer:
    ${[holding({ asked: { what: REVOCATION, at: NOW } }), ada()]} 9 7 | 7 9
  keeps no token beside its successor whose revocation got no answer:
    ${[holding({ asked: { what: REVOCATION, at: NOW } }), wants({ keepPreviousFor: "7d" })]}
    9 7 · ~keepPreviousFor | 7 9 · ~keepPreviousFor
  finds a lost token without its id first:
    ${[unnamed({ value: "lost", others: [] }), ada(), "not run"]} 9 7 | 9? 7
  keeps the earlier token until the lost one is replaced:
    ${[kept(PAST, { value: "lost" }), ada(), "not run"]} 9 7 9 | 7 9 9
  keeps the earlier token while the lost one cannot be replaced:
    ${[kept(PAST, { value: "lost" }), wants({ mark: "2", expiresAt: PAST }), "not run"]} refused valuePast
  adopts a token by its id where several may be the own one:
    ${[unnamed({ value: "lost", others: [] }), wants({ adopt: "t-1" }), shows(several)]}
    ~token token
  refuses where several tokens may be the own one:
    ${[
      unnamed({}),
      wants({ mark: "2" }),
      shows({
        tokens: [
          { id: "t-1", end },
          { id: "t-2", end },
        ],
      }),
    ]}
    refused tokenAmbiguous
  refuses a new value in the past: ${[full, wants({ mark: "2", expiresAt: PAST })]} refused valuePast
  notes the recipients of an adopted token:
    ${[holding({ adopted: true, value: "none" }), wants({ recipients: ["age1x"] })]} ~token recipients
  // earlier tokens whose time is over
  revokes an earlier token: ${[kept(PAST), ada(), "not run"]} 9
  keeps an earlier token until its time: ${[kept(EARLIER), ada(), "not run"]} nothing
  // other address
  moves seat and token to a new address:
    ${[full, changed()]} 5 · 9 10 6n 7n · 11 | 5? · 9? 9? 10 6n 7n · 11?
  moves with every kept token:
    ${[kept(EARLIER), changed(), "not run"]} 5 · 9 9 10 6n 7n · 11 | 5? · 9? 9 9? 10 6n 7n · 11?
  moves a machine user to another purpose:
    ${[one(machine), builds("Nightly")]} 5 · 9 10 6n 7n · 11 | 5? · 9? 9? 10 6n 7n · 11?
  takes nothing before the retained member's successor has it: ${[one({}, retained), changed({ ...retains })]}
    5 · 6n · 7n · 9 · ~forget user | 5? · 6n · 7n · 9 · ~forget user
  moves to an adopted user:
    ${[full, changed({ userId: "u-2" }), shows({}, { id: "u-2", email: LOVELACE, ...lacks })]}
    ~adopt user · 9 9? 10 6 7 · 11
  refuses adopt of the old id: ${[full, changed({ userId: "u-1" })]} refused adoptsPrevious
  refuses adopt of another member: ${[full, ada({ userId: "u-2" })]} refused adoptsOther
  follows an address under the same id: ${[full, changed(), shows({ email: LOVELACE })]} ~user address
  notes an address that nobody declares: ${[full, ada(), shows({ email: LOVELACE })]} note drift
  moves a member without a seat:
    ${[one(empty), changed({ seat: false, token: undefined })]} 5 · 11 | 5? · 9? · 11
  moves the seat alone:
    ${[one({ tokens: [] }), changed({ token: undefined })]} 5 · 10 6n · 11 | 5? · 9? 10 6n · 11?
  refuses a move whose token has no date: ${[full, changed({ token: { expiresAt: PAST } })]} refused valuePast
  // two users after a failed change
  goes on after a failed move: ${[two({}), changed(), "not run"]} 6 · 7 · 11 | 6 · 7 · 9? · 11
  goes on before the seat was taken:
    ${[(p) => held([user(p), coming()]), changed(), "not run"]} 9 10 6 7 · 11 | 9? 9? 10 6 7 · 11?
  returns to the old address: ${[(p) => held([user(p), coming()]), ada(), "not run"]} 11 | 9? · 11
  returns after the seat was taken: ${[two({}), ada(), "not run"]} 6 · 7 · 11 | 6 · 7 · 9? · 11
  returns after the move:
    ${[(p) => held([user(p, { id: "u-2", ...lovelace }), user(p, empty)]), ada(), "not run"]}
    9 10 6 7 · 11 | 9? 9? 10 6 7 · 11?
  removes both users:
    ${[(p) => held([user(p), coming({ seat: "held", tokens: [token(p, { id: "t-2" })] })]), leaver, "not run"]}
    9 · 10 · 11 · 9 · 10 · 11 · ~leaving | 9? · 9? · 10 · 11 · 9? · 9? · 10 · 11 · ~leaving
  // nothing wanted
  reads the role before it removes a member:
    ${[full, leaver]} 9 · 10 · 11 · ~leaving | 9? · 9? · 10 · 11 · ~leaving
  removes an expired token too:
    ${[holding({ reportedEnd: PAST }), leaver]} 9 · 10 · 11 · ~leaving | 9? · 9? · 10 · 11 · ~leaving
  removes a member whose access has ended:
    ${[full, ada({ accessUntil: PAST })]} 9 · 10 · 11 · ~accessUntil | 9? · 9? · 10 · 11 · ~accessUntil
  warns about the end of the access:
    ${[full, ada({ accessUntil: "2026-12-05T23:59:59Z" })]} ~accessUntil; note accessEndsSoon
  forgets a retained member: ${[one({}, retained), leaver]} 9 · ~forget user · ~leaving
  removes a retained member at offboarding:
    ${[one({}, retained), offboarded]} 9 · 10 · 11 · ~leaving | 9? · 9? · 10 · 11 · ~leaving
  forgets an adopted member:
    ${[one({ adopted: true, seatAdopted: true }), leaver]} 9 · ~forget user · ~leaving
  removes the seat of an adopted member: ${[one({ adopted: true }), leaver]} 9 · 10 · ~forget user · ~leaving
  keeps the user of a directory: ${[one({}, { directory: true }), leaver]}
    9 · 10 · ~forget user · ~leaving | 9 · 9? · 10 · ~forget user · ~leaving
  keeps the user of a directory at offboarding: ${[one({ adopted: true }, { directory: true }), offboarded]}
    9 · 10 · ~forget user · ~leaving | 9 · 9? · 10 · ~forget user · ~leaving
  removes the adopted seat of a directory's user:
    ${[one({ adopted: true, seatAdopted: true }, { directory: true }), leaver]}
    9 · 10 · ~forget user · ~leaving | 9 · 9? · 10 · ~forget user · ~leaving
  refuses to remove an administrator: ${[one({ role: "admin" }), leaver]} refused role
  removes an administrator where it is allowed:
    ${[one({ role: "admin" }, { allowAdminRemoval: true }), leaver]}
    9 · 10 · 11 · ~leaving | 9 · 9? · 10 · 11 · ~leaving
  refuses to move an administrator: ${[one({ role: "admin" }), changed()]} refused role
  revokes the token of an administrator: ${[one({ role: "admin" }), seated]} 9
  does nothing for a member who has left:
    ${[none({ left: ["u-1"], agreed: { leaving: true } }), leaver]} nothing
  sends the rest for a member who has half left:
    ${[one({ tokens: [] }, { leaving: true }), leaver]} 10 · 11 | 9? · 10 · 11
  adds a member who has left again: ${[none({ left: ["u-0"], agreed: { leaving: true } }), ada()]}
    5 · 6n · 7n · ~leaving | 5? · 6n · 7n · ~leaving
  revokes nothing twice after offboarding:
    ${[full, leaver, { revoked: [{ user: "u-1", token: "2026-08-01T08:00:00Z" }] }]}
    ~observed · 10 · 11 · ~leaving | ~observed · 9? · 10 · 11 · ~leaving
  // protection
  takes nothing from a protected member whose access has ended:
    ${[one({}, { protected: true, ...retained }), ada({ accessUntil: PAST, protected: true, ...retains })]}
    ~accessUntil; refused protected
  removes an adopted member, with what no list shows:
    ${[one({ adopted: true, seat: "none", tokens: [] }, deleted), leaver]}
    9 · 10 · 11 · ~leaving | 9? · 11 · ~leaving
  moves an adopted member, with what no list shows:
    ${[one({ adopted: true, tokens: [] }, deleted), changed({ onDeleteUser: "delete" })]}
    5 · 9 10 6n 7n · 11 | 5? · 9? 10 6n 7n · 11?
  forgets how an adopted member leaves with the last step of that:
    ${[one({ adopted: true, tokens: [] }, deleted), changed()]}
    5 · 9 10 6n 7n · 11 ~onDelete | 5? · 9? 10 6n 7n · 11? ~onDelete
  takes nothing from a protected member: ${[one({}, { protected: true }), leaver]} refused protected
  keeps the protection while it refuses what a run takes, so that a retry takes nothing:
    ${[one({}, { protected: true }), seated]} refused protected
  protects at once: ${[full, ada({ token: undefined, protected: true })]} ~protected; refused protected
  refuses to move a protected member:
    ${[one({}, { protected: true }), changed({ protected: true })]} refused protected
  renews the token of a protected member:
    ${[holding(ends(EARLIER), { protected: true }), ada({ protected: true })]} 8
  refuses to rotate for a protected member:
    ${[one({}, { protected: true }), ada({ protected: true, token: { mark: "2" } })]} refused protected
  issues without revoking for a protected member:
    ${[nothing, ada({ userId: "u-1", protected: true, token: { replaceExisting: true } }), "not run"]}
    ~adopt user · 6 · 7 · ~protected | ~adopt user? · 6 · 7? · ~protected
  // pending creations
  adds a person once more: ${[pending(), ada()]} 5 · 6n · 7n | waits userUndecided
  waits after the second request: ${[pending({ again: true }), ada()]} waits userUndecided
  waits for a machine user: ${[pendingMachine(), builds()]} waits userUndecided
  adds a machine user who is approved to be missing:
    ${[pendingMachine(), { ...builds(), missing: { of: "creation", since: PAST } }]}
    5 · 6n · 7n | 5? · 6n · 7n
  takes the machine user that the list shows:
    ${[pendingMachine({ before: [] }), builds(), shows({ ...bot, ...lacks })]} ~observed · 6 · 7
  adds a machine user whom the list lacks:
    ${[pendingMachine({ before: [] }), builds(), shows()]} ~observed · 5 · 6n · 7n
  waits for a machine user after a timeout:
    ${[pendingMachine({ before: [], late: true }), builds(), shows()]} waits userUndecided
  waits where several users may be the new one:
    ${[pendingMachine({ before: [] }), builds(), shows({ ...bot }, { id: "u-2", ...bot })]}
    waits userAmbiguous
  adopts the user of a creation without an answer:
    ${[pendingMachine(), { ...builds(), userId: "u-1" }, "not run"]}
    ~adopt user · 6 · 7 | ~adopt user? · 6 · 7?
  waits where another address is wanted meanwhile: ${[pending(), changed()]} waits pendingOther
  keeps a creation without an answer while the list may hide it:
    ${[pendingMachine(), leaver, { users: [], isHiding: true }]} ~leaving; waits userUndecided
  keeps a creation without an answer where several users may be the new one:
    ${[pendingMachine({ before: [] }), leaver, shows({ ...bot }, { id: "u-2", ...bot })]}
    ~leaving; waits userAmbiguous
  forgets a creation without an answer where nobody is wanted: ${[pendingMachine(), leaver]}
    ~pending pending · ~leaving; note pendingForgotten | ~leaving; waits userUndecided
  waits where a removal got no answer:
    ${[one({ seat: "none", tokens: [], asked: { what: "user", at: NOW } }), ada()]} waits removalUndecided
  // users, each proven absent
  adds again who is gone: ${[full, ada(), { users: [], absent: ["u-1"] }]} ~observed · 5 · 6n · 7n
  notes a seat that is gone: ${[full, ada(), shows({ hasSeat: false })]} ~observed · 6
  notes a token that is revoked:
    ${[full, ada(), shows({ tokens: [{ id: "t-1", end, isRevoked: true }] })]} ~observed · 7
  notes another expiry: ${[full, ada(), shows({ tokens: [{ id: "t-1", end: EARLIER }] })]} ~observed · 8
  notes a seat that someone else assigned:
    ${[one(empty), seated, shows({ tokens: [] })]} ~observed · ~user seat
  // the state alone
  notes settings:
    ${[full, ada({ ...settings, ...retains })]}
    ~onDelete · ~protected · ~accessUntil · ~renewBefore · ~rotateEvery · ~keepPreviousFor · ~names · ~team · ~key key
  notes the end of settings: ${[one({}, { ...retained, rotateEvery: "3000d", team: "Engines" }), ada()]}
    ~onDelete · ~rotateEvery · ~team
  notes a later subscription with the renewal:
    ${[full, ada({ subscriptionExpiresAt: "2028-06-30T23:59:59Z" })]} 8
  // unknown inputs
  may move to an unknown address:
    ${[full, ada({ email: unknown }), "not run"]} …5 · …9 …10 …6 …7 · …11 · …~
  may change an unknown seat and token:
    ${[full, ada({ seat: unknown, token: unknown }), "not run"]} …10 · …9
  may issue an unknown token: ${[one({ tokens: [] }), ada({ token: unknown }), "not run"]} …7
  may renew, rotate, and remove:
    ${[full, ada({ accessUntil: unknown, token: { mark: unknown, expiresAt: unknown } }), "not run"]}
    …8 · …9 …7 · …9 …10 …11 · …~
  may note settings: ${[full, ada({ team: unknown }), "not run"]} …~
  adds with unknown inputs:
    ${[nothing, ada({ email: unknown, subscriptionExpiresAt: unknown, token: { mark: unknown } }), "not run"]}
    5 · 6n · 7n · …~ | 5? · 6n · 7n · …~
  replaces for another organization: ${[full, ada({ organization: unknown }), "not run"]} nothing
`;

export const cases: readonly Case[] = table.map(({ given: [has, wanted, more], ...row }) => {
  const isRun = more === undefined;
  return { ...row, held: has, wanted, isRun, ...(more !== "not run" && { seen: more }) };
});
