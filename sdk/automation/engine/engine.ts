/** What organizations are run by: Pulumi on one stack, behind an interface that tests can play too. */

import type { Step } from "../plan/steps.ts";
import type { Identity, Roster, RosterMarker } from "../roster/roster.ts";

/** The program of a stack: people of a roster, or a module whose default export is a Pulumi program. */
export type Program =
  | { readonly kind: "roster"; readonly roster: Roster; readonly leavers: readonly Identity[] }
  | { readonly kind: "module"; readonly url: string };

/** One run of one stack. */
export interface StackRun {
  readonly operation: "preview" | "up";
  readonly stack: string;
  /** Whether the stack may have to be created first. Default: false. */
  readonly isNew?: boolean | undefined;
  readonly program: Program;
  /** URNs; nothing else is touched. Default: everything. */
  readonly targets?: readonly string[] | undefined;
  /** Whether everything that can be read is read first. Default: false. */
  readonly refresh?: boolean | undefined;
  /** Whether what does not depend on a failure goes on. Default: false. */
  readonly continueOnError?: boolean | undefined;
  /** Variables for the provider, over those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** A message of the engine or the provider. */
export interface Diagnostic {
  readonly stack: string;
  readonly severity: "info" | "warning" | "error";
  /** The resource it is about, if it is about one. */
  readonly urn: string | undefined;
  readonly text: string;
}

export type StepState = "started" | "succeeded" | "failed";

/** A step as it goes on. */
export interface Progress {
  readonly stack: string;
  /** The step's track. */
  readonly urn: string;
  readonly state: StepState;
}

export interface StackOutcome {
  readonly stack: string;
  readonly steps: readonly Step[];
  /**
   * How far each step got, by its track, and of a replacement the old one by a track of its own too; those that were not
   * begun are not in it. Empty for previews.
   */
  readonly states: ReadonlyMap<string, StepState>;
  readonly diagnostics: readonly Diagnostic[];
  /** Of rosters that the state or the program names; in a sound stack there is one. */
  readonly markers: readonly RosterMarker[];
  /** The types of resources that go and are not of orgseat. */
  readonly otherTypes: readonly string[];
  /** Undefined where the run did all it was to do. */
  readonly failure: StackRunFailure | undefined;
}

/** The outcome of a run that was not begun, or told nothing. */
export function outcomeWithout(stack: string, failure: StackRunFailure): StackOutcome {
  return { stack, steps: [], states: new Map(), diagnostics: [], markers: [], otherTypes: [], failure };
}

export interface StackRunFailure {
  /** `locked`: another run holds the stack. `cancelled`: it was stopped on request. */
  readonly code: "locked" | "cancelled" | "failed";
  readonly text: string;
}

/** A stack's state as `pulumi stack export` gives it, secrets encrypted; undefined where the stack does not exist. */
export type Deployment = unknown;

export interface ListedStack {
  readonly name: string;
  /** When its state was written last, an instant; undefined where the backend does not say. */
  readonly savedAt?: string | undefined;
}

export interface Engine {
  /** Starts what runs of these stacks will need. Whatever fails in it fails the run. */
  prepare?(stacks: readonly string[]): void;
  /**
   * Runs one stack. Does not throw for what goes wrong in the run.
   * @param signal stops it in an orderly way: what is under way ends and is kept
   */
  run(run: StackRun, listener?: (progress: Progress) => void, signal?: AbortSignal): Promise<StackOutcome>;
  /** The stacks of the project, in the form of `like`, and of the same organization: see `stack-names.ts`. */
  listStacks(like: string): Promise<ListedStack[]>;
  /** Needs no lock. */
  exportStack(stack: string): Promise<Deployment | undefined>;
  /** The same with the values of secrets, which are for the memory of this process only. */
  exportWithSecrets(stack: string): Promise<Deployment | undefined>;
  importStack(stack: string, deployment: Deployment): Promise<void>;
  /** Makes an empty stack, where there is none of the name. */
  createStack(stack: string): Promise<void>;
  removeStack(stack: string): Promise<void>;
  /**
   * Takes out of a stack what is left in it when nobody is: Pulumi's own resources, and the marker of a roster.
   * @param environment variables for the provider, over those of this process
   */
  clearStack(stack: string, environment: Readonly<Record<string, string>>): Promise<void>;
  /** The configuration of a stack by its full keys, secrets opened; empty where there is no such stack yet. */
  configOf(stack: string): Promise<ReadonlyMap<string, string>>;
  /** Whether there is configuration of orgseat for a stack of that name, which need not exist, beside the project's. */
  hasConfig(stack: string): Promise<boolean>;
  /** Both exist. */
  copyConfig(from: string, to: string): Promise<void>;
}
