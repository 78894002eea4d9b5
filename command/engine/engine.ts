/** The interface to Pulumi, for one stack at a time. Tests have other implementations. */

import type { ErrorCode } from "../../provider/util/error-codes.ts";
import type { Step } from "../plan/steps/steps.ts";
import type { Identity, Roster, RosterFacts, RosterMarker, Undelivered } from "../roster/roster.ts";

/** The program of a stack: the people of a roster. */
export interface Program {
  readonly roster: Roster;
  readonly offboarded: readonly Identity[];
  /** Default: none. */
  readonly facts?: RosterFacts | undefined;
  /** In milliseconds since 1970: decides whose access has ended, so that preview and run declare the same people. */
  readonly now: number;
}

/** One run of one stack. */
export interface StackRun {
  /** `refresh` writes what the service can list into the state. */
  readonly operation: "preview" | "up" | "refresh";
  readonly stack: string;
  /** Whether the stack may have to be created first. Default: false. */
  readonly isNew?: boolean | undefined;
  readonly program: Program;
  /** The URNs to change. Default: all. */
  readonly targets?: readonly string[] | undefined;
  /** Whether to refresh the state first. Default: false. */
  readonly refresh?: boolean | undefined;
  /** Whether to continue with resources that do not depend on a failed one. Default: false. */
  readonly continueOnError?: boolean | undefined;
  /** Variables for the provider, which override those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** A message of the engine or the provider. */
export interface Diagnostic {
  readonly stack: string;
  readonly severity: "info" | "warning" | "error";
  /** The resource of the message; undefined for a message about the whole run. */
  readonly urn: string | undefined;
  readonly text: string;
  /** Of an error of the provider. */
  readonly code?: ErrorCode | undefined;
}

export type StepState = "started" | "succeeded" | "failed";

/** The start or the end of a step. */
export interface Progress {
  readonly stack: string;
  /** The step's key. */
  readonly urn: string;
  readonly state: StepState;
}

export interface StackOutcome {
  readonly stack: string;
  readonly steps: readonly Step[];
  /** By key, the state of each started step; a replaced object has a separate key. Empty for previews. */
  readonly states: ReadonlyMap<string, StepState>;
  readonly diagnostics: readonly Diagnostic[];
  /** The rosters that the state or the program names: normally one. */
  readonly markers: readonly RosterMarker[];
  /** The members for whom the module of the roster failed. */
  readonly undelivered: readonly Undelivered[];
  /** The types of removed resources that no member has. */
  readonly otherTypes: readonly string[];
  /** Undefined if the run succeeded. */
  readonly failure: StackRunFailure | undefined;
}

/** The outcome of a run that did not start, or reported nothing. */
export function outcomeWithout(stack: string, failure: StackRunFailure): StackOutcome {
  const nothing = { steps: [], states: new Map(), diagnostics: [], markers: [], undelivered: [] };
  return { stack, ...nothing, otherTypes: [], failure };
}

export interface StackRunFailure {
  /** `stack-locked`: another run holds the lock of the stack. `cancelled`: the caller stopped the run. */
  readonly code: ErrorCode;
  readonly text: string;
  /** Whether the states of the steps are unknown, because the run was killed and did not react before. */
  readonly isSilent?: boolean | undefined;
}

/** A stack's state as `pulumi stack export` gives it, with encrypted secrets; undefined if the stack does not exist. */
export type Deployment = unknown;

export interface ListedStack {
  readonly name: string;
  /** The timestamp of the last change of the state; undefined if the backend does not report it. */
  readonly savedAt?: string | undefined;
}

/** Where the stacks are. */
export interface EngineTarget {
  readonly project: string;
  /** The address of the backend without user and password; empty for the one that Pulumi is logged in to. */
  readonly backend: string;
}

export interface Engine {
  /** Undefined for engines without a project. */
  readonly target?: EngineTarget;
  /** Whether a run of the stack can do more than its state and its configuration show. Default: no. */
  hasHiddenSettings?(stack: string): boolean;
  /** Ends the calls that still run some seconds after the signal. */
  stopWith?(signal: AbortSignal): void;
  /** Kills what it runs, before this process exits: a separate group of processes does not end with it. */
  kill?(): void;
  /**
   * Runs one stack. Failures are in the outcome.
   * @param signal stops the run: started steps finish within some seconds, and the state has them
   */
  run(run: StackRun, listener?: (progress: Progress) => void, signal?: AbortSignal): Promise<StackOutcome>;
  /** The stacks of the project and the organization of `like`, in its form: see `stack-names.ts`. */
  listStacks(like: string): Promise<ListedStack[]>;
  /** Needs no lock. */
  exportStack(stack: string): Promise<Deployment | undefined>;
  /** The same with the values of secrets. Keep them in memory only. */
  exportWithSecrets(stack: string): Promise<Deployment | undefined>;
  importStack(stack: string, deployment: Deployment): Promise<void>;
  /** Creates an empty stack, unless it exists. */
  createStack(stack: string): Promise<void>;
  removeStack(stack: string): Promise<void>;
  /**
   * Removes the rest of a stack without people: Pulumi's own resources, and the marker of a roster.
   * @param environment variables for the provider, which override those of this process
   */
  clearStack(stack: string, environment: Readonly<Record<string, string>>): Promise<void>;
  /** The configuration of a stack by its full keys, with decrypted secrets; empty if the stack does not exist. */
  configOf(stack: string): Promise<ReadonlyMap<string, string>>;
  /** The short names of the stacks, which need not exist, whose configuration files set something of orgseat. */
  configuredStacks(): Promise<readonly string[]>;
  /** Both stacks must exist. */
  copyConfig(from: string, to: string): Promise<void>;
}
