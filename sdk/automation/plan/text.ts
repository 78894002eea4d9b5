/** A plan in people's words: what happens to whom, what cannot be undone first. */

import { grouped, people } from "../../../provider/util/plural.ts";
import { type Action, actions, isIrreversible } from "./actions.ts";
import { countsOf, headline } from "./counts.ts";
import type { Violation } from "./guards.ts";
import type { OtherResource, PlannedMember } from "./members.ts";
import type { Plan } from "./plan.ts";

/** One line of a plan. */
export interface PlanLine {
  /** The email or the purpose; the name of anything else. */
  readonly who: string;
  /** What happens, in the order of its weight. */
  readonly what: string;
  readonly isFinal: boolean;
}

/** The lines of everything that changes, final ones first, then by name. */
export function planLines({ members, otherResources }: Plan): PlanLine[] {
  const lines = [
    ...members.map((member) => lineOf(member.label, member.actions)),
    ...otherResources.map(({ step, actions }) => lineOf(`${step.type} ${step.name}`, actions)),
  ].filter((line) => line !== undefined);
  return lines.toSorted((a, b) => Number(b.isFinal) - Number(a.isFinal) || compare(a.who, b.who));
}

function lineOf(
  who: string,
  done: PlannedMember["actions"] | OtherResource["actions"],
): PlanLine | undefined {
  if (done.length === 0) return undefined;
  const telling = done.filter((deed) => deed !== "note");
  const shown: readonly Action[] = telling.length === 0 ? ["note"] : telling;
  return {
    who,
    what: shown.map((deed) => actions[deed].text).join(", "),
    isFinal: done.some(isIrreversible),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A plan as plain text: what stops it, then everything that changes. Each person is named once. */
export function planToText(plan: Plan, stops: readonly Violation[] = []): string {
  if (!plan.isComplete) return stops.length === 0 ? UNFINISHED : violationsInText(stops, []).trimStart();
  const all = planLines(plan);
  const named = peopleNamedBy(stops);
  const lines = all.filter(({ who }) => !named.has(who));
  const width = Math.min(48, Math.max(0, ...lines.map(({ who }) => who.length)));
  const block = (title: string, shown: readonly PlanLine[]): string[] =>
    shown.length === 0
      ? []
      : ["", `${title}:`, ...shown.map(({ who, what }) => `  ${who.padEnd(width)}  ${what}`)];
  return [
    headline(plan) + violationsInText(stops, all),
    ...block(
      "Cannot be undone",
      lines.filter((line) => line.isFinal),
    ),
    ...block(
      "Changes",
      lines.filter((line) => !line.isFinal),
    ),
    ...(all.length === 0 ? [] : ["", describeEmails(plan)]),
  ].join("\n");
}

const UNFINISHED = "The preview did not finish, so there is no plan to show.";

/** Who gets mails from the service because of the plan. */
export function describeEmails(plan: Plan): string {
  const { mailedPeople } = countsOf(plan);
  return mailedPeople === 0
    ? "The service sends no mails for this."
    : `The service sends mails: two to each of ${people(mailedPeople)} (welcome, token), and one to the administrators.`;
}

/** How many names a stop shows; the plan has the others. */
const SHOWN = 20;

/** A name below a stop. */
export interface Named {
  readonly who: string;
  /** What is wrong about the person, or else what would happen. */
  readonly text: string;
}

/** The first names of each stop, each of them below one stop only, and how many are left. */
export function peopleByViolation(
  stops: readonly Violation[],
  lines: readonly PlanLine[],
): { readonly stop: Violation; readonly names: readonly Named[]; readonly more: number }[] {
  const seen = new Set<string>();
  const what = new Map(lines.map((line) => [line.who, line.what]));
  return stops.map((stop) => {
    const fresh = [...new Set(stop.people)].filter((who) => !seen.has(who));
    const details = new Map(stop.people.map((who, place) => [who, stop.details?.[place]]));
    const names = fresh.slice(0, SHOWN).map((who) => {
      seen.add(who);
      return { who, text: details.get(who) ?? [who, what.get(who)].filter(Boolean).join(": ") };
    });
    return { stop, names, more: fresh.length - names.length };
  });
}

/** Whom the stops name. */
export function peopleNamedBy(stops: readonly Violation[]): Set<string> {
  return new Set(peopleByViolation(stops, []).flatMap(({ names }) => names.map(({ who }) => who)));
}

/** Whose state moves between stacks. @param moving keys */
export function describeMoves(moving: readonly string[]): string {
  return `\`orgseat up\` first moves the states of ${people(moving.length)} to other stacks, without a call.`;
}

/** Who is left out. @param names as they are to be shown */
export function describeLeftOut(names: string): string {
  return `Left out, because they are on the leaver list: ${names}.`;
}

function violationsInText(stops: readonly Violation[], lines: readonly PlanLine[]): string {
  const told = peopleByViolation(stops, lines).flatMap(({ stop, names, more }) => [
    "",
    `STOPPED (${stop.guard}): ${stop.text}`,
    ...names.map(({ text }) => `  ${text}`),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
  ]);
  return told.map((line) => `\n${line}`).join("");
}
