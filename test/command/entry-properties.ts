/**
 * The properties of every run, by person and operation: the service got nothing but entries of the plan, the results are those
 * of the audit log, and the text names every entry.
 */
import { expect } from "vitest";
import { serviceOperation } from "../../command/members/action-table.ts";
import type { PlanEntry } from "../../command/members/entries.ts";
import { describePlanned } from "../../command/plan/actions.ts";
import type { PlannedMember } from "../../command/plan/members.ts";
import type { Plan } from "../../command/plan/plan.ts";
import { planLines, planToText } from "../../command/plan/texts/text.ts";
import { personName } from "../../command/roster/roster.ts";
import { type EntryResult, isSettled, type MemberResult } from "../../command/run/member-results.ts";
import { type AuditLine, readAudit } from "../../command/service/audit-log.ts";
import type { Organization } from "../../command/stacks/organization.ts";
import type { UpResult } from "../../command/verbs/up.ts";
import { calls } from "../../provider/api/calls/calls.ts";
import { capabilitiesOf } from "../../provider/config/settings.ts";
import type { LoggedRequest } from "../../sandbox/service/index.ts";
import type { Fixture, User } from "./fixture.ts";

/** A run of a plan, and what came of it. */
export interface PlayedRun {
  readonly organization: Pick<Organization, "auditFile" | "run" | "settings">;
  /** Undefined if no plan was shown. */
  readonly plan: Plan | undefined;
  /** Undefined for a killed run. */
  readonly results: readonly MemberResult[] | undefined;
  /** The requests of this run alone. */
  readonly requests: readonly LoggedRequest[];
  /** The users of the service, before the run and after it. */
  readonly users: readonly User[];
  /** The user whose token the command revokes by name, before any preview. */
  readonly offboarded?: string | undefined;
}

/** An entry of a plan, with what its person's result says. */
type Said = Pick<MemberResult, "alreadyGone" | "code" | "status" | "actions"> & {
  readonly entry: PlanEntry;
};

/** One write, of the service's log or of the audit log. */
interface Sent {
  readonly operation: string;
  /** Undefined for an "add user" without a known answer. */
  readonly userId: string | undefined;
}

export async function expectEntries({ plan, ...run }: PlayedRun): Promise<void> {
  if (plan === undefined) return expectNothing(run);
  const persons = expectPlanned({ ...run, plan });
  if (run.results === undefined) return;
  const { auditFile, run: own } = run.organization;
  const lines = ((await readAudit(auditFile))?.lines ?? []).filter((line) => line.run === own.id);
  expectAudited(lines, run.requests, persons);
  const isListed = capabilitiesOf(run.organization.settings).canListUsers;
  expectResults(lines, run.results, persons, isListed);
}

/** Runs a command, and holds what it did against its plan. @returns its result and requests */
export async function checkedRun(
  fixture: Fixture,
  organization: Organization,
  command: (organization: Organization) => Promise<UpResult>,
): Promise<UpResult & { readonly requests: readonly LoggedRequest[] }> {
  const before = await fixture.users();
  await fixture.sandbox.requests();
  const result = await command(organization);
  const requests = await fixture.sandbox.requests();
  const users = [...before, ...(await fixture.users())];
  const results = result.applied?.results ?? [];
  await expectEntries({ organization, plan: result.preview.plan, results, requests, users });
  return { ...result, requests };
}

/** What holds of a run whose results no one says. */
export function expectPlanned(
  run: Pick<PlayedRun, "requests" | "users" | "offboarded"> & { readonly plan: Plan },
): Persons {
  const persons = new Persons(run);
  expectNamed(run.plan);
  expectSent(run.requests, persons);
  return persons;
}

/** Without a plan, a token is revoked that was asked for by name, and nothing else is sent. */
function expectNothing({ requests, offboarded }: Pick<PlayedRun, "requests" | "offboarded">): void {
  const writes = requests.flatMap(writeIn).filter((one) => !isOffboarding(one, offboarded));
  expect(writes.map(nameOf)).toEqual([]);
}

function isOffboarding({ operation, userId }: Sent, offboarded: string | undefined): boolean {
  return operation === calls.revokeToken.name && userId === offboarded;
}

/** The text has each entry on a line of its person. */
export function expectNamed(plan: Plan): void {
  const text = planToText(plan, [], { verbose: true });
  const lines = Map.groupBy(planLines(plan), ({ who }) => who);
  for (const { who, action } of plan.entries) {
    expect(text).toContain(who);
    const said = lines.get(who)?.map(({ what }) => what);
    if (action !== "note") expect(said?.join("\n"), who).toContain(describePlanned([action]));
  }
}

/** The service got nothing but entries of the plan, each creation at most once. */
function expectSent(requests: readonly LoggedRequest[], persons: Persons): void {
  const writes = requests.flatMap(writeIn);
  for (const [index, write] of writes.entries()) expectAllowed(write, writes.slice(0, index), persons);
  const created = requests.filter(({ status }) => status !== null && status < 300).flatMap(writeIn);
  for (const [name, all] of Map.groupBy(created, nameOf)) {
    const [first] = all;
    if (first?.operation !== calls.createUser.name && first?.operation !== calls.issueToken.name) continue;
    expect(all.length, name).toBeLessThanOrEqual(persons.entriesOf(first).length);
  }
}

/** A write is in the plan, or revokes a token that was issued without a known value. */
function expectAllowed(write: Sent, before: readonly Sent[], persons: Persons): void {
  expect(persons.allow(write) || isRepair(write, before), `${nameOf(write)} is in the plan`).toBe(true);
}

function isRepair(write: Sent, before: readonly Sent[]): boolean {
  if (write.operation !== calls.revokeToken.name) return false;
  return before.some((one) => one.operation === calls.issueToken.name && isSameUser(one, write));
}

/** The audit log has what the service got, and nothing else. */
function expectAudited(
  lines: readonly AuditLine[],
  requests: readonly LoggedRequest[],
  persons: Persons,
): void {
  const got = requests.filter((request) => writeIn(request).length > 0);
  for (const [index, line] of lines.entries()) {
    const { call, id, status, name } = line;
    const same = got.filter((one) => one.call === call && (one.userId ?? undefined) === id);
    if (status !== undefined)
      expect(
        same.map((one) => one.status),
        `${name} of ${id}`,
      ).toContain(status);
    expectAllowed(sentIn(line), lines.slice(0, index).map(sentIn), persons);
  }
  for (const { call, userId, status } of got) {
    if (status === null || status >= 300) continue;
    const same = lines.filter((line) => line.call === call && (line.id === userId || line.id === undefined));
    expect(same.length, `call ${call} of ${userId} is audited`).toBeGreaterThan(0);
  }
}

/** Each entry of a result says what the audit log says about the person and the operation. */
function expectResults(
  lines: readonly AuditLine[],
  results: readonly MemberResult[],
  persons: Persons,
  isListed: boolean,
): void {
  const said = results
    .flatMap((result) => persons.entriesIn(result).map((one) => ({ ...result, ...one })))
    .filter(({ entry }) => serviceOperation(entry.operation) !== undefined);
  for (const [what, group] of Map.groupBy(said, ({ entry }) => persons.nameOf(entry))) {
    const [first] = group;
    if (first === undefined) continue;
    const own = lines.filter((line) => line.id !== undefined && persons.isOf(first.entry, sentIn(line)));
    const planned = persons.countOf(what);
    // An "add user" without an answer names no one in the log.
    const unnamed = lines.filter((line) => line.id === undefined && line.name === first.entry.operation);
    if (planned > 1) {
      // Two machine users of the same names: the log does not report which one is whose.
      const done = own.filter(({ outcome }) => outcome === "done").length;
      const said = group.filter(({ result }) => result === "done").length;
      // A list can show that there is nothing to revoke, or whom a request without an answer has added.
      const unlogged = first.entry.operation === calls.revokeToken.name ? planned : unnamed.length;
      if (planned === group.length) expect(said, what).toBeGreaterThanOrEqual(done);
      expect(said, what).toBeLessThanOrEqual(done + unlogged);
      continue;
    }
    // The service said that it had renewed the token, and the date shows that it had not.
    const isUnrenewed = first.code === "token-date" && first.entry.operation === calls.renewToken.name;
    // The service said so of everything that the run asked about, which proves nothing (D15).
    const isDenied =
      /says so of all \d+ users/.test(first.text ?? "") && own.every(({ status }) => status === 404);
    const outcome = isUnrenewed || isDenied ? "failed" : outcomeOf(own);
    // A list of the same run shows whom a request without an answer has added.
    const settled = unnamed.length > 0 && persons.isThere(first.entry) ? ["done"] : [];
    // What a step reads first can fail, or show that there is nothing to revoke.
    const unsent = [
      "not sent",
      "failed",
      ...(first.entry.operation === calls.revokeToken.name ? ["done"] : []),
    ];
    // With a list, a read settles a write without an answer.
    const read = isListed && outcome === "unknown" ? (["done", "not sent"] as const) : [];
    const expected =
      own.length > 0
        ? [outcome, ...read]
        : [...unsent, ...unnamed.map((line) => outcomeOf([line])), ...settled];
    // It revoked a token that was issued without a known value, not the one of the entry.
    const repairs = own.filter((line) =>
      isRepair(sentIn(line), lines.slice(0, lines.indexOf(line)).map(sentIn)),
    );
    if (own.length > 0 && repairs.length === own.length) expected.push(...unsent);
    expect(expected, what).toContain(first.result);
    // What was revoked by name is gone before the plan's own request.
    const isByName = own.some((line) => persons.isByName(sentIn(line)));
    if (isSettled(first) && !isByName && repairs.length === 0) expectGone(first, own);
  }
}

/** A removal is said to be done, or to have found nothing, as the service answered. */
function expectGone({ entry, alreadyGone }: Said, lines: readonly AuditLine[]): void {
  const isRemoval = lines.every(({ name = "" }) => /^(remove|revoke) /.test(name));
  // A repeat that finds nothing cannot tell whether the one whose answer was lost has done it, or someone before.
  if (!isRemoval || lines.length === 0 || lines.some(({ outcome }) => outcome !== "done")) return;
  const isDone = lines.some(({ status = 0 }) => status < 300);
  expect(alreadyGone.includes(entry.action), `${entry.operation} of ${entry.who}`).toBe(!isDone);
}

function outcomeOf(lines: readonly AuditLine[]): EntryResult {
  if (lines.some(({ outcome }) => outcome === "done")) return "done";
  return lines.at(-1)?.outcome === "refused" ? "failed" : "unknown";
}

/** Which entries of a plan are about the user of a write. */
class Persons {
  readonly #plan: Plan;
  readonly #users: ReadonlyMap<string, User>;
  readonly #members: ReadonlyMap<PlanEntry, PlannedMember>;
  readonly #offboarded: string | undefined;

  constructor({ plan, users, offboarded }: Parameters<typeof expectPlanned>[0]) {
    this.#plan = plan;
    this.#offboarded = offboarded;
    this.#users = new Map(users.map((user) => [user.userId, user]));
    this.#members = new Map(
      plan.members.flatMap((member) => member.entries.map((entry) => [entry, member] as const)),
    );
  }

  isByName(write: Sent): boolean {
    return isOffboarding(write, this.#offboarded);
  }

  /** Whether the write is in the plan, or was asked for by name. */
  allow(write: Sent): boolean {
    return this.isByName(write) || this.entriesOf(write).length > 0;
  }

  entriesOf(write: Sent): PlanEntry[] {
    return this.#plan.entries.filter(
      (entry) =>
        this.isOf(entry, write) ||
        (entry.action === "adoptSeat" && write.operation === "assign seat" && this.#isAbout(entry, write)),
    );
  }

  /** The entries of the plan that a result has; none for a change that the provider refused because it was not planned. */
  entriesIn({ key, stack, who, entries }: MemberResult): { entry: PlanEntry; result: EntryResult }[] {
    const member = this.#plan.members.find(
      (one) => one.key === key && one.stack === stack && (one.label === who || one.label === key),
    );
    if (member?.entries.length !== entries.length) return [];
    return member.entries.flatMap((entry, index) => {
      const result = entries[index]?.result;
      return result === undefined ? [] : { entry, result };
    });
  }

  /** Whether the service has the user whom an entry adds. */
  isThere(entry: PlanEntry): boolean {
    return [...this.#users.keys()].some((userId) =>
      this.#isAbout(entry, { userId, operation: entry.operation }),
    );
  }

  /** How many entries of the plan have the name. */
  countOf(name: string): number {
    return this.#plan.entries.filter((entry) => this.nameOf(entry) === name).length;
  }

  nameOf(entry: PlanEntry): string {
    return `${entry.operation} of ${entry.id ?? this.#comingTo(entry)}`;
  }

  isOf(entry: PlanEntry, write: Sent): boolean {
    return entry.operation === write.operation && this.#isAbout(entry, write);
  }

  #isAbout(entry: PlanEntry, { userId }: Sent): boolean {
    if (userId === undefined) return entry.id === null;
    const { email, firstName, lastName } = this.#users.get(userId) ?? {};
    const name = nameOfUser({ email, firstName, lastName });
    const person = entry.id ?? this.#comingTo(entry);
    return person === userId || (name !== undefined && person?.toLowerCase() === name);
  }

  /** The user id, otherwise the name, of who gets what an entry makes. */
  #comingTo(entry: PlanEntry): string | undefined {
    const { steps, userId } = this.#members.get(entry) ?? {};
    const isNew = steps?.plan.units.some((unit) => unit.steps.some(({ call }) => call === "add user"));
    if (!isNew || steps?.row === undefined) return userId;
    return steps.inputs?.adopt ?? personName(steps.row);
  }
}

function nameOfUser({
  email,
  firstName,
  lastName,
}: { readonly [name in "email" | "firstName" | "lastName"]: string | null | undefined }) {
  const [address, purpose, last] = [email, firstName, lastName].map((one) => one ?? undefined);
  const names = address === undefined ? { purpose, lastName: last } : { email: address };
  return personName(names)?.toLowerCase();
}

function writeIn({ call, method, userId }: LoggedRequest): Sent[] {
  if (method === "GET" || typeof call !== "number") return [];
  const operation = Object.values(calls).find(({ number }) => number === call)?.name ?? `call ${call}`;
  return [{ operation, userId: userId ?? undefined }];
}

function sentIn({ name = "", id }: AuditLine): Sent {
  return { operation: name, userId: id };
}

function isSameUser(a: Sent, b: Sent): boolean {
  return a.userId === b.userId;
}

function nameOf({ operation, userId }: Sent): string {
  return `${operation} of ${userId}`;
}
