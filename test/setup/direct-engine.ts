/**
 * An engine of level R: several stacks in this process, each the resources' own code over HTTP against a service. It
 * tells steps, states and messages as Pulumi does, in Pulumi's order. Milliseconds a run.
 */

import {
  type Deployment,
  type Diagnostic,
  type Engine,
  type ListedStack,
  outcomeWithout,
  type Program,
  type Progress,
  type StackOutcome,
  type StackRun,
  type StepState,
} from "../../command/engine/engine.ts";
import { withoutPlaceholder } from "../../command/plan/steps/machine-users.ts";
import { rosterSteps } from "../../command/plan/steps/rules.ts";
import { methodKey, nameOf, rosterTokenOf, type Step } from "../../command/plan/steps/steps.ts";
import { rosterParts } from "../../command/roster/members.ts";
import { MARKER_TYPE } from "../../command/roster/roster.ts";
import { entriesOf, isManaged, readState } from "../../command/stacks/stack-state.ts";
import { definitions } from "../../provider/definitions.ts";
import { rosterTypeOf } from "../../provider/resources/resource-types.ts";
import { splitCode } from "../../provider/util/error-codes.ts";
import { providerText } from "../../sdk/base/registration.ts";
import { DirectStack, type Said } from "./direct.ts";
import { pausesOnly } from "./direct-providers.ts";
import type { DirectResource, DirectStep, Recorded } from "./direct-run.ts";
import { declaredMarker, type HeldMarker, markersOf, markerUrn } from "./markers.ts";

const PROVIDER_ID = "provider-of-all";
const COMPONENT = "orgseat:index:RosterMember";

const nothingRead: Said = { errors: [], messages: [] };

/** The outcome of a refresh. */
function refreshed(stack: string, { errors, messages }: Said): StackOutcome {
  const severity = "error";
  const failures = errors.map(
    (text): Diagnostic => ({ stack, severity, urn: undefined, ...splitCode(text) }),
  );
  const said = messages.map((message) => ({ ...message, stack, urn: undefined }));
  const failure = failureOf(failures, undefined);
  return {
    ...outcomeWithout(stack, { code: "pulumi-failed", text: "" }),
    diagnostics: [...said, ...failures],
    failure,
  };
}

export class DirectEngine implements Engine {
  readonly #stacks = new Map<string, DirectStack>();
  /** The marker of each stack. */
  readonly #rosters = new Map<string, HeldMarker>();
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
    for (const [name, marker] of this.#rosters) copy.#rosters.set(name, marker);
    return copy;
  }

  async run(
    { operation, stack, program, targets, continueOnError, refresh, environment }: StackRun,
    listener: (progress: Progress) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<StackOutcome> {
    const urns = new Map<string, string>();
    const resources = resourcesOf(program);
    const states = new Map<string, StepState>();
    const variables = { PULUMI_STACK: stack, ...environment };
    if (operation === "refresh") return refreshed(stack, await this.#stackOf(stack).refresh(variables));
    // A preview does not keep what it reads.
    const one = refresh ? this.#stackOf(stack).copy() : this.#stackOf(stack);
    const read = refresh ? await one.refresh(variables) : nothingRead;
    if (read.errors.length > 0) return refreshed(stack, read);
    const lost = targets?.find((urn) => refresh && urn.includes("$") && !isIn(urn, resources, one));
    if (lost !== undefined)
      return refreshed(stack, { ...read, errors: [`Target '${lost}' could not be found in the stack.`] });
    const options = {
      ...{ isDry: operation === "preview", continueOnError, signal },
      environment: variables,
      targets: targets && new Set(targets.map(nameOf)),
      hear: (name: string, state: StepState, replaced?: string): void => {
        const id = replaced;
        const urn = methodKey({ urn: urns.get(name) ?? "", id, isReplaced: id !== undefined });
        states.set(urn, state);
        listener({ stack, urn, state });
      },
    };
    for (const declared of [...resources, ...one.recorded().map((recorded) => recorded.declared)]) {
      urns.set(declared.name, urnOf(stack, declared));
    }
    const { steps, messages, faults } = await one.run(resources, options);
    const declared = declaredMarker(program);
    const urnOfMarker = (id: string) => markerUrn(stack, "orgseat", id);
    const held = this.#rosters.get(stack);
    const isMarking =
      operation === "up" &&
      declared !== undefined &&
      (targets === undefined || targets.includes(urnOfMarker(declared.rosterId)));
    const markers = markersOf(urnOfMarker, held, declared, isMarking);
    const settings = rosterSteps(stack, markers);
    if (isMarking) this.#rosters.set(stack, declared);
    if (isMarking) for (const { urn } of settings) states.set(urn, "succeeded");
    const errors = faults.map(
      ({ name, text }): Diagnostic => ({ stack, severity: "error", urn: urns.get(name), ...splitCode(text) }),
    );
    return {
      stack,
      steps: steps
        .map((step) => withoutPlaceholder(stepOf(stack, step)))
        .map((step) => ({
          ...step,
          ...(/create|replace/.test(step.action) &&
            operation === "up" && { madeId: one.state.get(step.name)?.id }),
        }))
        .concat(settings),
      states,
      ...{ markers, undelivered: [], otherTypes: [] },
      diagnostics: [
        ...[...read.messages, ...messages].map((said) => ({ ...said, stack, urn: undefined })),
        ...errors,
      ],
      failure: failureOf(errors, signal),
    };
  }

  async listStacks(): Promise<ListedStack[]> {
    return [...this.#stacks.keys()].map((name) => ({ name }));
  }

  async exportStack(stack: string): Promise<Deployment | undefined> {
    const found = this.#stacks.get(stack);
    if (found === undefined) return undefined;
    const urn = (type: string, name: string): string => `urn:pulumi:${stack}::orgseat::${type}::${name}`;
    const root = urn("pulumi:pulumi:Stack", `orgseat-${stack}`);
    const provider = urn("pulumi:providers:pulumi-nodejs", "default");
    const parts = found.recorded().map((recorded) => {
      const { declared, id, inputs, outs, unfinished } = recorded;
      const text = { __provider: providerText(rosterTypeOf(declared.type)) };
      return {
        ...{ urn: urnOf(stack, declared), type: rosterTokenOf(declared.type), custom: true },
        ...{ id, inputs: { ...inputs, ...text }, outputs: { ...masked(outs), ...text } },
        ...{ parent: parentOf(stack, declared), provider: `${provider}::${PROVIDER_ID}` },
        ...{ protect: declared.protect === true, ...dependenciesOf(stack, declared) },
        additionalSecretOutputs: definitions[rosterTypeOf(declared.type)].secretOutputs,
        ...(found.state.get(declared.name) !== recorded && { delete: true }),
        ...(unfinished && { initErrors: ["not finished"] }),
      };
    });
    const components = [...new Set(parts.map(({ parent }) => parent))].map((one) => ({
      ...{ urn: one, type: COMPONENT, custom: false, parent: root, protect: false },
    }));
    const held = this.#rosters.get(stack);
    const markers =
      held === undefined
        ? []
        : [
            {
              ...{ urn: markerUrn(stack, "orgseat", held.rosterId), type: MARKER_TYPE, parent: root },
              inputs: JSON.parse(JSON.stringify(held.facts)),
            },
          ];
    const own = [
      { urn: root, type: "pulumi:pulumi:Stack", custom: false },
      { urn: provider, type: "pulumi:providers:pulumi-nodejs", id: PROVIDER_ID, custom: true },
    ];
    const pending_operations = [...found.pending].map(([, { declared, inputs }]) => {
      const text = { __provider: providerText(rosterTypeOf(declared.type)) };
      const resource = { urn: urnOf(stack, declared), type: rosterTokenOf(declared.type), custom: true };
      const place = { parent: parentOf(stack, declared), provider: `${provider}::${PROVIDER_ID}` };
      return { type: "creating", resource: { ...resource, ...place, inputs: { ...inputs, ...text } } };
    });
    const resources = [...own, ...markers, ...components, ...parts];
    return { version: 3, deployment: { resources, pending_operations } };
  }

  exportWithSecrets(stack: string): Promise<Deployment | undefined> {
    return this.exportStack(stack);
  }

  /** As Pulumi imports what `exportStack` gave, edited: without pending operations. Users alone can differ. */
  async importStack(stack: string, deployment: Deployment): Promise<void> {
    const one = this.#stackOf(stack);
    const all = [...one.recorded(), ...one.pending.values()].map(({ declared }) => declared);
    for (const entry of entriesOf(readState(stack, deployment))) {
      const declared = all.find((known) => urnOf(stack, known) === entry.urn);
      if (declared === undefined && isManaged(entry)) throw new Error("no state is moved at level R");
      if (declared?.type !== "OrgUser" || entry.id === undefined || one.knows(declared.name, entry.id))
        continue;
      const [{ __provider: _, ...outs }, { __provider: __, ...inputs }] = [
        { __provider: "", ...entry.outputs },
        { __provider: "", ...entry.inputs },
      ];
      one.put({ declared, id: entry.id, inputs, outs, unfinished: false });
    }
    one.pending.clear();
  }

  async createStack(stack: string): Promise<void> {
    this.#stackOf(stack);
  }

  async removeStack(stack: string): Promise<void> {
    this.#stacks.delete(stack);
    this.#rosters.delete(stack);
  }

  async clearStack(stack: string): Promise<void> {
    this.#rosters.delete(stack);
  }

  async configOf(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  async configuredStacks(): Promise<readonly string[]> {
    return [];
  }

  async copyConfig(): Promise<void> {
    throw new Error("no stack is configured at level R");
  }

  /** As if the engine had died before it wrote this resource into the state. */
  lose(stack: string, name: string): void {
    const { state, pending } = this.#stackOf(stack);
    const lost = state.get(name);
    state.delete(name);
    if (lost) pending.set(name, { declared: lost.declared, inputs: lost.inputs });
  }

  /** As if the engine had died while it created this resource. */
  interrupt(stack: string, declared: DirectResource, inputs: Recorded["inputs"]): void {
    this.#stackOf(stack).pending.set(declared.name, { declared, inputs });
  }

  /** As if someone had edited the resources of the state and imported it. */
  rewrite(stack: string, edit: (recorded: Recorded) => Recorded): void {
    const { state } = this.#stackOf(stack);
    for (const [name, recorded] of state) state.set(name, edit(recorded));
  }

  #stackOf(name: string): DirectStack {
    const found = this.#stacks.get(name) ?? new DirectStack({ ...this.#configuration });
    found.now = this.#now;
    found.time = pausesOnly;
    this.#stacks.set(name, found);
    return found;
  }
}

/** Whether a program or a state has it. */
function isIn(urn: string, program: readonly DirectResource[], { state }: DirectStack): boolean {
  return state.has(nameOf(urn)) || program.some(({ name }) => name === nameOf(urn));
}

/** The resources of a roster's program. */
function resourcesOf(program: Program): DirectResource[] {
  const { roster, offboarded, now } = program;
  return rosterParts(roster, { offboarded, now }).flatMap(({ person, parts: { user, seat, token } }) => {
    const options = person.protected ? { protect: true } : {};
    const of = (part: { name: string }) => ({ userId: `$${part.name}.id` });
    return [
      { ...user, ...options, type: "OrgUser" as const },
      ...(seat
        ? [{ ...seat, ...options, type: "SeatAssignment" as const, args: { ...seat.args, ...of(user) } }]
        : []),
      ...(seat && token
        ? [{ ...token, ...options, type: "UserToken" as const, args: { ...token.args, ...of(seat) } }]
        : []),
    ];
  });
}

/** A step as the engine interface has it. */
export function stepOf(
  stack: string,
  { declared, action, old, news, deleteFirst, causes, isHalfDone }: DirectStep,
): Step {
  const { type, name } = declared;
  return {
    ...{ stack, type, name, action, deleteFirst, news, causes, isHalfDone },
    urn: urnOf(stack, declared),
    member: memberOf(declared),
    parent: parentOf(stack, declared),
    id: old?.id,
    olds: old && masked(old.outs),
    isReplaced: action === "delete" && deleteFirst,
    isProtected: protectionOf(action, old?.declared.protect === true, declared.protect === true),
  };
}

function protectionOf(action: Step["action"], before: boolean, after: boolean): Step["isProtected"] {
  if (action === "create") return { before: after, after };
  return { before, after: action === "delete" ? before : after };
}

function memberOf({ name }: DirectResource): string {
  return name.replace(/-(user|seat|token)$/, "");
}

function parentOf(stack: string, declared: DirectResource): string {
  return `urn:pulumi:${stack}::orgseat::${COMPONENT}::${memberOf(declared)}`;
}

/** As Pulumi finds them in the inputs: of a token, user and seat. */
function dependenciesOf(stack: string, declared: DirectResource) {
  const before = {
    OrgUser: [],
    SeatAssignment: ["OrgUser"],
    UserToken: ["OrgUser", "SeatAssignment"],
  } as const;
  const name = memberOf(declared);
  if (declared.type !== "SeatAssignment" && declared.type !== "UserToken") return { dependencies: [] };
  const dependencies = before[declared.type].map((type) =>
    urnOf(stack, { type, name: `${name}-${type === "OrgUser" ? "user" : "seat"}` }),
  );
  return { dependencies, propertyDependencies: { organizationId: [], userId: dependencies } };
}

function urnOf(stack: string, { type, name }: Pick<DirectResource, "type" | "name">): string {
  return `urn:pulumi:${stack}::orgseat::${COMPONENT}$${rosterTokenOf(type)}::${name}`;
}

/** The engine shows no secret. */
function masked(outs: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return "value" in outs ? { ...outs, value: "[secret]" } : outs;
}

function failureOf([first]: readonly Diagnostic[], signal: AbortSignal | undefined): StackOutcome["failure"] {
  if (signal?.aborted) return { code: "cancelled", text: "cancelled" };
  return first && { code: first.code ?? "pulumi-failed", text: first.text };
}
