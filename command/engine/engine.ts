/** The interface to Pulumi, for the stack of a roster. Tests have other implementations. */

import type { ErrorCode } from "../../provider/util/error-codes.ts";
import type { MemberArgs } from "../members/rows.ts";
import type { RosterFacts } from "../roster/roster.ts";

/** One member of a program. */
export interface ProgramMember {
  /** The logical name of the resource. */
  readonly name: string;
  readonly args: MemberArgs;
  /** The names of the members whose registrations have to be answered before. */
  readonly after: readonly string[];
}

/** What a run registers: the members that it is about, and the marker of the roster. */
export interface Program {
  readonly rosterId: string;
  readonly facts: RosterFacts;
  readonly members: readonly ProgramMember[];
}

/** One `up` of the stack, of its targets alone. */
export interface StackRun {
  readonly stack: string;
  /** Whether the stack may have to be created first. Default: false. */
  readonly isNew?: boolean | undefined;
  readonly program: Program;
  /** The URNs of what the run may change, and delete if the program does not have it. */
  readonly targets: readonly string[];
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

/** The start or the end of the change of one member. */
export interface Progress {
  readonly stack: string;
  readonly urn: string;
  readonly state: StepState;
}

export interface StackOutcome {
  readonly stack: string;
  readonly diagnostics: readonly Diagnostic[];
  /** The URNs of the resources of which the run could not do something. */
  readonly failed: readonly string[];
  /** Undefined if the run succeeded, or if nothing but resources failed. */
  readonly failure: StackRunFailure | undefined;
}

/** The outcome of a run that did not start, or reported nothing. */
export function outcomeWithout(stack: string, failure?: StackRunFailure): StackOutcome {
  return { stack, diagnostics: [], failed: [], failure };
}

export interface StackRunFailure {
  /** `stack-locked`: another run holds the lock of the stack. `cancelled`: the caller stopped the run. */
  readonly code: ErrorCode;
  readonly text: string;
}

/** A stack's state as `pulumi stack export` gives it, with encrypted secrets; undefined if the stack does not exist. */
export type Deployment = unknown;

/** Where the stack is. */
export interface EngineTarget {
  readonly project: string;
  /** The address of the backend without user and password; empty for the one that Pulumi is logged in to. */
  readonly backend: string;
}

export interface Engine {
  /** Undefined for engines without a project. */
  readonly target?: EngineTarget;
  /** Ends the calls that still run some seconds after the signal. */
  stopWith?(signal: AbortSignal): void;
  /** Kills what it runs, before this process exits: a separate group of processes does not end with it. */
  kill?(): void;
  /**
   * Runs the stack. Failures are in the outcome.
   * @param signal stops the run: started steps finish within some seconds, and the state has them
   */
  run(run: StackRun, listener?: (progress: Progress) => void, signal?: AbortSignal): Promise<StackOutcome>;
  /** Needs no lock. */
  exportStack(stack: string): Promise<Deployment | undefined>;
  /** The same with the values of secrets. Keep them in memory only. */
  exportWithSecrets(stack: string): Promise<Deployment | undefined>;
  /**
   * Removes the rest of a stack without people: Pulumi's own resources, and the marker of a roster.
   * @param environment variables for the provider, which override those of this process
   */
  clearStack(stack: string, environment: Readonly<Record<string, string>>): Promise<void>;
  /** The configuration of a stack by its full keys, with decrypted secrets; empty if the stack does not exist. */
  configOf(stack: string): Promise<ReadonlyMap<string, string>>;
}
