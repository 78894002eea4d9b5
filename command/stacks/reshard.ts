/**
 * Moves people between stacks after `stacks` of the roster changed: their resources go from one state to another, without a
 * call. A resource is in the new state before it leaves the old one, so a run that ends early leaves it in two states,
 * never in none; the next run continues.
 */

import { CodedError, InternalError } from "../../provider/util/error-codes.ts";
import { shellWord, UP_RESUMES } from "../../provider/util/text.ts";
import { shortStackName } from "../engine/stack-names.ts";
import { memberOf, nameOf } from "../plan/steps/steps.ts";
import { MARKER_TYPE } from "../roster/roster.ts";
import type { Declaration, Organization, PlacedStacks } from "./organization.ts";
import type { Move } from "./shards.ts";
import {
  entriesOf,
  entryOf,
  isManaged,
  keyOf,
  pendingOf,
  readState,
  type State,
  type StateEntry,
} from "./stack-state.ts";
import { openCreationsIn } from "./undecided.ts";

/** The prefix of the types of orgseat's components. */
const COMPONENTS = "orgseat:index:";

/** @throws before any write, if a move would lose something */
export function refuseMoves(
  organization: Declaration,
  moves: readonly Move[],
  states: ReadonlyMap<string, State>,
): void {
  const concerned = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const mine = new Map([...states].filter(([stack]) => concerned.has(stack)));
  refusePending(mine);
  refuseOtherOrganizations(organization, mine);
  refuseDifferentCopies(moves, mine);
}

/**
 * @param moves as they were found; those that another run made meanwhile are left alone
 * @returns whether the configuration of a stack was copied to the first one
 */
export async function moveMembers(organization: Organization, moves: readonly Move[]): Promise<boolean> {
  const { engine, configuration } = organization;
  const [first = organization.baseName] = organization.stacks;
  const states = new Map<string, State>();
  const open = async (stack: string): Promise<void> => {
    await engine.createStack(stack);
    states.set(stack, readState(stack, (await engine.exportWithSecrets(stack)) ?? {}));
  };
  for (const stack of new Set([first, ...moves.flatMap(({ from, to }) => [from, to])])) await open(stack);
  refuseMoves(organization, moves, states);
  for (const [to, coming] of Map.groupBy(moves, (move) => move.to)) {
    const before = opened(states, to);
    let target = before;
    for (const [from, keys] of keysBy(coming, ({ from }) => from)) {
      target = withMembers(target, opened(states, from), keys, from, to);
    }
    if (target === before) continue;
    await replaceState(organization, to, before, target);
    await open(to);
  }
  let isConfigCopied = false;
  for (const [from, keys] of keysBy(moves, (move) => move.from)) {
    const source = opened(states, from);
    const left = withoutMembers(source, keys);
    const isStale = !organization.stacks.includes(from);
    // While it still has people: no later run reads the configuration of an empty stack.
    if (isStale && configuration.configured.includes(from)) {
      await engine.copyConfig(from, first);
      isConfigCopied = true;
    }
    // A stack with other resources stays.
    const isDone = isStale && entriesOf(left).every(isPulumiOrComponent);
    await replaceState(organization, from, source, isDone ? withEntries(left, []) : left);
    if (isDone) await engine.removeStack(from);
  }
  return isConfigCopied;
}

function opened(states: ReadonlyMap<string, State>, stack: string): State {
  const state = states.get(stack);
  if (state === undefined) throw new InternalError(`the state of stack ${stack} has not been read`);
  return state;
}

/** @throws if another run wrote the state meanwhile. While one is under way, Pulumi's lock prevents the import. */
async function replaceState(
  { engine }: PlacedStacks,
  stack: string,
  before: State,
  after: State,
): Promise<void> {
  const now = readState(stack, (await engine.exportWithSecrets(stack)) ?? {});
  if (JSON.stringify(entriesOf(now)) !== JSON.stringify(entriesOf(before))) {
    throw new CodedError(
      "cannot-move",
      `cannot move people: another run changed stack ${stack} in the meantime. No state was lost. ${UP_RESUMES}`,
    );
  }
  await engine.importStack(stack, after);
}

/** A run checks pending operations in the stack where they happened. */
function refusePending(states: ReadonlyMap<string, State>): void {
  for (const [stack, state] of states) {
    if (pendingOf(state).length === 0) continue;
    const [user] = openCreationsIn(stack, state).filter(({ isPending }) => isPending);
    if (user !== undefined)
      throw new CodedError(
        "cannot-move",
        `cannot move people: a run was killed while it created the machine user ${user.label} in stack ${stack}. Run \`orgseat resolve ${shellWord(user.key)}\` with --exists or --missing, then \`orgseat up\` again`,
      );
    throw new CodedError(
      "cannot-move",
      `cannot move people: stack ${stack} has operations that an earlier run did not finish. Restore the old \`stacks\`, run \`orgseat up\` once, then change it again`,
    );
  }
}

/** A stack can have one of these names by chance. */
function refuseOtherOrganizations({ roster }: Declaration, states: ReadonlyMap<string, State>): void {
  for (const [stack, state] of states) {
    const strange = entriesOf(state)
      .filter(isManaged)
      .map(({ outputs }) => outputs?.organizationId)
      .find((id) => typeof id === "string" && id !== roster.organizationId);
    if (strange === undefined) continue;
    throw new CodedError(
      "cannot-move",
      `cannot move people: stack ${stack} manages organization ${strange}, but the roster names ${roster.organizationId}. Choose other stack names with --stack`,
    );
  }
}

/** Resources with one name and different ids are two people, one of whom a move would lose. */
function refuseDifferentCopies(moves: readonly Move[], states: ReadonlyMap<string, State>): void {
  const found = new Map([...states].map(([stack, state]) => [stack, idsIn(state)]));
  const seen = new Map<string, { readonly stack: string; readonly id: string | undefined }>();
  for (const { key, from, to } of moves) {
    for (const stack of [to, from]) {
      for (const [name, id] of found.get(stack)?.get(key) ?? []) {
        const other = seen.get(`${to} ${name}`);
        seen.set(`${to} ${name}`, other ?? { stack, id });
        if (other === undefined || other.id === id) continue;
        throw new CodedError(
          "cannot-move",
          `cannot move people: ${key} has id ${other.id} in stack ${other.stack} and id ${id} in stack ${stack}. Check in the service which id is valid, and remove the other one from its stack with \`pulumi state delete\``,
        );
      }
    }
  }
}

/** By key, the ids of the resources of a person by name. */
function idsIn(state: State): Map<string, Map<string, string | undefined>> {
  const live = entriesOf(state).filter((entry) => isManaged(entry) && entry.delete !== true);
  const byKey = Map.groupBy(live, keyOf);
  return new Map(
    [...byKey].map(([key, mine]) => [key, new Map(mine.map(({ urn, id }) => [nameOf(urn), id]))]),
  );
}

function keysBy(moves: readonly Move[], by: (move: Move) => string): Map<string, Set<string>> {
  const grouped = Map.groupBy(moves, by);
  return new Map([...grouped].map(([name, mine]) => [name, new Set(mine.map(({ key }) => key))]));
}

/** The stack itself, its providers, and the marker of its roster, which each stack has. */
function isInEveryStack({ type }: StateEntry): boolean {
  return type.startsWith("pulumi:") || type === MARKER_TYPE;
}

/** Resources that every stack of an organization has, with people or without. */
function isPulumiOrComponent({ type }: StateEntry): boolean {
  return type.startsWith("pulumi:") || type.startsWith(COMPONENTS);
}

/** The entries of the components of these members, and of everything inside of them. */
function entriesOfMembers(keys: ReadonlySet<string>, state: State): Set<StateEntry> {
  const entries = entriesOf(state);
  const parents = new Map(entries.flatMap(({ urn, parent }) => (parent ? [[urn, parent] as const] : [])));
  const isTheirs = ({ urn, parent }: StateEntry): boolean => keys.has(memberOf(urn, parent, parents));
  return new Set(entries.filter((entry) => !isInEveryStack(entry) && isTheirs(entry)));
}

/** The target with the members of the source that it does not have yet; the same object if it has all. */
function withMembers(
  target: State,
  source: State,
  keys: ReadonlySet<string>,
  from: string,
  to: string,
): State {
  const there = entriesOf(target);
  const urns = new Set(there.map(({ urn }) => urn));
  const theirs = entriesOfMembers(keys, source);
  const coming = entriesOf(source)
    .filter((entry) => isInEveryStack(entry) || theirs.has(entry))
    .map((entry) => entryOf(renamed(entry, shortStackName(from), shortStackName(to))))
    .filter(({ urn }) => !urns.has(urn));
  if (coming.every(isInEveryStack)) return target;
  const all = [...there, ...coming];
  const providers = new Map(
    all.filter(({ type }) => type.startsWith("pulumi:providers:")).map((one) => [one.urn, one]),
  );
  return withEntries(
    target,
    all.map((entry) => withProviderOf(entry, providers)),
  );
}

/** The providers of the new stack have other ids. */
function withProviderOf(entry: StateEntry, providers: ReadonlyMap<string, StateEntry>): StateEntry {
  const urn = entry.provider?.split("::").slice(0, -1).join("::");
  const provider = urn === undefined ? undefined : providers.get(urn);
  return provider === undefined ? entry : { ...entry, provider: `${provider.urn}::${provider.id}` };
}

function withoutMembers(state: State, keys: ReadonlySet<string>): State {
  const theirs = entriesOfMembers(keys, state);
  return withEntries(
    state,
    entriesOf(state).filter((entry) => !theirs.has(entry)),
  );
}

function withEntries(state: State, resources: readonly StateEntry[]): State {
  return { ...state, deployment: { ...state.deployment, resources: [...resources] } };
}

/** A value with all its URNs in the other stack. */
function renamed(value: unknown, from: string, to: string): unknown {
  if (typeof value === "string") return renamedUrn(value, from, to);
  if (Array.isArray(value)) return value.map((item) => renamed(item, from, to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [renamedUrn(key, from, to), renamed(item, from, to)]),
  );
}

function renamedUrn(text: string, from: string, to: string): string {
  const prefix = `urn:pulumi:${from}::`;
  if (!text.startsWith(prefix)) return text;
  const rest = text.slice(prefix.length);
  const [project = "", type] = rest.split("::");
  // The name of the root has the stack's name in it.
  const own = type === "pulumi:pulumi:Stack" ? [project, type, `${project}-${to}`].join("::") : rest;
  return `urn:pulumi:${to}::${own}`;
}
