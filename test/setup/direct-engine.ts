/**
 * An engine of level R: the stack of a roster in this process, the members' own code over HTTP against a service. Milliseconds a
 * run.
 */
import type {
  Deployment,
  Diagnostic,
  Engine,
  Progress,
  StackOutcome,
  StackRun,
  StepState,
} from "../../command/engine/engine.ts";
import { urnOf } from "../../command/engine/stack-names.ts";
import { nameOf } from "../../command/members/state.ts";
import { MEMBER_TYPE } from "../../command/members/state-members.ts";
import { readFacts } from "../../command/roster/facts.ts";
import { MARKER_TYPE, type RosterFacts } from "../../command/roster/roster.ts";
import { heldSchema, isEmptied } from "../../provider/member/held.ts";
import { splitCode } from "../../provider/util/error-codes.ts";
import { SIGNATURE } from "../../provider/util/json.ts";
import { providerText } from "../../sdk/base/registration.ts";
import { DirectStack } from "./direct.ts";
import { pausesOnly } from "./direct-providers.ts";
import type { DirectResource, Recorded } from "./direct-run.ts";

export const PROJECT = "orgseat";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

interface HeldMarker {
  readonly rosterId: string;
  readonly facts: RosterFacts;
}

export class DirectEngine implements Engine {
  readonly target = { project: PROJECT, backend: "" };
  readonly #stacks = new Map<string, DirectStack>();
  /** The markers of each stack. */
  readonly #markers = new Map<string, readonly HeldMarker[]>();
  readonly #configuration: Readonly<Record<string, string>>;
  readonly #now: () => number;

  /** @param configuration `ORGSEAT_*` of every run */
  constructor(configuration: Readonly<Record<string, string>>, now: () => number = Date.now) {
    this.#configuration = configuration;
    this.#now = now;
  }

  /**
   * Another one with the same states, which goes its own way: a backup, or what a run leaves that was killed.
   * @param configuration over its own
   */
  copy(configuration: Readonly<Record<string, string>> = {}): DirectEngine {
    const copy = new DirectEngine({ ...this.#configuration, ...configuration }, this.#now);
    for (const [name, stack] of this.#stacks) copy.#stacks.set(name, stack.copy(configuration));
    for (const [name, markers] of this.#markers) copy.#markers.set(name, markers);
    return copy;
  }

  async run(
    { stack, program, targets, environment }: StackRun,
    listener: (progress: Progress) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<StackOutcome> {
    const urnOfMember = (name: string) => urnOf(PROJECT, stack, MEMBER_TYPE, name);
    const failed = new Set<string>();
    const one = this.#stackOf(stack);
    this.#mark(stack, program, targets);
    const { messages, faults } = await one.run(inOrder(program.members).map(resourceOf), {
      ...{ continueOnError: true, signal, environment: { PULUMI_STACK: stack, ...environment } },
      targets: new Set(targets.map(nameOf)),
      hear: (name: string, state: StepState): void => {
        if (state === "failed") failed.add(urnOfMember(name));
        listener({ stack, urn: urnOfMember(name), state });
      },
    });
    const errors = faults.map(
      ({ name, text }): Diagnostic => ({
        ...{ stack, severity: "error", urn: urnOfMember(name), ...splitCode(text) },
      }),
    );
    return {
      ...{ stack, failed: [...failed] },
      diagnostics: [...messages.map((said) => ({ ...said, stack, urn: undefined })), ...errors],
      failure: failureOf(errors, signal),
    };
  }

  #mark(stack: string, { rosterId, facts }: StackRun["program"], targets: readonly string[]): void {
    const isTarget = (id: string) => targets.includes(urnOf(PROJECT, stack, MARKER_TYPE, id));
    const others = (this.#markers.get(stack) ?? []).filter(
      (one) => one.rosterId !== rosterId && !isTarget(one.rosterId),
    );
    const stored: unknown = JSON.parse(JSON.stringify(facts));
    this.#markers.set(stack, [...others, { rosterId, facts: readFacts(stored) }]);
  }

  async exportStack(stack: string): Promise<Deployment | undefined> {
    const found = this.#stacks.get(stack);
    if (found === undefined) return undefined;
    const urn = (type: string, name: string): string => urnOf(PROJECT, stack, type, name);
    const root = urn("pulumi:pulumi:Stack", `${PROJECT}-${stack}`);
    const provider = urn("pulumi:providers:pulumi-nodejs", "default");
    const text = { __provider: providerText("OrgMember") };
    const members = found.recorded().map(({ declared, id, inputs, outs, unfinished }) => ({
      ...{ urn: urn(MEMBER_TYPE, declared.name), type: MEMBER_TYPE, custom: true, id, parent: root },
      ...{ inputs: { ...inputs, ...text }, outputs: { ...masked(outs), ...text } },
      ...(unfinished && { initErrors: ["not finished"] }),
    }));
    const markers = (this.#markers.get(stack) ?? []).map(({ rosterId, facts }) => ({
      ...{ urn: urn(MARKER_TYPE, rosterId), type: MARKER_TYPE, parent: root, inputs: { ...facts } },
    }));
    const own = [
      { urn: root, type: "pulumi:pulumi:Stack", custom: false },
      { urn: provider, type: "pulumi:providers:pulumi-nodejs", id: "provider-of-all", custom: true },
    ];
    const pending_operations = [...found.pending].map(([name, { inputs }]) => ({
      type: found.state.has(name) ? "updating" : "creating",
      resource: {
        urn: urn(MEMBER_TYPE, name),
        type: MEMBER_TYPE,
        custom: true,
        inputs: { ...inputs, ...text },
      },
    }));
    const resources = [...own, ...markers, ...members];
    return { version: 3, deployment: { resources: structuredClone(resources), pending_operations } };
  }

  exportWithSecrets(stack: string): Promise<Deployment | undefined> {
    return this.exportStack(stack);
  }

  /** Of members who have left, the run sends nothing. */
  async clearStack(stack: string): Promise<void> {
    this.#markers.delete(stack);
    const { state } = this.#stackOf(stack);
    for (const [name, { outs }] of state) if (isEmptied(heldSchema.parse(outs.held))) state.delete(name);
  }

  async configOf(_stack?: string): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  /** As if the engine had died before it wrote this resource into the state. */
  lose(stack: string, name: string): void {
    const { state, pending } = this.#stackOf(stack);
    const lost = state.get(name);
    state.delete(name);
    if (lost) pending.set(name, { declared: lost.declared, inputs: lost.inputs });
  }

  /** As if the engine had died while it created this member. */
  interrupt(stack: string, name: string, inputs: Recorded["inputs"]): void {
    this.#stackOf(stack).pending.set(name, {
      declared: resourceOf({ name, args: inputs, after: [] }),
      inputs,
    });
  }

  #stackOf(name: string): DirectStack {
    const found = this.#stacks.get(name) ?? new DirectStack({ ...this.#configuration });
    found.now = this.#now;
    found.time = pausesOnly;
    this.#stacks.set(name, found);
    return found;
  }
}

/** Those whose answers come first are before the others. */
function inOrder(members: StackRun["program"]["members"]): StackRun["program"]["members"] {
  const byName = new Map(members.map((member) => [member.name, member]));
  const ordered = new Set<(typeof members)[number]>();
  const add = (member: (typeof members)[number] | undefined, seen: readonly unknown[] = []): void => {
    if (member === undefined || ordered.has(member) || seen.includes(member)) return;
    for (const name of member.after) add(byName.get(name), [...seen, member]);
    ordered.add(member);
  };
  for (const member of members) add(member);
  return [...ordered];
}

function resourceOf({ name, args }: StackRun["program"]["members"][number]): DirectResource {
  return { type: "OrgMember", name, args: { ...args } };
}

/** Secrets as Pulumi exports them with `--show-secrets`. */
function masked(outs: Recorded["outs"]): Recorded["outs"] {
  const { tokenValue } = outs;
  if (tokenValue === undefined) return outs;
  return { ...outs, tokenValue: { [SIGNATURE]: SECRET, plaintext: JSON.stringify(tokenValue) } };
}

function failureOf([first]: readonly Diagnostic[], signal: AbortSignal | undefined): StackOutcome["failure"] {
  if (signal?.aborted) return { code: "cancelled", text: "cancelled" };
  return first && { code: first.code ?? "pulumi-failed", text: first.text };
}
