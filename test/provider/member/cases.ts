/** The rows of the table of steps: what is held and wanted, what lists show, and the steps on each platform. */
import {
  type Held,
  type HeldToken,
  type HeldUser,
  markOf,
  REVOCATION,
} from "../../../provider/member/held.ts";
import type { Seen, SeenUser, Wanted } from "../../../provider/member/wanted.ts";
import { unknown } from "../../../provider/resources/unknown.ts";
import { ADA, ada, held, LOVELACE, leaver, NOW, REF, SUBSCRIPTION, token, user } from "./people.ts";
import type { PlatformName } from "./run.ts";

export interface Case {
  readonly title: string;
  readonly held: (platform: PlatformName) => Held;
  readonly wanted: Wanted;
  /** Undefined: nothing is read. */
  readonly seen?: Seen | undefined;
  /** The steps in short, on basic and on anaconda. */
  readonly basic: string;
  readonly anaconda: string;
  /** Whether the service of the test contains what is held, so that the steps can be executed. */
  readonly isRun: boolean;
}

type Steps = string | readonly [basic: string, anaconda: string];

/** @param more what is read, or that the service of the test does not contain what is held */
function row(title: string, has: Case["held"], wanted: Wanted, steps: Steps, more?: Seen | "not run"): Case {
  const [basic, anaconda] = typeof steps === "string" ? [steps, steps] : steps;
  const isRun = more === undefined;
  return { title, held: has, wanted, basic, anaconda, isRun, ...(more !== "not run" && { seen: more }) };
}

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
  ...user("basic", { id: "u-2", address: markOf(REF, LOVELACE), seat: "none", tokens: [], coming: true }),
  ...more,
});
const two =
  (old: Partial<HeldUser>, fresh: Partial<HeldUser> = {}) =>
  () =>
    held([user("basic", { seat: "none", tokens: [], ...old }), coming(fresh)]);
const listed = (more: Partial<SeenUser> = {}): SeenUser => ({
  ...{ id: "u-1", email: ADA, role: "member", hasSeat: true, tokens: [{ id: "t-1", end: SUBSCRIPTION }] },
  ...more,
});
const lists = (...users: readonly SeenUser[]): Seen => ({ users });
const EARLIER = "2027-03-01T23:59:59Z";
const PAST = "2026-11-01T23:59:59Z";
const retained = { onDelete: { user: "retain", seat: "retain" } } as const;
const machine = { purpose: markOf(REF, "Builds"), address: undefined } as const;
const builds = (purpose = "Builds") => ada({ email: undefined, purpose });
const pending =
  (more = {}) =>
  () =>
    held([], { pending: { since: PAST, address: markOf(REF, ADA), ...more } });
const pendingMachine = (more = {}) =>
  pending({ address: undefined, purpose: markOf(REF, "Builds"), ...more });

export const cases: readonly Case[] = [
  // nothing | person; with seat; with seat and token
  row("adds a person", nothing, ada({ seat: false, token: undefined }), [
    "5 · ~subscriptionExpiresAt",
    "5? · ~subscriptionExpiresAt",
  ]),
  row("adds a person with a seat", nothing, ada({ token: undefined }), [
    "5 · 6n · ~subscriptionExpiresAt",
    "5? · 6n · ~subscriptionExpiresAt",
  ]),
  row("adds a person with a seat and a token", nothing, ada(), ["5 · 6n · 7n", "5? · 6n · 7n"]),
  row("adds a machine user", nothing, builds(), ["5 · 6n · 7n", "5? · 6n · 7n"]),
  row("adds whom the list lacks", nothing, ada(), "5 · 6n · 7n", lists()),
  row("refuses whom the list has", nothing, ada(), "refused userExists", lists(listed())),
  row(
    "takes over whom an interrupted run added, and replaces the lost token",
    nothing,
    ada(),
    "~adopt user · 7 9",
    lists(listed({ isOurs: true })),
  ),
  row(
    "takes over which machine user an interrupted run added",
    nothing,
    builds(),
    "~adopt user · 7 9",
    lists(
      listed({ id: "u-0", email: null, firstName: "Builds" }),
      listed({ email: null, firstName: "Builds", isOurs: true }),
    ),
  ),
  row("waits for the directory", nothing, ada({ directory: true }), "waits notInDirectory"),
  row("refuses a date in the past", nothing, ada({ token: { expiresAt: PAST } }), [
    "5 · 6n; refused valuePast",
    "5? · 6n; refused valuePast",
  ]),
  row("refuses a token without a date", nothing, ada({ subscriptionExpiresAt: undefined }), [
    "5 · 6n; refused noDate",
    "5? · 6n; refused noDate",
  ]),
  row(
    "adds nobody whose access has ended",
    nothing,
    ada({ accessUntil: PAST }),
    "~accessUntil,subscriptionExpiresAt",
  ),
  // nothing, adopt | the same
  row(
    "adopts whom no list shows",
    nothing,
    ada({ userId: "u-1", token: undefined }),
    ["~adopt user · 6 · ~subscriptionExpiresAt", "~adopt user? · 6 · ~subscriptionExpiresAt"],
    "not run",
  ),
  row(
    "adopts whom no list shows, without a seat",
    nothing,
    ada({ userId: "u-1", seat: false, token: undefined }),
    ["~adopt user · ~subscriptionExpiresAt", "~adopt user? · ~subscriptionExpiresAt"],
    "not run",
  ),
  row(
    "adopts whom no list shows with the seat that somebody has seen",
    nothing,
    ada({ userId: "u-1", trustsSeat: true, token: undefined }),
    ["~adopt user · ~subscriptionExpiresAt", "~adopt user? · 6 · ~subscriptionExpiresAt"],
    "not run",
  ),
  row(
    "adopts whom the list shows",
    nothing,
    ada({ userId: "u-1", token: undefined }),
    "~adopt user · ~subscriptionExpiresAt",
    lists(listed()),
  ),
  row(
    "adopts with the token",
    nothing,
    ada({ userId: "u-1", token: { adopt: true } }),
    "~adopt user · ~subscriptionExpiresAt",
    lists(listed()),
  ),
  row(
    "adopts the token of a declared rotation",
    nothing,
    ada({ userId: "u-1", token: { adopt: true, mark: "1" } }),
    "~adopt user · ~subscriptionExpiresAt",
    lists(listed()),
  ),
  row(
    "adopts, and revokes the token of a 409",
    nothing,
    ada({ userId: "u-1", token: { replaceExisting: true } }),
    ["~adopt user · 6 · 7 9? 7?", "~adopt user? · 6 · 7?"],
    "not run",
  ),
  row(
    "revokes the token of a 409 of a member that it added, once the row names the user",
    (platform) => held([user(platform, { tokens: [] })]),
    ada({ userId: "u-1", token: { replaceExisting: true } }),
    ["7 9? 7?", "7"],
    "not run",
  ),
  row(
    "adopts, and names an unknown token",
    nothing,
    ada({ userId: "u-1" }),
    "~adopt user · ~subscriptionExpiresAt; refused tokenUnknown",
    lists(listed({ tokens: [{ id: "t-1", end: EARLIER }] })),
  ),
  row(
    "adopts, and issues a token beside one of another end",
    nothing,
    ada({ userId: "u-1", token: { replaceExisting: true } }),
    "~adopt user · 7",
    lists(listed({ tokens: [{ id: "t-1", end: EARLIER }] })),
  ),
  row(
    "refuses to adopt several tokens",
    nothing,
    ada({ userId: "u-1", token: { adopt: true } }),
    "refused tokenAmbiguous",
    lists(listed({ tokens: [{ id: "t-1" }, { id: "t-2" }] })),
  ),
  row(
    "refuses to adopt a token that is not there",
    nothing,
    ada({ userId: "u-1", token: { adopt: "t-9" } }),
    "refused tokenMissing",
    lists(listed()),
  ),
  row(
    "refuses to adopt whom the list lacks",
    nothing,
    ada({ userId: "u-9" }),
    "refused adoptsMissing",
    lists(listed()),
  ),
  row(
    "refuses to adopt whose address the list does not show",
    nothing,
    ada({ userId: "u-1" }),
    "refused adoptsAnother",
    lists(listed({ email: undefined })),
  ),
  row(
    "refuses to adopt another person",
    nothing,
    ada({ userId: "u-1" }),
    "refused adoptsAnother",
    lists(listed({ email: LOVELACE })),
  ),
  row(
    "refuses to adopt a user who was removed",
    () => held([], { left: ["u-1"] }),
    ada({ userId: "u-1" }),
    "refused adoptsGone",
    "not run",
  ),
  row(
    "adopts the listed user of a directory without a seat",
    nothing,
    ada({ userId: "u-1", directory: true }),
    "~adopt user · 6 · 7 · ~directory",
    lists(listed({ hasSeat: false, tokens: [] })),
  ),
  // user; user and seat; user and token without seat | the same
  row("assigns a missing seat and issues a token", one({ seat: "none", tokens: [] }), ada(), "6 · 7"),
  row("issues a missing token", one({ tokens: [] }), ada(), "7"),
  row(
    "adopts a token that the program names later",
    one({ tokens: [] }),
    ada({ token: { adopt: true } }),
    ["7", "~user token"],
    lists(listed()),
  ),
  row(
    "issues a token if the one to adopt is gone",
    one({ tokens: [] }),
    ada({ token: { adopt: "t-9" } }),
    "7",
    lists(listed({ tokens: [] })),
  ),
  row("assigns the seat of a token", one({ seat: "none" }), ada(), "6"),
  row("confirms a seat", one({ seat: "unconfirmed" }), ada(), "6"),
  row("does nothing", full, ada(), ""),
  // user, seat, token | no token; no seat
  row("revokes the token", full, ada({ token: undefined }), "9"),
  row("revokes token and seat", full, ada({ seat: false, token: undefined }), "9 · 10"),
  row(
    "retains the seat",
    one({}, retained),
    ada({ seat: false, token: undefined, onDeleteUser: "retain", onDeleteSeat: "retain" }),
    "9 · ~user seat",
  ),
  row(
    "retains an adopted seat",
    one({ seatAdopted: true }),
    ada({ seat: false, token: undefined }),
    "9 · ~user seat",
  ),
  row(
    "leaves a retained seat",
    one({ seat: "left", tokens: [] }),
    ada({ seat: false, token: undefined }),
    "",
  ),
  row(
    "manages a retained seat again",
    one({ seat: "left", tokens: [] }),
    ada({ token: undefined }),
    "~user seat",
  ),
  row(
    "removes a seat of which a removal got no answer",
    one({ seat: "unknown", tokens: [] }),
    ada({ seat: false, token: undefined }),
    "10",
  ),
  // renewals
  row("renews an earlier token", holding({ declaredEnd: EARLIER, reportedEnd: EARLIER }), ada(), "8"),
  row("renews an expired token", holding({ declaredEnd: PAST, reportedEnd: PAST }), ada(), "8"),
  row(
    "renews to a date",
    holding({ declaredEnd: EARLIER, reportedEnd: EARLIER }, { expiresAt: EARLIER }),
    ada({ token: { expiresAt: "2027-05-01T23:59:59Z" } }),
    ["8; note renewsLater", "8"],
  ),
  row("shortens a token", full, ada({ token: { expiresAt: EARLIER } }), ["9 7", "8"]),
  row("refuses to shorten into the past", full, ada({ token: { expiresAt: PAST } }), "refused datePast"),
  row(
    "waits after a shorter answer",
    holding({ reportedEnd: EARLIER, asked: { what: SUBSCRIPTION, at: "2026-11-20T00:00:00Z" } }),
    ada(),
    "",
  ),
  // due tokens
  row("issues no token beside one that its owner may have issued", ended, ada(), "note unmanaged", "not run"),
  row("issues one beside it if asked to", ended, ada({ token: { mark: "2" } }), "7"),
  row("looks for the one to adopt instead", ended, ada({ token: { adopt: true } }), ["7", "7?"]),
  row("rotates by the mark", full, ada({ token: { mark: "2" } }), ["9 7", "7 9"]),
  row("keeps the previous token for a while", full, ada({ token: { mark: "2", keepPreviousFor: "7d" } }), [
    "9 7 · ~keepPreviousFor",
    "7 · ~keepPreviousFor",
  ]),
  row("rotates for other recipients", full, ada({ token: { recipients: ["age1x"] } }), ["9 7", "7 9"]),
  row("rotates for a value to be kept again", holding({ value: "none" }), ada(), ["9 7", "7 9"]),
  row("drops the value", full, ada({ token: { keepValue: false } }), "~token keepValue"),
  row(
    "rotates on a schedule",
    holding({ issuedAt: "2024-01-01T00:00:00Z" }, { rotateEvery: "90d" }),
    ada({ token: { rotateEvery: "90d" } }),
    ["9 7", "7 9"],
  ),
  row(
    "rotates by a new schedule",
    holding({ issuedAt: "2024-01-01T00:00:00Z" }),
    ada({ token: { rotateEvery: "90d" } }),
    ["9 7 · ~rotateEvery", "7 9 · ~rotateEvery"],
  ),
  row("issues a lost value again", holding({ value: "lost" }), ada(), ["9 7", "7 9"]),
  row(
    "issues again after a revocation without an answer",
    holding({ asked: { what: REVOCATION, at: NOW } }),
    ada(),
    ["9 7", "7 9"],
  ),
  row(
    "keeps no token beside its successor whose revocation got no answer",
    holding({ asked: { what: REVOCATION, at: NOW } }),
    ada({ token: { keepPreviousFor: "7d" } }),
    ["9 7 · ~keepPreviousFor", "7 9 · ~keepPreviousFor"],
  ),
  row(
    "finds a lost token without its id first",
    one({ tokens: [token("basic", { value: "lost", others: [] })] }),
    ada(),
    ["9 7", "9? 7"],
    "not run",
  ),
  row(
    "keeps the earlier token until the lost one is replaced",
    one({
      tokens: [token("anaconda", { id: "t-2", value: "lost" }), token("anaconda", { endsAfter: PAST })],
    }),
    ada(),
    ["9 7 9", "7 9 9"],
    "not run",
  ),
  row(
    "keeps the earlier token while the lost one cannot be replaced",
    one({
      tokens: [token("anaconda", { id: "t-2", value: "lost" }), token("anaconda", { endsAfter: PAST })],
    }),
    ada({ token: { mark: "2", expiresAt: PAST } }),
    "refused valuePast",
    "not run",
  ),
  row(
    "adopts a token by its id where several may be the own one",
    one({ tokens: [token("basic", { value: "lost", others: [] })] }),
    ada({ token: { adopt: "t-1" } }),
    "~token token",
    lists(listed({ tokens: [{ id: "t-1" }, { id: "t-2" }] })),
  ),
  row(
    "refuses where several tokens may be the own one",
    one({ tokens: [token("basic")] }),
    ada({ token: { mark: "2" } }),
    "refused tokenAmbiguous",
    lists(
      listed({
        tokens: [
          { id: "t-1", end: SUBSCRIPTION },
          { id: "t-2", end: SUBSCRIPTION },
        ],
      }),
    ),
  ),
  row(
    "refuses a new value in the past",
    full,
    ada({ token: { mark: "2", expiresAt: PAST } }),
    "refused valuePast",
  ),
  row(
    "notes the recipients of an adopted token",
    holding({ adopted: true, value: "none" }),
    ada({ token: { recipients: ["age1x"] } }),
    "~token recipients",
  ),
  // earlier tokens whose time is over
  row(
    "revokes an earlier token",
    one({ tokens: [token("anaconda", { id: "t-2" }), token("anaconda", { endsAfter: PAST })] }),
    ada(),
    "9",
    "not run",
  ),
  row(
    "keeps an earlier token until its time",
    one({ tokens: [token("anaconda", { id: "t-2" }), token("anaconda", { endsAfter: EARLIER })] }),
    ada(),
    "",
    "not run",
  ),
  // other address
  row("moves seat and token to a new address", full, changed(), [
    "5 · 9 10 6n 7n · 11",
    "5? · 9? 9? 10 6n 7n · 11?",
  ]),
  row(
    "moves with every kept token",
    one({ tokens: [token("anaconda", { id: "t-2" }), token("anaconda", { endsAfter: EARLIER })] }),
    changed(),
    ["5 · 9 9 10 6n 7n · 11", "5? · 9? 9 9? 10 6n 7n · 11?"],
    "not run",
  ),
  row("moves a machine user to another purpose", one(machine), builds("Nightly"), [
    "5 · 9 10 6n 7n · 11",
    "5? · 9? 9? 10 6n 7n · 11?",
  ]),
  row(
    "takes nothing before the retained member's successor has it",
    one({}, retained),
    changed({ onDeleteUser: "retain", onDeleteSeat: "retain" }),
    ["5 · 6n · 7n · 9 · ~forget user", "5? · 6n · 7n · 9 · ~forget user"],
  ),
  row(
    "moves to an adopted user",
    full,
    changed({ userId: "u-2" }),
    "~adopt user · 9 9? 10 6 7 · 11",
    lists(listed(), listed({ id: "u-2", email: LOVELACE, hasSeat: false, tokens: [] })),
  ),
  row("refuses adopt of the old id", full, changed({ userId: "u-1" }), "refused adoptsPrevious"),
  row("refuses adopt of another member", full, ada({ userId: "u-2" }), "refused adoptsOther"),
  row(
    "follows an address under the same id",
    full,
    changed(),
    "~user address",
    lists(listed({ email: LOVELACE })),
  ),
  row("notes an address that nobody declares", full, ada(), "note drift", lists(listed({ email: LOVELACE }))),
  row(
    "moves a member without a seat",
    one({ seat: "none", tokens: [] }),
    changed({ seat: false, token: undefined }),
    ["5 · 11", "5? · 9? · 11"],
  ),
  row("moves the seat alone", one({ tokens: [] }), changed({ token: undefined }), [
    "5 · 10 6n · 11",
    "5? · 9? 10 6n · 11?",
  ]),
  row(
    "refuses a move whose token has no date",
    full,
    changed({ token: { expiresAt: PAST } }),
    "refused valuePast",
  ),
  // two users after a failed change
  row("goes on after a failed move", two({}), changed(), ["6 · 7 · 11", "6 · 7 · 9? · 11"], "not run"),
  row(
    "goes on before the seat was taken",
    (p) => held([user(p), coming()]),
    changed(),
    ["9 10 6 7 · 11", "9? 9? 10 6 7 · 11?"],
    "not run",
  ),
  row("returns to the old address", (p) => held([user(p), coming()]), ada(), ["11", "9? · 11"], "not run"),
  row("returns after the seat was taken", two({}), ada(), ["6 · 7 · 11", "6 · 7 · 9? · 11"], "not run"),
  row(
    "returns after the move",
    (p) =>
      held([
        { ...user(p, { id: "u-2", address: markOf(REF, LOVELACE) }) },
        user(p, { seat: "none", tokens: [] }),
      ]),
    ada(),
    ["9 10 6 7 · 11", "9? 9? 10 6 7 · 11?"],
    "not run",
  ),
  row(
    "removes both users",
    (p) => held([user(p), coming({ seat: "held", tokens: [token(p, { id: "t-2" })] })]),
    leaver,
    ["9 · 10 · 11 · 9 · 10 · 11 · ~leaving", "9? · 9? · 10 · 11 · 9? · 9? · 10 · 11 · ~leaving"],
    "not run",
  ),
  // nothing wanted
  row("reads the role before it removes a member", full, leaver, [
    "9 · 10 · 11 · ~leaving",
    "9? · 9? · 10 · 11 · ~leaving",
  ]),
  row("removes an expired token too", holding({ reportedEnd: PAST }), leaver, [
    "9 · 10 · 11 · ~leaving",
    "9? · 9? · 10 · 11 · ~leaving",
  ]),
  row("removes a member whose access has ended", full, ada({ accessUntil: PAST }), [
    "9 · 10 · 11 · ~accessUntil",
    "9? · 9? · 10 · 11 · ~accessUntil",
  ]),
  row(
    "warns about the end of the access",
    full,
    ada({ accessUntil: "2026-12-05T23:59:59Z" }),
    "~accessUntil; note accessEndsSoon",
  ),
  row("forgets a retained member", one({}, retained), leaver, "9 · ~forget user · ~leaving"),
  row("removes a retained member at offboarding", one({}, retained), { leaving: true, removal: "delete" }, [
    "9 · 10 · 11 · ~leaving",
    "9? · 9? · 10 · 11 · ~leaving",
  ]),
  row(
    "forgets an adopted member",
    one({ adopted: true, seatAdopted: true }),
    leaver,
    "9 · ~forget user · ~leaving",
  ),
  row(
    "removes the seat of an adopted member",
    one({ adopted: true }),
    leaver,
    "9 · 10 · ~forget user · ~leaving",
  ),
  row("keeps the user of a directory", one({}, { directory: true }), leaver, [
    "9 · 10 · ~forget user · ~leaving",
    "9 · 9? · 10 · ~forget user · ~leaving",
  ]),
  row(
    "keeps the user of a directory at offboarding",
    one({ adopted: true }, { directory: true }),
    { leaving: true, removal: "delete" },
    ["9 · 10 · ~forget user · ~leaving", "9 · 9? · 10 · ~forget user · ~leaving"],
  ),
  row(
    "removes the adopted seat of a directory's user",
    one({ adopted: true, seatAdopted: true }, { directory: true }),
    leaver,
    ["9 · 10 · ~forget user · ~leaving", "9 · 9? · 10 · ~forget user · ~leaving"],
  ),
  row("refuses to remove an administrator", one({ role: "admin" }), leaver, "refused role"),
  row(
    "removes an administrator where it is allowed",
    one({ role: "admin" }, { allowAdminRemoval: true }),
    leaver,
    ["9 · 10 · 11 · ~leaving", "9 · 9? · 10 · 11 · ~leaving"],
  ),
  row("refuses to move an administrator", one({ role: "admin" }), changed(), "refused role"),
  row("revokes the token of an administrator", one({ role: "admin" }), ada({ token: undefined }), "9"),
  row(
    "does nothing for a member who has left",
    () => held([], { left: ["u-1"], agreed: { leaving: true } }),
    leaver,
    "",
  ),
  row("sends the rest for a member who has half left", one({ tokens: [] }, { leaving: true }), leaver, [
    "10 · 11",
    "9? · 10 · 11",
  ]),
  row(
    "adds a member who has left again",
    () => held([], { left: ["u-0"], agreed: { leaving: true } }),
    ada(),
    ["5 · 6n · 7n · ~leaving", "5? · 6n · 7n · ~leaving"],
  ),
  row(
    "revokes nothing twice after offboarding",
    full,
    leaver,
    ["~observed · 10 · 11 · ~leaving", "~observed · 9? · 10 · 11 · ~leaving"],
    { revoked: [{ user: "u-1", token: "2026-08-01T08:00:00Z" }] },
  ),
  // protection
  row(
    "takes nothing from a protected member whose access has ended",
    one({}, { protected: true, ...retained }),
    ada({ accessUntil: PAST, protected: true, onDeleteUser: "retain", onDeleteSeat: "retain" }),
    "~accessUntil; refused protected",
  ),
  row(
    "removes an adopted member, with what no list shows",
    one({ adopted: true, seat: "none", tokens: [] }, { onDelete: { user: "delete" } }),
    leaver,
    ["9 · 10 · 11 · ~leaving", "9? · 11 · ~leaving"],
  ),
  row(
    "moves an adopted member, with what no list shows",
    one({ adopted: true, tokens: [] }, { onDelete: { user: "delete" } }),
    changed({ onDeleteUser: "delete" }),
    ["5 · 9 10 6n 7n · 11", "5? · 9? 10 6n 7n · 11?"],
  ),
  row("takes nothing from a protected member", one({}, { protected: true }), leaver, "refused protected"),
  row(
    "keeps the protection while it refuses what a run takes, so that a retry takes nothing",
    one({}, { protected: true }),
    ada({ token: undefined }),
    "refused protected",
  ),
  row("protects at once", full, ada({ token: undefined, protected: true }), "~protected; refused protected"),
  row(
    "refuses to move a protected member",
    one({}, { protected: true }),
    changed({ protected: true }),
    "refused protected",
  ),
  row(
    "renews the token of a protected member",
    holding({ reportedEnd: EARLIER, declaredEnd: EARLIER }, { protected: true }),
    ada({ protected: true }),
    "8",
  ),
  row(
    "refuses to rotate for a protected member",
    one({}, { protected: true }),
    ada({ protected: true, token: { mark: "2" } }),
    "refused protected",
  ),
  row(
    "issues without revoking for a protected member",
    nothing,
    ada({ userId: "u-1", protected: true, token: { replaceExisting: true } }),
    ["~adopt user · 6 · 7 · ~protected", "~adopt user? · 6 · 7? · ~protected"],
    "not run",
  ),
  // pending creations
  row("adds a person once more", pending(), ada(), ["5 · 6n · 7n", "waits userUndecided"]),
  row("waits after the second request", pending({ again: true }), ada(), "waits userUndecided"),
  row("waits for a machine user", pendingMachine(), builds(), "waits userUndecided"),
  row(
    "adds a machine user who is approved to be missing",
    pendingMachine(),
    { ...builds(), missing: { of: "creation", since: PAST } },
    ["5 · 6n · 7n", "5? · 6n · 7n"],
  ),
  row(
    "takes the machine user that the list shows",
    pendingMachine({ before: [] }),
    builds(),
    "~observed · 6 · 7",
    lists(listed({ email: null, firstName: "Builds", hasSeat: false, tokens: [] })),
  ),
  row(
    "adds a machine user whom the list lacks",
    pendingMachine({ before: [] }),
    builds(),
    "~observed · 5 · 6n · 7n",
    lists(),
  ),
  row(
    "waits for a machine user after a timeout",
    pendingMachine({ before: [], late: true }),
    builds(),
    "waits userUndecided",
    lists(),
  ),
  row(
    "waits where several users may be the new one",
    pendingMachine({ before: [] }),
    builds(),
    "waits userAmbiguous",
    lists(
      listed({ email: null, firstName: "Builds" }),
      listed({ id: "u-2", email: null, firstName: "Builds" }),
    ),
  ),
  row(
    "adopts the user of a creation without an answer",
    pendingMachine(),
    { ...builds(), userId: "u-1" },
    ["~adopt user · 6 · 7", "~adopt user? · 6 · 7?"],
    "not run",
  ),
  row("waits where another address is wanted meanwhile", pending(), changed(), "waits pendingOther"),
  row(
    "keeps a creation without an answer while the list may hide it",
    pendingMachine(),
    leaver,
    "~leaving; waits userUndecided",
    { users: [], isHiding: true },
  ),
  row("forgets a creation without an answer where nobody is wanted", pendingMachine(), leaver, [
    "~pending pending · ~leaving; note pendingForgotten",
    "~leaving; waits userUndecided",
  ]),
  row(
    "waits where a removal got no answer",
    one({ seat: "none", tokens: [], asked: { what: "user", at: NOW } }),
    ada(),
    "waits removalUndecided",
  ),
  // users, each proven absent
  row("adds again who is gone", full, ada(), "~observed · 5 · 6n · 7n", { users: [], absent: ["u-1"] }),
  row("notes a seat that is gone", full, ada(), "~observed · 6", lists(listed({ hasSeat: false }))),
  row(
    "notes a token that is revoked",
    full,
    ada(),
    "~observed · 7",
    lists(listed({ tokens: [{ id: "t-1", end: SUBSCRIPTION, isRevoked: true }] })),
  ),
  row(
    "notes another expiry",
    full,
    ada(),
    "~observed · 8",
    lists(listed({ tokens: [{ id: "t-1", end: EARLIER }] })),
  ),
  row(
    "notes a seat that someone else assigned",
    one({ seat: "none", tokens: [] }),
    ada({ token: undefined }),
    "~observed · ~user seat",
    lists(listed({ tokens: [] })),
  ),
  // the state alone
  row(
    "notes settings",
    full,
    ada({
      key: "ada",
      firstName: "Ada",
      team: "Engines",
      accessUntil: "2027-06-01T23:59:59Z",
      onDeleteUser: "retain",
      onDeleteSeat: "retain",
      protected: true,
      token: { rotateEvery: "3000d", keepPreviousFor: "7d", renewBefore: "30d" },
    }),
    "~onDelete · ~protected · ~accessUntil · ~renewBefore · ~rotateEvery · ~keepPreviousFor · ~names · ~team · ~key key",
  ),
  row(
    "notes the end of settings",
    one({}, { ...retained, rotateEvery: "3000d", team: "Engines" }),
    ada(),
    "~onDelete · ~rotateEvery · ~team",
  ),
  row(
    "notes a later subscription with the renewal",
    full,
    ada({ subscriptionExpiresAt: "2028-06-30T23:59:59Z" }),
    "8",
  ),
  // unknown inputs
  row(
    "may move to an unknown address",
    full,
    ada({ email: unknown }),
    "…5 · …9 …10 …6 …7 · …11 · …~",
    "not run",
  ),
  row(
    "may change an unknown seat and token",
    full,
    ada({ seat: unknown, token: unknown }),
    "…10 · …9",
    "not run",
  ),
  row("may issue an unknown token", one({ tokens: [] }), ada({ token: unknown }), "…7", "not run"),
  row(
    "may renew, rotate, and remove",
    full,
    ada({ accessUntil: unknown, token: { mark: unknown, expiresAt: unknown } }),
    "…8 · …9 …7 · …9 …10 …11 · …~",
    "not run",
  ),
  row("may note settings", full, ada({ team: unknown }), "…~", "not run"),
  row(
    "adds with unknown inputs",
    nothing,
    ada({ email: unknown, subscriptionExpiresAt: unknown, token: { mark: unknown } }),
    ["5 · 6n · 7n · …~", "5? · 6n · 7n · …~"],
    "not run",
  ),
  row("replaces for another organization", full, ada({ organization: unknown }), "", "not run"),
];
