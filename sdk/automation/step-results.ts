/** How far the steps of a run got, over all its passes, by what the engine told and the provider reported. */
import type { ReportEntry, ReportedFailure } from "../../provider/run-report.ts";
import type { StackOutcome, StepState } from "./engine/engine.ts";
import { type Action, removesAccess } from "./plan/actions.ts";
import { actionsOf } from "./plan/actions-of-step.ts";
import { isChange, type Properties, type Step, trackOf, trackOfReplaced } from "./plan/steps.ts";

/** Why a step failed. */
export interface StepFailure {
  /** The sentence of the provider or the engine. */
  readonly text: string;
  /** What the provider reported of it; undefined where it failed beside the provider. */
  readonly failure?: ReportedFailure | undefined;
  /** Of the user whom it is about, where that is known. */
  readonly userId?: string | undefined;
}

/** What became of some steps that belong together. */
export interface CombinedResult {
  readonly status: "succeeded" | "already-gone" | "failed" | "skipped";
  readonly failure: StepFailure | undefined;
  /** What was to be taken away, and was not there. */
  readonly alreadyGone: readonly Action[];
}

/** Answers of a creation by which nobody can tell what it did. A 5xx is not among them: the service said that it failed. */
const LOST: ReadonlySet<string | undefined> = new Set(["no-answer", "bad-answer"]);

export class StepResults {
  readonly #states = new Map<string, StepState>();
  readonly #failures = new Map<string, StepFailure>();
  /** What was not there, by its track: its type and id. */
  readonly #gone = new Map<string, string>();
  /** What was there, and was removed: types and ids. Who is in two states loses everything once. */
  readonly #removed = new Set<string>();
  /** Creations that may have had an effect, and those of which no answer says anything. */
  readonly #doubtful = new Set<string>();
  readonly #lost = new Set<string>();
  /** Runs that came to their end: what they were to remove and did not meet, another run has taken out of the state. */
  readonly #completed: { readonly stack: string; readonly meant: ReadonlySet<string> | undefined }[] = [];
  /** Objects that a run met and was to remove. */
  readonly #met = new Set<string>();
  /** Removals that may have had an effect. */
  readonly #perhapsRemoved = new Set<string>();
  /** What the provider refused because the preview did not show it. */
  readonly #refused = new Set<string>();
  readonly #stacksRefused = new Set<string>();
  readonly #revoked: ReadonlySet<string>;

  /** @param revoked ids of users whose token this command has revoked before the run: that it is gone is its own doing */
  constructor(revoked: ReadonlySet<string> = new Set()) {
    this.#revoked = revoked;
  }

  /** @param targets of the run: the others stood still, whatever was planned for them @param report of the provider */
  add(
    { stack, steps, states, diagnostics, failure }: StackOutcome,
    targets: readonly string[] | undefined,
    report: readonly ReportEntry[],
  ): void {
    const meant = targets === undefined ? undefined : new Set(targets);
    if (failure === undefined) this.#completed.push({ stack, meant });
    for (const { urn, action, type, id } of steps) {
      if (action === "delete" || action === "replace") this.#met.add(objectOf({ type, id }));
      // What was to change and is found as it should be needs nothing more.
      if (action === "same" && (meant === undefined || meant.has(urn))) this.#set(urn, "succeeded");
    }
    for (const [track, state] of states) this.#set(track, state);
    if (report.some(({ failure }) => failure?.code === "not-approved")) this.#stacksRefused.add(stack);
    const reported = new Set<string>();
    for (const step of steps) {
      const isFailed = states.get(trackOf(step)) === "failed";
      const halves = halvesOf(step).map((half) => ({ half, entry: entryOfHalf(half, report, isFailed) }));
      for (const { half, entry } of halves) if (entry !== undefined) this.#note(half, entry);
      if (halves.some(({ entry }) => entry?.failure !== undefined)) reported.add(step.urn);
      else if (
        isFailed &&
        halves.some(({ half: { operation }, entry }) => operation === "create" && !entry)
      ) {
        // The provider has died with it, or was never asked: nobody knows.
        this.#lost.add(step.urn);
        this.#doubtful.add(step.urn);
      }
    }
    const failed = Map.groupBy(
      steps.filter((step) => tracksOf(step).some((track) => states.get(track) === "failed")),
      ({ urn }) => urn,
    );
    for (const { urn, severity, text } of diagnostics) {
      if (severity !== "error" || urn === undefined || reported.has(urn)) continue;
      for (const track of failed.get(urn)?.flatMap(tracksOf) ?? [urn]) {
        this.#fail(track, { text: sentenceIn(text) });
      }
    }
  }

  #note({ track, operation }: Half, { type, id, userId = id, result, failure }: ReportEntry): void {
    const isOwnDoing = type === "UserToken" && id !== undefined && this.#revoked.has(id);
    const object = objectOf({ type, id });
    if (operation === "delete" && result === "done") this.#removed.add(object);
    if (result === "gone" && !isOwnDoing && !this.#perhapsRemoved.has(track)) this.#gone.set(track, object);
    if (failure === undefined) return;
    this.#fail(track, { text: failure.text, failure, userId });
    if (failure.code === "not-approved") this.#refused.add(track);
    if (!failure.isEffectUnknown || failure.isKept) return;
    if (operation === "delete") this.#perhapsRemoved.add(track);
    if (operation !== "create") return;
    this.#doubtful.add(track);
    if (LOST.has(failure.code)) this.#lost.add(track);
  }

  /** Of a creation that may have had an effect the first reason stays: what comes after it is its consequence. */
  #fail(track: string, failure: StepFailure): void {
    if (this.#states.get(track) === "succeeded") return;
    if (this.#doubtful.has(track) && this.#failures.has(track)) return;
    this.#failures.set(track, failure);
  }

  #set(track: string, state: StepState): void {
    if (state === "succeeded") this.#failures.delete(track);
    this.#states.set(track, state);
  }

  stateOfTrack(track: string): StepState | undefined {
    return this.#states.get(track);
  }

  /** A replacement that finds its new one made by an earlier pass still waits for the end of the old one. */
  stateOf(step: Step): StepState | undefined {
    const [own, old] = tracksOf(step).map((track) => this.#states.get(track));
    if (own === undefined && this.#isRemovedElsewhere(step)) return "succeeded";
    return own === "succeeded" ? (old ?? own) : own;
  }

  /** Whether the provider refused the step, which it will do again in this command. */
  isRefused(step: Step): boolean {
    return tracksOf(step).some((track) => this.#refused.has(track));
  }

  /** Whether it refused anything of a stack, of the plan or beside it. */
  hasRefused(stack: string): boolean {
    return this.#stacksRefused.has(stack);
  }

  /** Whether another run has removed the object since the preview, of a replacement too: then this run made the new one. */
  #isRemovedElsewhere(step: Step): boolean {
    const removal = halvesOf(step).find(({ operation }) => operation === "delete");
    if (removal === undefined || this.#states.has(removal.track) || this.#met.has(objectOf(step)))
      return false;
    if (step.action === "replace" && this.#states.get(step.urn) !== "succeeded") return false;
    return this.#completed.some(({ stack, meant }) => stack === step.stack && (meant?.has(step.urn) ?? true));
  }

  /** Whether the step has made something of which no answer tells, so that it must not be repeated. */
  isLost(step: Step): boolean {
    return this.#states.get(step.urn) !== "succeeded" && this.#lost.has(step.urn);
  }

  /** The same, where the service only said that it failed. */
  isDoubtful(step: Step): boolean {
    return this.#states.get(step.urn) !== "succeeded" && this.#doubtful.has(step.urn);
  }

  resultOf(steps: readonly Step[]): CombinedResult {
    const wanted = steps.filter(isChange);
    const states = wanted.map((step) => this.stateOf(step));
    const gone = this.#goneOf(wanted);
    if (states.every((state) => state === "succeeded")) {
      return {
        status: isAlreadyGone(wanted, gone) ? "already-gone" : "succeeded",
        failure: undefined,
        alreadyGone: gone,
      };
    }
    const failures = wanted.flatMap(tracksOf).flatMap((track) => this.#failures.get(track) ?? []);
    const failure = failures.find(({ failure }) => failure?.isRepetition !== true);
    if (failure !== undefined) return { status: "failed", failure, alreadyGone: gone };
    // Whoever met only what is told of somebody else was not tried; whoever was begun and not finished was.
    const isBegun = states.some(
      (state) => state === "succeeded" || (state !== undefined && failures.length === 0),
    );
    return isBegun
      ? { status: "failed", failure: UNFINISHED, alreadyGone: gone }
      : { status: "skipped", failure, alreadyGone: gone };
  }

  #goneOf(steps: readonly Step[]): Action[] {
    return steps.flatMap((step) => {
      if (this.#isRemovedElsewhere(step)) return lossesOf(step);
      const removal = halvesOf(step).find(({ operation }) => operation === "delete");
      const object = removal && this.#gone.get(removal.track);
      return object === undefined || this.#removed.has(object) ? [] : lossesOf(step);
    });
  }
}

function objectOf({ type, id }: Pick<ReportEntry, "type" | "id">): string {
  return `${type} ${id}`;
}

/** Of somebody for whom something is done and the rest was not reached. */
const UNFINISHED: StepFailure = {
  text: "the run ended before it finished this. Run `orgseat up` again; it resumes where it stopped.",
};

/** What a step takes away. When it is done does not matter to that. */
function lossesOf(step: Step): Action[] {
  return actionsOf(step, 0).filter(removesAccess);
}

/** Whether all that the steps were to do was to take away what was not there. */
function isAlreadyGone(steps: readonly Step[], gone: readonly Action[]): boolean {
  if (gone.includes("leave")) return true;
  return (
    gone.length > 0 &&
    steps.every(({ action }) => action === "delete") &&
    steps.flatMap(lossesOf).every((deed) => gone.includes(deed))
  );
}

/** Under which a run tells of the step; of a replacement the new one's and the old one's. */
function tracksOf(step: Step): string[] {
  const own = trackOf(step);
  return step.action === "replace" ? [own, trackOfReplaced(step.urn, step.id)] : [own];
}

/** What of a step is one method of the provider. */
interface Half extends Pick<Step, "urn" | "type" | "id"> {
  readonly track: string;
  readonly operation: ReportEntry["operation"];
  /** Of what is made. */
  readonly news: Properties;
}

function halvesOf(step: Step): Half[] {
  const { urn, type, action, id, news = {} } = step;
  const half = { urn, type, id, news };
  if (action === "same") return [];
  if (action !== "replace") return [{ ...half, track: trackOf(step), operation: action }];
  return [
    { ...half, track: urn, operation: "create" },
    { ...half, track: trackOfReplaced(urn, id), operation: "delete" },
  ];
}

/** The last that was reported of it; undefined where nothing was, or where several fit and no one can tell which. */
function entryOfHalf(
  { type, operation, id, news }: Half,
  report: readonly ReportEntry[],
  isFailed: boolean,
): ReportEntry | undefined {
  const fitting = report.filter(
    (entry) =>
      entry.type === type &&
      entry.operation === operation &&
      (operation === "create" ? isAbout(entry, news) : entry.id === id),
  );
  if (operation !== "create" || fitting.length === 1) return fitting.at(-1);
  const ended = fitting.filter(({ result }) => (result === "failed") === isFailed);
  return ended.length === 1 ? ended[0] : undefined;
}

function isAbout(entry: ReportEntry, news: Properties): boolean {
  const same = (key: "email" | "firstName" | "lastName" | "userId"): boolean => {
    const value = news[key];
    return entry[key]?.toLowerCase() === (typeof value === "string" ? value.toLowerCase() : undefined);
  };
  return typeof news.email === "string"
    ? same("email")
    : same("firstName") && same("lastName") && same("userId");
}

/** Pulumi puts words of its own before a provider's sentence, and counts where there is one. */
function sentenceIn(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^\s*\*?\s*/, "").trim());
  const told = lines.filter((line) => line !== "" && !/^\d+ errors? occurred:$/.test(line));
  return told[0]?.replace(/^(?:\S+ )?(?:creat|updat|delet|replac)ing urn:\S+: /, "").trim() ?? text;
}
