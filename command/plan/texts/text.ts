/** A plan as plain text: a summary, then the changes per person, irreversible ones first. */

import { countedPeople, grouped, LISTED, limitOf, moreLines } from "../../../provider/util/text.ts";
import { describePlanned, isIrreversible, removesAccess } from "../actions.ts";
import { describeFile } from "../guards/file-guards.ts";
import type { Violation } from "../guards/violation.ts";
import type { Absent, PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { countsOf, headline } from "./counts.ts";

/** What a line is about, for its color. */
export type Tone = "joining" | "leaving" | "renewing" | "failed" | "code" | "other";

/** One line of a plan. */
export interface PlanLine {
  /** The email or the purpose; the type and name of another resource. */
  readonly who: string;
  /** The changes, irreversible ones first. */
  readonly what: string;
  readonly isFinal: boolean;
  readonly tone: Tone;
  /** In a roster of several files: that of the row, with its owner. */
  readonly file?: string | undefined;
}

export interface TextOptions {
  /** Whether lists are complete. Default: they are cut after 20 entries. */
  readonly verbose?: boolean | undefined;
  /** Colors a text. Default: no colors. */
  readonly paint?: ((text: string, tone: Tone) => string) | undefined;
  /** The verb that completes a run with failures. Default: `up`. */
  readonly resume?: string | undefined;
}

/** The lines of all changes, irreversible ones first, then in the order of the plan. */
export function planLines({ members, settings }: Plan): PlanLine[] {
  const lines = [
    ...members.map((member) => lineOf(member.label, member)),
    ...settings.map((one) => lineOf(`Roster ${one.name}`, one)),
  ].filter((line) => line !== undefined);
  return lines.toSorted((a, b) => Number(b.isFinal) - Number(a.isFinal));
}

function lineOf(
  who: string,
  { actions: planned, reasons, file }: Pick<PlannedMember, "actions" | "reasons" | "file">,
): PlanLine | undefined {
  if (planned.length === 0) return undefined;
  const atService = planned.filter((action) => action !== "note");
  return {
    who,
    what: [describePlanned(atService.length === 0 ? ["note"] : atService), reasons.join(", ")]
      .filter((text) => text !== "")
      .join(": "),
    isFinal: planned.some(isIrreversible),
    tone: toneOf(planned),
    file: file && describeFile(file),
  };
}

function toneOf(planned: PlannedMember["actions"]): Tone {
  if (planned.some(removesAccess)) return "leaving";
  if (planned.some((action) => action === "join" || action === "adopt")) return "joining";
  return planned.some((action) => action === "renewToken" || action === "shortenToken")
    ? "renewing"
    : "other";
}

/** A plan as plain text: the summary, the violations, then the changes. Each person is named once. */
export function planToText(
  plan: Plan,
  violations: readonly Violation[] = [],
  options: TextOptions = {},
): string {
  return [...planSummary(plan), ...planDetails(plan, violations, options)].join("\n").trimStart();
}

/** The first lines; none for a plan without figures. */
export function planSummary(plan: Plan): string[] {
  if (!plan.isComplete) return [];
  return [headline(plan), ...(planLines(plan).length === 0 ? [] : [describeEmails(plan)])];
}

/** What follows the summary: each block begins with an empty line. */
export function planDetails(
  plan: Plan,
  violations: readonly Violation[],
  { verbose, paint = (text) => text }: TextOptions = {},
): string[] {
  const limit = limitOf({ verbose });
  if (!plan.isComplete) {
    return violations.length === 0 ? ["", UNFINISHED] : violationsInText(violations, [], limit);
  }
  const all = planLines(plan);
  const named = peopleNamedBy(violations, limit);
  const lines = all.filter(({ who }) => !named.has(who));
  const shown = [true, false].flatMap((isFinal) =>
    lines.filter((line) => line.isFinal === isFinal).slice(0, limit),
  );
  const width = Math.min(48, Math.max(0, ...shown.map(({ who }) => who.length)));
  const block = (title: string, isFinal: boolean): string[] => {
    const some = lines.filter((line) => line.isFinal === isFinal);
    const total = all.filter((line) => line.isFinal === isFinal).length;
    return some.length === 0
      ? []
      : [
          "",
          `${title} (${describeTotal(total, some.length)}):`,
          ...byFile(some.slice(0, limit)).flatMap(({ file, lines }) => [
            ...(file === undefined ? [] : [`  ${file}:`]),
            ...lines.map(({ who, what, tone }) =>
              paint(`${file === undefined ? "" : "  "}  ${who.padEnd(width)}  ${what}`, tone),
            ),
          ]),
          ...moreLines(some.length - limit),
        ];
  };
  return [
    ...violationsInText(violations, all, limit),
    ...block("Cannot be undone", true),
    ...block("Changes", false),
  ];
}

const NO_FILE = "in no file of the roster";

/** Groups the lines, if the roster has several files. */
export function byFile(
  lines: readonly PlanLine[],
): { readonly file: string | undefined; readonly lines: readonly PlanLine[] }[] {
  const isGrouped = lines.some(({ file }) => file !== undefined);
  const groups = Map.groupBy(lines, ({ file }) => file ?? (isGrouped ? NO_FILE : undefined));
  return [...groups].map(([file, lines]) => ({ file, lines }));
}

/** How many lines a list has. @param shown without those that a guard names */
export function describeTotal(total: number, shown: number): string {
  return grouped(total) + (shown < total ? `, ${grouped(total - shown)} of them above` : "");
}

const UNFINISHED = "The preview did not finish, so there is no plan to show.";

/** Whether the service sends emails because of the plan, and to whom. */
export function describeEmails(plan: Plan): string {
  const { seatEmails, tokenEmails } = countsOf(plan);
  const others: readonly (readonly [number, string])[] = [
    [seatEmails, "about a new seat"],
    [tokenEmails, "about a new token"],
  ];
  const all = others.flatMap(([count, about]) => (count === 0 ? [] : [`${grouped(count)} ${about}`]));
  return all.length === 0 ? "No emails will be sent." : `The service will send emails: ${all.join("; ")}.`;
}

/** A name below a violation. */
interface Named {
  readonly who: string;
  /** The reason for this person, otherwise the planned changes. */
  readonly text: string;
}

/** The first names of each violation, each name below one violation only, and the number of the others. */
export function peopleByViolation(
  violations: readonly Violation[],
  lines: readonly PlanLine[],
  limit = LISTED,
): { readonly violation: Violation; readonly names: readonly Named[]; readonly more: number }[] {
  const seen = new Set<string>();
  const what = new Map(lines.map((line) => [line.who, line.what]));
  return violations.map((violation) => {
    const fresh = [...new Set(violation.people)].filter((who) => !seen.has(who));
    const details = new Map(violation.people.map((who, index) => [who, violation.details?.[index]]));
    const names = fresh.slice(0, limit).map((who) => {
      seen.add(who);
      return { who, text: details.get(who) ?? [who, what.get(who)].filter(Boolean).join(": ") };
    });
    return { violation, names, more: fresh.length - names.length };
  });
}

/** The people whom the violations name. */
export function peopleNamedBy(violations: readonly Violation[], limit = LISTED): Set<string> {
  return new Set(
    peopleByViolation(violations, [], limit).flatMap(({ names }) => names.map(({ who }) => who)),
  );
}

/** @param withheld whom `--no-removals` leaves as they are */
export function describeWithheld(withheld: readonly PlannedMember[]): {
  readonly title: string;
  readonly lines: readonly PlanLine[];
} {
  return {
    title: `Withheld by --no-removals (${countedPeople(withheld.length)})`,
    lines: withheld.flatMap((member) => lineOf(member.label, member) ?? []),
  };
}

/** One block each for the people of the roster whom the service does not have yet, and for those whom it has no longer. */
export function describeAbsent({
  pending,
  gone,
}: Absent): { readonly title: string; readonly people: readonly string[] }[] {
  return [
    {
      title: "Pending in the directory (not a member yet; a later run gives the seat and the token)",
      people: pending.map(({ who }) => who),
    },
    {
      title: "Gone from the service, so they leave the state without a request",
      people: gone.map(({ who, userId }) => `${who} (user ${userId})`),
    },
  ].filter(({ people }) => people.length > 0);
}

export function describeStopped({ length }: readonly unknown[]): string {
  return `Left as they are, because their rows cannot be applied (${grouped(length)})`;
}

/** @param names the people of the roster who are on the offboarded list, as text */
export function describeLeftOut(names: string): string {
  return `Ignored, because they are on the offboarded list: ${names}. Delete their rows; if a person comes back, delete the person's entries from the list instead. Until then, \`orgseat up\` applies the rest and exits with 1.`;
}

function violationsInText(
  violations: readonly Violation[],
  lines: readonly PlanLine[],
  limit: number,
): string[] {
  return peopleByViolation(violations, lines, limit).flatMap(({ violation, names, more }) => [
    "",
    `BLOCKED (${violation.guard}): ${violation.text}`,
    ...names.map(({ text }) => `  ${text}`),
    ...moreLines(more),
  ]);
}
