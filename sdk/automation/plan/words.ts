/** A plan in people's words: what happens to whom, what cannot be undone first. */
import { countsOf, headline } from "./counts.ts";
import { type Deed, deeds, isFinal } from "./deeds.ts";
import type { Stop } from "./guards.ts";
import type { Member, Thing } from "./people.ts";
import type { Plan } from "./plan.ts";
import { people } from "./plural.ts";

/** One line of a plan. */
export interface Line {
  /** The email or the purpose; the name of anything else. */
  readonly who: string;
  /** What happens, in the order of its weight. */
  readonly what: string;
  readonly isFinal: boolean;
}

/** The lines of everything that changes, final ones first, then by name. */
export function linesOf({ members, things }: Plan): Line[] {
  const lines = [
    ...members.map((member) => lineOf(member.label, member.deeds)),
    ...things.map(({ step, deeds }) => lineOf(`${step.type} ${step.name}`, deeds)),
  ].filter((line) => line !== undefined);
  return lines.toSorted((a, b) => Number(b.isFinal) - Number(a.isFinal) || compare(a.who, b.who));
}

function lineOf(who: string, done: Member["deeds"] | Thing["deeds"]): Line | undefined {
  if (done.length === 0) return undefined;
  const telling = done.filter((deed) => deed !== "note");
  const shown: readonly Deed[] = telling.length === 0 ? ["note"] : telling;
  return { who, what: shown.map((deed) => deeds[deed].words).join(", "), isFinal: done.some(isFinal) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A plan as plain text, whole. */
export function inText(plan: Plan, stops: readonly Stop[] = []): string {
  const lines = linesOf(plan);
  const width = Math.min(48, Math.max(0, ...lines.map(({ who }) => who.length)));
  const block = (title: string, shown: readonly Line[]): string[] =>
    shown.length === 0
      ? []
      : ["", `${title}:`, ...shown.map(({ who, what }) => `  ${who.padEnd(width)}  ${what}`)];
  return [
    headline(plan),
    ...block(
      "Cannot be undone",
      lines.filter((line) => line.isFinal),
    ),
    ...block(
      "Changes",
      lines.filter((line) => !line.isFinal),
    ),
    ...(lines.length === 0 ? [] : ["", mailsInWords(plan)]),
    ...stops.flatMap(stopInWords),
  ].join("\n");
}

/** Who gets mails from the service because of the plan. */
export function mailsInWords(plan: Plan): string {
  const { mailedPeople } = countsOf(plan);
  return mailedPeople === 0
    ? "The service sends no mails for this."
    : `The service sends mails: two to each of ${people(mailedPeople)} (welcome, token), and one to the administrators.`;
}

/** How many names a stop shows. */
const SHOWN = 50;

/** Whose state moves between stacks. @param moving keys */
export function movingInWords(moving: readonly string[]): string {
  return `\`orgseat up\` first moves the states of ${people(moving.length)} to other stacks, without a call.`;
}

/** Who is left out. @param names as they are to be shown */
export function leftOutInWords(names: string): string {
  return `Left out, because they are on the leaver list: ${names}.`;
}

function stopInWords({ guard, text, people, details: about = people }: Stop): string[] {
  const more = about.length - SHOWN;
  return [
    "",
    `STOPPED (${guard}): ${text}`,
    ...about.slice(0, SHOWN).map((who) => `  ${who}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
