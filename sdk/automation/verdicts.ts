/** What became of each person of a plan: done, failed and why, or not begun. */
import type { Said, StackOutcome, StepState } from "./engine/engine.ts";
import { type Deed, deeds } from "./plan/deeds.ts";
import { withNames } from "./plan/people.ts";
import type { Plan } from "./plan/plan.ts";
import { isChange, type Step, trackOf, trackOfReplaced } from "./plan/steps.ts";
import type { Person } from "./roster/roster.ts";

export interface Verdict {
  /** The email or the purpose; the type and name of anything else. */
  readonly who: string;
  readonly key: string;
  readonly stack: string;
  readonly verdict: "done" | "failed" | "not done";
  readonly deeds: readonly Deed[];
  /** The row of the roster, such as `people.csv, line 7`; undefined for whoever has none. */
  readonly place: string | undefined;
  /** Why it failed. */
  readonly text: string | undefined;
}

/** How far the steps of a run got, over all its passes. */
export class Ledger {
  readonly #states = new Map<string, StepState>();
  readonly #faults = new Map<string, string>();

  /** @param targets of the run: the others stood still, whatever was planned for them */
  add({ steps, states, messages }: StackOutcome, targets: readonly string[] | undefined): void {
    const meant = targets === undefined ? undefined : new Set(targets);
    for (const { urn, action } of steps) {
      // What was to change and is found as it should be needs nothing more.
      if (action === "same" && (meant === undefined || meant.has(urn))) this.#set(urn, "done");
    }
    for (const [track, state] of states) this.#set(track, state);
    const failed = Map.groupBy(
      steps.filter((step) => tracksOf(step).some((track) => states.get(track) === "failed")),
      ({ urn }) => urn,
    );
    for (const { urn, severity, text } of messages) {
      if (severity !== "error" || urn === undefined) continue;
      for (const track of meantBy(text, failed.get(urn)) ?? [urn]) {
        if (this.#states.get(track) !== "done") this.#faults.set(track, faultIn(text));
      }
    }
  }

  #set(track: string, state: StepState): void {
    if (state === "done") this.#faults.delete(track);
    this.#states.set(track, state);
  }

  /** A replacement that finds its new one made by an earlier pass still waits for the end of the old one. */
  stateOf(step: Step): StepState | undefined {
    const [own, old] = tracksOf(step).map((track) => this.#states.get(track));
    return own === "done" ? (old ?? own) : own;
  }

  verdictOf(steps: readonly Step[]): Pick<Verdict, "verdict" | "text"> {
    const wanted = steps.filter(isChange);
    const states = wanted.map((step) => this.stateOf(step));
    if (states.every((state) => state === "done")) return { verdict: "done", text: undefined };
    const faults = wanted.flatMap(tracksOf).map((track) => this.#faults.get(track));
    const fault = faults.find((text) => text !== undefined);
    const failed = fault !== undefined || states.includes("failed");
    return { verdict: failed ? "failed" : "not done", text: fault };
  }
}

/** Under which a run tells of the step; of a replacement the new one's and the old one's. */
function tracksOf(step: Step): string[] {
  const own = trackOf(step);
  return step.action === "replace" ? [own, trackOfReplaced(step.urn, step.id)] : [own];
}

/** An error names a URN, which an old one has in common with its successor; the provider's words have the id. */
function meantBy(text: string, failed: readonly Step[] | undefined): string[] | undefined {
  const named = failed?.filter(({ id }) => id !== undefined && text.includes(id)) ?? [];
  return (named.length > 0 ? named : failed)?.flatMap(tracksOf);
}

/** Pulumi puts words of its own before a provider's sentence, and counts where there is one. */
function faultIn(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^\s*\*?\s*/, "").trim());
  const told = lines.filter((line) => line !== "" && !/^\d+ errors? occurred:$/.test(line));
  const sentence = told[0]?.replace(/^(?:\S+ )?(?:creat|updat|delet|replac)ing urn:\S+: /, "").trim() ?? text;
  return `${sentence.replaceAll("`pulumi up`", "`orgseat up`")}${inRosterWords(sentence)}`;
}

/** What the provider advises to a program, for a roster. */
function inRosterWords(sentence: string): string {
  if (/A token of .* still lives/.test(sentence)) return " `orgseat offboard` does that, and the rest.";
  const [, userId] = /\(user ([^)]+)\) has a token already/.exec(sentence) ?? [];
  if (userId !== undefined) {
    return ` In a roster: write ${userId} into \`user_id\` of the row and run \`orgseat up\` again, which revokes that token and issues a new one.`;
  }
  if (!sentence.includes("is a member of the organization already")) return "";
  return " In a roster: write the user id into `user_id` of the row, or run `orgseat adopt`.";
}

/** Of everything that a plan changes, failed ones first. @param people of the roster */
export function verdictsOf({ members, things }: Plan, ledger: Ledger, people: readonly Person[]): Verdict[] {
  const places = new Map(people.map(({ key, place }) => [key, place]));
  const all = [
    ...members.map(({ label, key, stack, deeds: done, steps }) => ({ who: label, key, stack, done, steps })),
    ...things.map(({ step, deeds: done }) => ({
      ...{ who: `${step.type} ${step.name}`, key: step.name, stack: step.stack },
      done,
      steps: [step],
    })),
  ];
  const rank = { failed: 0, "not done": 1, done: 2 };
  return all
    .filter(({ done }) => done.length > 0)
    .map(({ done, steps, ...whose }) => {
      const { verdict, text } = ledger.verdictOf(steps);
      // The row of the key is that of the successor.
      const place = steps.every(({ isReplaced }) => isReplaced) ? undefined : places.get(whose.key);
      return { ...whose, deeds: done, place, verdict, text: text && withNames(text, members) };
    })
    .toSorted((a, b) => rank[a.verdict] - rank[b.verdict] || (a.who < b.who ? -1 : 1));
}

/** `ada@acme.example: done: joins, gets a seat`. */
export function verdictInWords({ who, verdict, deeds: done, place, text }: Verdict): string {
  const what = done.map((deed) => deeds[deed].words).join(", ");
  const row = verdict === "done" || place === undefined ? "" : ` (${place})`;
  return `${who}${row}: ${verdict}: ${what}${text === undefined ? "" : `\n    ${text}`}`;
}

export function errorsWithoutResource(messages: readonly Said[]): string[] {
  return messages
    .filter(({ severity, urn }) => severity === "error" && urn === undefined)
    .map(({ text }) => text);
}
