/** `orgseat reclaim`: takes idle seats out of the roster, after a notice. It asks the service for the time, and changes nothing there. */
import { wrongClock } from "../../provider/direct/service-clock.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { DAY_MS, formatInstant } from "../../provider/util/instants.ts";
import type { ReportedPerson } from "../report/schema.ts";
import { DEFAULT_IDLE_DAYS } from "../report/seat-use.ts";
import { dayOf } from "../report/texts/phrases.ts";
import { diffOf, removePeople, setEach } from "../roster/edit/edit.ts";
import { readRosterText, rewriteRoster } from "../roster/formats/roster-text.ts";
import { readLastSeen, requireFresh, staleness } from "../roster/last-seen.ts";
import { rosterIn } from "../roster/read.ts";
import { labelOf, type RosterPerson } from "../roster/roster.ts";
import type { Organization } from "../stacks/organization.ts";
import { reportOfState } from "./report-all.ts";

/** Days between the notice and the run that takes the seat. */
export const NOTICE_DAYS = 7;

export interface ReclaimOptions {
  /** A CSV file with the columns `email` and `last_seen`. */
  readonly lastSeen: string;
  /** Days without use after which a seat counts as idle, at least 1. Default: 30. */
  readonly idleDays?: number | undefined;
  /** Whether to remove the rows. Default: false, so the people stay members without seat and token. */
  readonly removeRows?: boolean | undefined;
}

/** Emails. */
export interface ReclaimResult {
  /** Who keeps no seat. */
  readonly reclaimed: readonly string[];
  /** Whose seat a run can take, from `NOTICE_DAYS` days on. */
  readonly noticed: readonly string[];
  /** Whose notice is younger. */
  readonly waiting: readonly string[];
  /** Whose notice is withdrawn. */
  readonly withdrawn: readonly string[];
  /** A unified diff of the roster; empty if nothing changed. */
  readonly diff: string;
}

type Decision = "reclaim" | "notice" | "wait" | "withdraw";

/** @throws Error for a file of last uses, or a roster, with errors, and for a file that is too old: then the roster stays as it is */
export async function reclaimSeats(
  organization: Organization,
  { lastSeen: seenFile, idleDays = DEFAULT_IDLE_DAYS, removeRows = false }: ReclaimOptions,
): Promise<ReclaimResult> {
  const { file, roster, now: clock } = organization;
  const now = clock();
  const lastSeen = await readLastSeen(seenFile, now);
  // By a wrong clock, a new file is old.
  if (staleness(lastSeen, now) !== undefined) await requireTime(organization);
  requireFresh(seenFile, lastSeen, now);
  const { people } = await reportOfState(
    organization,
    await organization.state(),
    { idleDays },
    { lastSeen },
  );
  const uses = new Map(people.flatMap(({ key, seatUse }) => (key === null ? [] : [[key, seatUse] as const])));
  const decided = Map.groupBy(roster.people, (person) =>
    decisionOn(person, uses.get(person.key) ?? null, now),
  );
  const keysOf = (decision: Decision) => (decided.get(decision) ?? []).map(({ key }) => key);
  if (keysOf("notice").length + keysOf("reclaim").length > 0) await requireTime(organization);
  const today = dayOf(formatInstant(now));
  const notices = new Map([
    ...keysOf("notice").map((key) => [key, today] as const),
    ...[...keysOf("withdraw"), ...keysOf("reclaim")].map((key) => [key, ""] as const),
  ]);
  const before = await readRosterText(file, roster.file);
  const noticed = setEach(before, "idle_notice", notices);
  const gone = keysOf("reclaim");
  const after = removeRows
    ? removePeople(noticed, gone)
    : setEach(setEach(noticed, "seat", without(gone)), "token", without(gone));
  rosterIn(after);
  await rewriteRoster(file, before, after);
  const namesOf = (decision: Decision) => (decided.get(decision) ?? []).map(labelOf);
  return {
    reclaimed: namesOf("reclaim"),
    noticed: namesOf("notice"),
    waiting: namesOf("wait"),
    withdrawn: namesOf("withdraw"),
    diff: diffOf(before, after),
  };
}

/** Call it before time decides about seats. @throws CodedError `clock-skew` if this machine's clock is wrong */
async function requireTime({ config: values, environment, now }: Organization): Promise<void> {
  const config = (key: string) => values.get(key);
  const reason = await wrongClock({ config, environment }, now);
  if (reason !== undefined) throw new CodedError("clock-skew", `cannot reclaim seats: ${reason}`);
}

/** Undefined if the row stays as it is. Who is not in the file is unknown, and never idle. */
export function decisionOn(
  { seat, protected: isProtected, exempt = isProtected, idleNotice }: RosterPerson,
  use: ReportedPerson["seatUse"],
  now: number,
): Decision | undefined {
  const isIdle = seat && use?.status === "idle";
  const isInUse = use?.status === "used" || use?.status === "new";
  if (idleNotice !== undefined && (exempt || isInUse || !seat)) return "withdraw";
  if (!isIdle || exempt) return undefined;
  // A notice is a day, whenever the runs are. Someone who was seen after a notice gets another one.
  const isNoticed = idleNotice !== undefined && dayOf(idleNotice) >= dayOf(use.unusedSince ?? "");
  if (!isNoticed) return "notice";
  const days = (Date.parse(dayOf(formatInstant(now))) - Date.parse(dayOf(idleNotice))) / DAY_MS;
  return days >= NOTICE_DAYS ? "reclaim" : "wait";
}

function without(keys: readonly string[]): Map<string, false> {
  return new Map(keys.map((key) => [key, false]));
}
