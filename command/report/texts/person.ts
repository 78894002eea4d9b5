/** What `orgseat list` prints. */
import { grouped } from "../../../provider/util/text.ts";
import { describeOffboarded, type OffboardedPerson } from "../../roster/offboarded.ts";
import type { Roster } from "../../roster/roster.ts";
import type { AuditLine } from "../../service/audit-log.ts";
import type { ReportedPerson } from "../schema.ts";
import { whoColumn } from "./columns.ts";
import { dayOf, describeAccessLeft, describeSource, describeTokenLeft, minuteOf } from "./phrases.ts";
import { type Column, printable, type TableForm, tableText } from "./table.ts";

/** One person as `orgseat list WHO` prints it. Timestamps are RFC 3339 in UTC. */
export interface ShownPerson {
  readonly person: ReportedPerson;
  /** When orgseat issued the value of the token; null of an adopted one. */
  readonly issuedAt: string | null;
  /** The last entry of the offboarded list; null without one. */
  readonly offboarded: Pick<OffboardedPerson, "leftAt" | "by"> | null;
  /** The fingerprints of the public keys for which the token is sealed; empty if it is not sealed. */
  readonly sealedFor: readonly string[];
  /** The writes that concern the user, oldest first; null without an audit log. */
  readonly history: readonly PastWrite[] | null;
}

export type PastWrite = Pick<AuditLine, "time" | "name" | "outcome" | "status" | "run">;

export function peopleToText(people: readonly ReportedPerson[], form: TableForm = {}): string {
  const columns: readonly Column<ReportedPerson>[] = [
    whoColumn,
    { head: "In roster", cell: ({ inRoster }) => (inRoster ? "yes" : "no: row deleted") },
    { head: "Seat", cell: ({ seat }) => listedSeats[seat] },
    {
      head: "Expiry",
      cell: ({ token }) =>
        dayOf(token?.validUntil, "no token") + (token?.band === "expired" && !form.tsv ? " (expired)" : ""),
    },
  ];
  return people.length === 0 ? "No people." : tableText(columns, people, form);
}

const listedSeats = { none: "no", assigned: "yes", unconfirmed: "unconfirmed" } as const;

/** What to do if the state has no one of a roster: before its first run, or with the state lost. */
export function missingStatesNote(
  people: readonly ReportedPerson[],
  { id }: Pick<Roster, "id">,
): string | undefined {
  if (people.length === 0 || people.some(({ inState }) => inState)) return undefined;
  if (id === undefined)
    return "No state has these people: `orgseat up` adds them. If they are members already, use `orgseat adopt`.";
  return "This roster was applied before, but the state does not have its people. Check the backend (PULUMI_BACKEND_URL) and --stack. If the state is lost, use `orgseat adopt --new-stack`.";
}

const LEAVING = "the next `orgseat up` removes or retains this person";
const IGNORED = "every run ignores a row, and the next `orgseat up` ends what is left";

/** @param limit the number of writes to list, the newest ones */
export function personToText({ person, offboarded, sealedFor, history }: ShownPerson, limit: number): string {
  const { who, key, team, userId, stack, since, adopted, access, token } = person;
  const lines: readonly (readonly [name: string, value: string | null])[] = [
    ["Key", key === who ? null : key],
    ["Team", team],
    ["User ID", userId],
    ["Stack", stack ?? "none yet: the next `orgseat up` applies the row"],
    ["Offboarded", offboarded && `${describeOffboarded(offboarded)}; ${IGNORED}`],
    ["In roster", person.inRoster || offboarded ? null : `no: ${LEAVING}`],
    [adopted ? "Adopted" : "Added by orgseat", since && dayOf(since)],
    ["Access", access === null ? null : `${dayOf(access.until)}, ${describeAccessLeft(access)}`],
    ["Seat", person.seat],
    ["Products", person.products === null ? null : person.products.join(", ") || "none"],
    ["Token", describeToken(person)],
    ["Token adopted", token?.adoptedAt ? minuteOf(token.adoptedAt) : null],
    ["Token issued by orgseat", token?.issuedAt ? minuteOf(token.issuedAt) : null],
    ["Sealed for", sealedFor.length === 0 ? null : sealedFor.join(", ")],
  ];
  const shown = lines.flatMap(([name, value]) => (value === null ? [] : [`  ${name}: ${printable(value)}`]));
  return [printable(who), ...shown, ...historyLines(history, limit)].join("\n");
}

function describeToken({ token }: ReportedPerson): string {
  if (token === null) return "none";
  const left = token.band === "expired" ? "expired" : `expires in ${describeTokenLeft(token)}`;
  const due = token.rotationDue === null ? "" : `, due for rotation from ${dayOf(token.rotationDue)}`;
  return `${left} (${dayOf(token.validUntil)}, ${describeSource(token.source)})${due}`;
}

function historyLines(history: ShownPerson["history"], limit: number): string[] {
  if (history === null) return ["  History: unknown, because no audit log exists"];
  if (history.length === 0) return ["  History: no changes in the audit log"];
  const writes = history.slice(-limit).map(({ time, name = "write", outcome, status }) => {
    const result = outcome === "done" ? "" : `: ${outcome}${status === undefined ? "" : ` (HTTP ${status})`}`;
    return `    ${minuteOf(time)}  ${printable(name)}${result}`;
  });
  const older = history.length - writes.length;
  return [
    "  History:",
    ...(older > 0 ? [`    ${grouped(older)} older (--verbose lists all)`] : []),
    ...writes,
  ];
}
