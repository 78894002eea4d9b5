/** What goes wrong on a day, and what the administrators do about it, as the documentation says. */
import { expect } from "vitest";
import type { Fault } from "../../sandbox/service/base/fault-injection.ts";
import type { ServiceSnapshot } from "../../sandbox/service/index.ts";
import { completedCallsIn } from "../command/fixture.ts";
import type { NewPerson } from "../command/people.ts";
import { editAtOnce } from "./administrators.ts";
import type { Disturbance, Happening } from "./calendar.ts";
import { anew, oneOf } from "./edits.ts";
import type { Months } from "./months.ts";

type Draw = () => number;

/** @returns the users whose tokens may have been replaced, because their values were lost */
export async function disturb(months: Months, { kind, draw }: Happening<Disturbance>): Promise<Set<string>> {
  const { management } = months;
  const touched = await disturbances[kind](months, draw);
  await management.clearFaults();
  months.count(kind);
  return touched ?? new Set();
}

const disturbances: Readonly<
  Record<Disturbance, (months: Months, draw: Draw) => Promise<Set<string> | undefined>>
> = {
  "service away for days": (months) => withFault(months, { kind: "cut-before" }),
  "service away within a run": (months, draw) =>
    withFault(months, { kind: "cut-before" }, Math.ceil(draw() * 8)),
  async "requests refused"(months, draw) {
    const status = oneOf(draw, [403, 409, 422, 429, 500, 503]) ?? 500;
    const call = 5 + Math.floor(draw() * 7);
    await withFault(months, { kind: "refuse", status }, 0, { call });
  },
  async "answers lost"(months, draw) {
    const kind = oneOf(draw, ["cut-before", "cut-after", "cut-middle"] as const) ?? "cut-after";
    await withFault(months, { kind }, 0, { call: 5 + Math.floor(draw() * 7) });
  },
  async "run killed"(months, draw) {
    const killed = {
      write: Math.ceil(draw() * 4),
      place: oneOf(draw, ["before", "after"] as const) ?? "after",
    };
    const { status } = await months.command.up({ killed });
    months.count(`killed: ${status === "killed" ? "at a write" : "after the end"}`);
    await months.readBack();
    return undefined;
  },
  "state restored": restore,
  "two administrators": (months, draw) => atOnce(months, draw, false),
  "stale plan": (months, draw) => atOnce(months, draw, true),
};

/** After the edits of the day are applied, as their runs may ask something: a new token can be due for renewal at once. */
async function atOnce(months: Months, draw: Draw, isStale: boolean): Promise<undefined> {
  await settle(months, new Set());
  if (await months.command.hasChanges()) await settle(months, new Set());
  return editAtOnce(months, draw, isStale);
}

/** A run while requests fail, from one on. */
async function withFault(
  months: Months,
  fault: { kind: Fault["kind"]; status?: number },
  after = 0,
  match = {},
) {
  const { management } = months;
  const rule = { match, fault: fault as Fault, times: "always" as const, after };
  await management.addFaults(rule);
  const { status, text } = await months.command.up({ isBrief: true });
  if (status !== "succeeded") expect(text).not.toBe("");
  months.count(`a run with a fault: ${status}`);
  await months.readBack();
  return undefined;
}

/** The state of an earlier day; the users and tokens that it lacks are in the log of the service, as in the audit log. */
async function restore(months: Months, draw: Draw): Promise<Set<string>> {
  const backup = oneOf(draw, months.backups.slice(0, -1));
  if (backup === undefined) throw new Error("no backup");
  // The rows are applied before: otherwise an edited one would say what a user gets whom it adopts.
  await settle(months, new Set());
  backup.restore();
  const { users } = await months.snapshot();
  const requests = await months.management.requests(backup.requests);
  const done = completedCallsIn(requests);
  const withCall = (...calls: number[]) =>
    new Set(done.flatMap((one) => (calls.includes(one.call) ? one.userId : [])));
  const [added, issued, renewed] = [withCall(5), withCall(7), withCall(8)];
  const adopted = new Set<string>();
  const people = months.roster.people.map((row): NewPerson => {
    const { userId } = userOf(row, users) ?? {};
    // Whoever's access has ended is not adopted.
    if (userId === undefined || (row.accessUntil && Date.parse(row.accessUntil) <= months.now)) return row;
    adopted.add(userId);
    if (issued.has(userId) && months.platform === "anaconda") return adopting(row, userId);
    return added.has(userId) ? { ...row, userId } : row;
  });
  months.setRows(people);
  const isGone = ({ key, userId }: NewPerson): boolean => {
    const old = backup.held.get(key)?.id;
    const isThere = users.some((user) => user.userId === old);
    return months.platform === "basic" && userId === undefined && old !== undefined && !isThere;
  };
  // Nothing knows those who joined after it, and whose row is deleted: they are removed by hand.
  for (const { userId } of users) {
    if (!added.has(userId) || adopted.has(userId)) continue;
    await months.management.removeUser(userId);
    months.count("unknown user removed by hand");
  }
  await leaveOut(months, people.filter(isGone));
  return new Set([...issued, ...renewed]);
}

/** A run without these rows, which are back afterwards: the state has users for them who are gone, and nothing tells it. */
async function leaveOut(months: Months, gone: readonly NewPerson[]): Promise<void> {
  if (gone.length === 0) return;
  const keys = new Set(gone.map(({ key }) => key));
  months.setRows(months.roster.people.filter(({ key }) => !keys.has(key)));
  await settle(months, new Set());
  months.setRows([...months.roster.people, ...gone]);
  months.count("left since the backup, and back", gone.length);
}

function userOf({ email, purpose }: NewPerson, users: ServiceSnapshot["users"]) {
  return users.find((user) => (user.email ?? user.firstName) === (email ?? purpose));
}

function adopting(row: NewPerson, userId: string): NewPerson {
  return { ...row, userId, ...(row.token && { adoptToken: true }) };
}

/**
 * Refusals whose messages say what to do: the list of users lacks more people of an old state than a run may lose; a killed run
 * has cut the state off.
 */
const SETTLED = ["incomplete-list", "invalid-state"];

/**
 * Runs `up` until it succeeds, and answers what it asks as its messages say.
 * @param touched the users whose tokens the state may lack @returns whether it asked anything
 */
export async function settle(months: Months, touched: ReadonlySet<string>): Promise<boolean> {
  const refresh = touched.size > 0 && months.platform === "anaconda";
  let approve: string | undefined;
  /** How many people of the state the list of users may lack. */
  let absent: string | undefined;
  /** Rows that are left out of a run: in the state of a backup, the person is another user, who is gone. */
  let again: NewPerson[] = [];
  for (let runs = 0; ; runs++) {
    const run = await months.command.up({ approve, refresh, absent });
    const { status, guards, refusal, open, override, text } = run;
    await months.readBack();
    if (refusal !== undefined && !SETTLED.includes(refusal)) throw new Error(text);
    absent ??= /lacks (\d+) people/.exec(text)?.[1];
    if (status === "succeeded" && again.length === 0) return (await renewLost(months, touched)) || runs > 0;
    if (runs === 5) throw new Error(`no end: ${text}`);
    approve = override;
    const { users } = await months.snapshot();
    const codes = new Map(open.map(({ key, code }) => [key, code]));
    for (const code of [...guards, ...(refusal ? [refusal] : []), ...codes.values()])
      months.count(`asked: ${code}`);
    const unused = new Set<string>();
    const people = months.roster.people.map((row): NewPerson => {
      const user = userOf(row, users);
      const code = codes.get(row.key) ?? "";
      if (code === "token-undecided" && touched.size === 0 && user) {
        unused.add(user.userId);
        return row;
      }
      return answered(row, code, user?.userId);
    });
    if (unused.size > 0) await months.revokeUnknown(unused);
    if (text.includes("this roster does not manage")) await removeOwn(months, text);
    for (const [key, code] of codes) if (code === "ambiguous") await revokeOthers(months, key);
    const isOther = ({ key }: NewPerson) => codes.get(key) === "cannot-adopt";
    months.setRows([...people.filter((row) => !isOther(row)), ...again]);
    again = people.filter(isOther);
    const unrenewed = [...codes].flatMap(([key, code]) => (code === "token-date" ? key : []));
    for (const key of unrenewed) await months.rotate(key);
  }
}

/** A member keeps seat and membership while a token is live that no state has: it is revoked by hand. */
async function removeOwn(months: Months, text: string): Promise<void> {
  for (const { tokenId, userId } of (await months.snapshot()).tokens)
    if (months.ownTokens.has(tokenId) && text.includes(userId))
      await months.management.changeToken(tokenId, { revoked: true });
}

/** The message names the tokens of the person, and asks for all but one to be revoked. */
async function revokeOthers(months: Months, key: string): Promise<void> {
  const { users, tokens } = await months.snapshot();
  const row = months.roster.people.find((one) => one.key === key);
  const { userId } = (row && userOf(row, users)) ?? {};
  for (const { tokenId } of tokens.filter((one) => one.userId === userId).slice(0, -1))
    await months.management.changeToken(tokenId, { revoked: true });
}

/** The row, as the message with this code says. */
function answered(row: NewPerson, code: string, userId: string | undefined): NewPerson {
  // Without a renewed subscription, a renewal changes nothing on `basic`: another date, and a new value.
  const { expires: _, window: __, ...plain } = row;
  if (code === "token-date") return plain;
  if (userId === undefined) return row;
  if (code === "token-undecided") return adopting(row, userId);
  return ["user-exists", "undecided", "machine-user-undecided", "token-exists"].includes(code)
    ? { ...row, userId }
    : row;
}

/** Values of the state that do not work are replaced. @returns whether there were any */
async function renewLost(months: Months, touched: ReadonlySet<string>): Promise<boolean> {
  if (touched.size === 0) return false;
  const { tokens, users } = await months.snapshot();
  const live = new Set(tokens.map(({ hash }) => hash));
  const held = new Map((await months.command.tokens()).map((one) => [one.userId, one.hash]));
  const lost = months.roster.people.filter((row) => {
    const { userId = "" } = userOf(row, users) ?? {};
    return row.token && touched.has(userId) && held.has(userId) && !live.has(held.get(userId) ?? "");
  });
  for (const { key } of lost) await months.rotate(key);
  months.count("value lost and replaced", lost.length);
  const people = months.roster.people.map((row): NewPerson => {
    const { adoptToken: _, ...rest } = row;
    return months.isDirectory && row.email !== undefined ? anew(row) : rest;
  });
  months.setRows(people);
  return settle(months, new Set());
}
