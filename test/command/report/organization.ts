/** Organizations for the report's tests: what a stack exports, and rosters for it. */

import { readState, type State } from "../../../command/members/state.ts";
import { MEMBER_TYPE } from "../../../command/members/state-members.ts";
import { type CollectOptions, factsOf, type ReportFacts } from "../../../command/report/facts.ts";
import { buildReport, type ReportOptions } from "../../../command/report/report.ts";
import type { Report } from "../../../command/report/schema.ts";
import type { Roster, RosterPerson } from "../../../command/roster/roster.ts";
import type { AuditLine } from "../../../command/service/audit-log.ts";

export const organizationId = "7f3a1c52-5d0e-4a54-9f61-0d6f0c1b2a3d";
export const now = Date.parse("2026-11-21T12:00:00Z");
const DAY_MS = 86_400_000;
export const inDays = (days: number): string => new Date(now + days * DAY_MS).toISOString();
export const subscriptionEnd = "2027-06-30T23:59:59Z";

export const SECRET = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "v1:bm90aGluZw==:c2VjcmV0",
};

/** One member as a state has it. */
export interface HeldMember {
  readonly key: string;
  /** Default: the key, if that is an email; else a machine user of that name. */
  readonly email?: string;
  readonly names?: readonly [string, string?];
  /** Default: one made of the key. */
  readonly userId?: string;
  readonly seat?: boolean | "unconfirmed";
  /** A timestamp, or none. Default: the subscription's end, as declared. */
  readonly token?: {
    readonly validUntil: string;
    readonly source: "service" | "declared";
    readonly rotateEvery?: string;
    readonly issuedAt?: string;
  } | null;
  readonly created?: string;
  readonly adopted?: boolean;
  readonly organizationId?: string;
}

export function userIdOf(key: string): string {
  return `user-of-${key.replaceAll(/[^A-Za-z0-9._-]/g, "-")}`;
}

/** A member as `pulumi stack export` prints it. */
export function exported(stack: string, name: string, rest: object): object {
  return {
    urn: `urn:pulumi:${stack}::acme::${MEMBER_TYPE}::${name}`,
    custom: true,
    type: MEMBER_TYPE,
    ...rest,
  };
}

function memberOf(stack: string, member: HeldMember): object {
  const { key, names, seat = true, created = "2026-03-02T08:00:00Z", adopted = false } = member;
  const email = member.email ?? (key.includes("@") ? key : undefined);
  const id = member.userId ?? userIdOf(key);
  const [purpose, lastName] = email === undefined ? (names ?? [key]) : [];
  const declared: HeldMember["token"] = { validUntil: subscriptionEnd, source: "declared" };
  const token = member.token === undefined ? declared : member.token;
  const user = {
    ...{ id, since: created, adopted, seatAdopted: adopted, seatSince: created },
    seat: seat === false ? "none" : seat === true ? "held" : seat,
    tokens:
      token === null
        ? []
        : [
            {
              ...{ adopted: false, issuedAt: token.issuedAt ?? created, declaredEnd: token.validUntil },
              ...(token.source === "service" && { reportedEnd: token.validUntil }),
              value: "kept",
            },
          ],
  };
  const agreed = { subscriptionExpiresAt: subscriptionEnd, rotateEvery: token?.rotateEvery };
  return exported(stack, key, {
    ...{ id: `ref-of-${key}`, created, modified: created },
    outputs: {
      ...{ stateVersion: 1, instance: "0d3f5f1b", __provider: "exports.handler=1", email, purpose, lastName },
      ...{ organizationId: member.organizationId ?? organizationId, tokenValue: SECRET },
      held: { ref: `ref-of-${key}`, key, users: [user], agreed },
    },
  });
}

export function stackExport(
  stack: string,
  members: readonly HeldMember[],
  {
    more = [],
    pending = [],
  }: { readonly more?: readonly object[]; readonly pending?: readonly object[] } = {},
): { stack: string; state: State } {
  const root = {
    urn: `urn:pulumi:${stack}::acme::pulumi:pulumi:Stack::acme-${stack}`,
    type: "pulumi:pulumi:Stack",
  };
  const resources = [root, ...members.map((member) => memberOf(stack, member)), ...more];
  const deployment = { resources, pending_operations: pending };
  return { stack, state: readState(stack, { version: 3, deployment }) };
}

export function person(key: string, rest: Partial<RosterPerson> = {}): RosterPerson {
  const who = key.includes("@") ? { email: key } : { purpose: key };
  return { key, ...who, seat: true, token: true, protected: false, place: "people.csv, line 7", ...rest };
}

export function roster(people: readonly RosterPerson[], rest: Partial<Roster> = {}): Roster {
  return {
    ...{
      file: "people.csv",
      organizationId,
      subscriptionExpiresAt: subscriptionEnd,
      seats: people.length + 3,
    },
    ...{ onDelete: "delete", people },
    ...rest,
  };
}

/** The facts of an export. */
export function reportFactsOf(
  { stack, state }: ReturnType<typeof stackExport>,
  ...rest: [roster: Roster, audit: readonly AuditLine[] | undefined, options: CollectOptions]
): ReportFacts {
  return factsOf(stack, state, ...rest);
}

/** The report on the members of a stack. */
export function reportOn(
  held: readonly HeldMember[],
  listed: Roster,
  {
    month,
    due,
    idleDays,
    ...facts
  }: Pick<ReportOptions, "month" | "due" | "idleDays"> & Partial<CollectOptions> = {},
): Report {
  const collected = reportFactsOf(stackExport("a", held), listed, [], { now, ...facts });
  return buildReport(collected, { month, due, idleDays });
}

const teams = ["Design", "Platform", "Data", "Support", "Field"];

/** So many people of every kind, whose tokens end at many dates, the same ones every time. */
export function invented(count: number): { readonly held: HeldMember[]; readonly people: RosterPerson[] } {
  const held = Array.from({ length: count }, (_, index): HeldMember => {
    const key = index % 11 === 5 ? `Build machine ${index}` : `person${index}@acme.example`;
    const end = inDays(((index * 37) % 400) - 12).replace(".000Z", "Z");
    const isEarly = index % 4 === 1;
    return {
      key,
      ...(key.includes("@") ? { names: [`Given${index}`, `Family${index}`] as const } : {}),
      seat: index % 50 === 7 ? false : index % 97 === 3 ? "unconfirmed" : true,
      token:
        index % 50 === 7
          ? null
          : { validUntil: isEarly ? end : subscriptionEnd, source: index % 3 === 0 ? "declared" : "service" },
      created: inDays(-((index * 13) % 300)),
    };
  });
  const people = held
    .filter((_, index) => index % 60 !== 9)
    .map(({ key, names }, index) =>
      person(key, { team: teams[index % teams.length], firstName: names?.[0], lastName: names?.[1] }),
    );
  return { held, people: [...people, person("newcomer@acme.example", { team: "Design" })] };
}
