/**
 * Compares the state of a stack with what the roster declares, by the check and the diff that the provider would make, so
 * that Pulumi runs for the people alone whom a run can change. With the members that a refresh has read, it also makes the
 * refresh's read. Sends nothing. Whatever is not certain is affected.
 */
import { isDeepStrictEqual } from "node:util";
import { definitions } from "../../provider/definitions.ts";
import { type ResourceType, rosterTypeOf, STATE_VERSION } from "../../provider/resources/resource-types.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import { systemClock } from "../../provider/util/instants.ts";
import { providerText } from "../../sdk/base/registration.ts";
import type { Diagnostic, Program } from "../engine/engine.ts";
import { memberOf, nameOf, type Properties, rosterTokenOf, type Step } from "../plan/steps/steps.ts";
import { rosterParts } from "../roster/members.ts";
import type { RosterMarker } from "../roster/roster.ts";
import { entriesOf, type State, type StateEntry } from "./stack-state.ts";
import {
  type DeclaredMember,
  type DeclaredPart,
  declaredIn,
  dependenciesOf,
  type Held,
  hasNoOtherSecret,
  heldIn,
  markerOf,
  masked,
  type PlacedState,
  partTypes,
  stored,
  withoutSecrets,
} from "./usual-state.ts";

export interface Assessment {
  /** The keys of the people whom a run can change. */
  readonly affected: ReadonlySet<string>;
  /** What such a run names: all resources of these people, in the state and in the program, and a marker that changes. */
  readonly targets: readonly string[];
  /** The steps of all others, which stay as they are. */
  readonly steps: readonly Step[];
  /** What the provider says about them. */
  readonly diagnostics: readonly Diagnostic[];
  readonly marker: RosterMarker;
}

export interface AssessedStack extends PlacedState {
  /** The configuration of the stack by full keys. */
  readonly config: ReadonlyMap<string, string>;
  /** The variables of a run. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What a refresh has read: `environment` names its file. Undefined without a refresh. */
  readonly members?: ServiceMembers | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** More would make the arguments of Pulumi's command too long. */
const MOST_AFFECTED = 250;

/** @returns undefined if Pulumi has to preview the whole stack */
export async function assess(assessed: AssessedStack): Promise<Assessment | undefined> {
  const held = heldIn(assessed);
  const marker = held && markerOf(held, assessed.program);
  if (held === undefined || marker === undefined) return undefined;
  const comparison = new Comparison(assessed, held);
  const steps: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  const affected = new Set(held.members.keys());
  const targets: string[] = marker.action === "same" ? [] : [marker.urn];
  const declared = declaredIn(assessed.program, held);
  for (const member of declared) {
    const { key } = member;
    const found = await comparison.same(member);
    if (found === undefined) {
      affected.add(key);
      targets.push(member.urn, ...member.parts.map(({ urn }) => urn));
      continue;
    }
    affected.delete(key);
    steps.push(...found.steps);
    diagnostics.push(...found.diagnostics);
  }
  const present = [...affected].flatMap((key) => held.members.get(key) ?? []);
  const urns = new Set(declared.flatMap(({ urn, parts }) => [urn, ...parts.map((part) => part.urn)]));
  const isVanishing = await comparison.mayLose(present.filter(({ urn }) => !urns.has(urn)));
  await comparison.close();
  targets.push(...present.map(({ urn }) => urn));
  const isAboutAll = steps.length === 0 && targets.length > 0;
  // Pulumi's refresh refuses targets that the state lacks, such as those of a new person, and those that it loses.
  const there = new Set(entriesOf(assessed.state).map(({ urn }) => urn));
  const isRefused = assessed.members !== undefined && (isVanishing || targets.some((urn) => !there.has(urn)));
  // For Pulumi, an asterisk in a target stands for any text.
  const isPattern = targets.some((urn) => urn.includes("*"));
  if (affected.size > MOST_AFFECTED || isAboutAll || isRefused || isPattern) return undefined;
  return { affected, targets: [...new Set(targets)], steps, diagnostics, marker };
}

/**
 * The targets that a state or the program still has: Pulumi refuses others, such as a person whom another run has removed
 * meanwhile.
 */
export function presentTargets(targets: readonly string[], state: State, program: Program): string[] {
  const there = new Set(entriesOf(state).map(({ urn }) => urn));
  const names = new Set([program.roster.id, ...namesIn(program)]);
  return targets.filter((urn) => there.has(urn) || names.has(nameOf(urn)));
}

function namesIn({ roster, offboarded, now }: Program): string[] {
  return rosterParts(roster, { offboarded, now }).flatMap(({ key, parts }) => [
    key,
    ...[parts.user, parts.seat, parts.token].flatMap((part) => part?.name ?? []),
  ]);
}

interface Unaffected {
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Asks the provider's own code about the members of one stack, one after the other. */
class Comparison {
  readonly #assessed: AssessedStack;
  readonly #held: Held;
  readonly #process: ProviderProcess;
  readonly #providers: ReadonlyMap<ResourceType, DynamicProvider>;
  readonly #listedUsers: ReadonlySet<string>;
  /** The users whose tokens a refresh has read, or leaves as they are. */
  readonly #knownTokens: ReadonlySet<string>;
  #said: Diagnostic[] = [];

  constructor(assessed: AssessedStack, held: Held) {
    const { stack, config, environment, members, now } = assessed;
    const write = (severity: Diagnostic["severity"], text: string): void => {
      this.#said.push({ stack, severity, urn: undefined, text });
    };
    this.#process = new ProviderProcess({
      environment,
      log: () => ({ write, flush: async () => undefined }),
      clock: { ...systemClock, now },
    });
    this.#process.configure((key) => config.get(key));
    this.#assessed = assessed;
    this.#held = held;
    const { users = [], tokens, unread = [], kept = [] } = members ?? {};
    this.#listedUsers = new Set([...users.map((user) => user.id), ...kept]);
    this.#knownTokens = new Set([...(tokens?.keys() ?? []), ...unread, ...kept]);
    this.#providers = new Map(
      partTypes.map((type) => [type, new DynamicProvider(definitions[rosterTypeOf(type)], this.#process)]),
    );
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  /** Whether a refresh can take any of these out of the state. */
  async mayLose(entries: readonly StateEntry[]): Promise<boolean> {
    if (this.#assessed.members === undefined) return false;
    for (const { type: token, id, outputs = {} } of entries) {
      const type = partTypes.find((one) => rosterTokenOf(one) === token);
      const provider = type && this.#providers.get(type);
      if (provider === undefined || id === undefined) continue;
      const isKnown = this.#listedUsers.has(id) && (type !== "UserToken" || this.#knownTokens.has(id));
      const read = isKnown ? provider.read(id, withoutSecrets(outputs)) : undefined;
      const found = await read?.catch(() => undefined);
      if (found?.id !== id) return true;
    }
    return false;
  }

  /** Undefined for a member whom a run can change. */
  async same(member: DeclaredMember): Promise<Unaffected | undefined> {
    const { members, root } = this.#held;
    const [component, ...entries] = members.get(member.key) ?? [];
    this.#said = [];
    const isThere =
      component?.urn === member.urn &&
      component.parent === root &&
      component.protect !== true &&
      Object.keys(component.inputs ?? {}).length === 0 &&
      entries.length === member.parts.length;
    if (!isThere) return undefined;
    const steps: Step[] = [];
    for (const part of member.parts) {
      const entry = entries.find(({ urn, type }) => urn === part.urn && type === rosterTokenOf(part.type));
      if (entry === undefined || !this.#isRegistered(entry, part, member)) return undefined;
      if (!(await this.#isSame(entry, part, member))) return undefined;
      steps.push(stepOf(this.#assessed.stack, entry, part));
    }
    return { steps, diagnostics: this.#said };
  }

  /** Whether a program would register the resource as the state has it. */
  #isRegistered(
    entry: StateEntry,
    { type }: DeclaredPart,
    { urn, isProtected, parts }: DeclaredMember,
  ): boolean {
    const before = parts
      .slice(
        0,
        parts.findIndex((part) => part.type === type),
      )
      .map((part) => part.urn);
    const { secretOutputs } = definitions[rosterTypeOf(type)];
    return (
      entry.parent === urn &&
      entry.provider === this.#held.provider &&
      (entry.protect === true) === isProtected &&
      isDeepStrictEqual((entry.dependencies ?? []).toSorted(), before.toSorted()) &&
      dependenciesOf(entry).every((one) => before.includes(one)) &&
      isDeepStrictEqual(entry.additionalSecretOutputs ?? [], [...secretOutputs]) &&
      hasNoOtherSecret(entry, secretOutputs)
    );
  }

  async #isSame(entry: StateEntry, part: DeclaredPart, member: DeclaredMember): Promise<boolean> {
    const { id, inputs = {}, outputs = {} } = entry;
    const provider = this.#providers.get(part.type);
    const isUsual = id === this.#userIdOf(member) && outputs.stateVersion === STATE_VERSION;
    if (!id || provider === undefined || !isUsual) return false;
    const text = { __provider: providerText(rosterTypeOf(part.type)) };
    const known = withoutSecrets(outputs);
    const reference = part.type === "OrgUser" ? {} : { userId: this.#userIdOf(member) };
    const declared = stored({ ...part.args, ...reference, ...text });
    try {
      const { inputs: checked, failures = [] } = await provider.check(inputs, declared);
      if (failures.length > 0 || !isDeepStrictEqual({ ...checked, ...text }, inputs)) return false;
      const { changes, replaces = [] } = await provider.diff(id, known, inputs);
      if (changes === true || replaces.length > 0) return false;
      return this.#assessed.members === undefined || (await this.#isAsRead(part.type, id, known, provider));
    } catch {
      return false;
    }
  }

  /** Whether a refresh leaves the outputs as they are. What only a request can show is not certain. */
  async #isAsRead(
    type: ResourceType,
    id: string,
    outputs: Properties,
    provider: DynamicProvider,
  ): Promise<boolean> {
    if (type === "UserToken" ? !this.#knownTokens.has(id) : !this.#listedUsers.has(id)) return false;
    const { id: found, props = {} } = await provider.read(id, outputs);
    const { __provider: _, ...before } = outputs;
    return found === id && isDeepStrictEqual(stored(props), before);
  }

  /** Also the id of seat and token. */
  #userIdOf({ key }: DeclaredMember): string | undefined {
    return this.#held.members.get(key)?.find(({ type }) => type === rosterTokenOf("OrgUser"))?.id;
  }
}

/** The step of a resource that stays as it is, as an engine reports it. */
function stepOf(stack: string, entry: StateEntry, { type, urn }: DeclaredPart): Step {
  const { id, parent, inputs = {}, outputs = {} } = entry;
  const isProtected = entry.protect === true;
  return {
    ...{ stack, urn, type, name: nameOf(urn), member: memberOf(urn, parent), parent, id },
    ...{ action: "same", deleteFirst: false, isReplaced: false },
    olds: masked(outputs),
    news: masked(inputs),
    isProtected: { before: isProtected, after: isProtected },
  };
}
