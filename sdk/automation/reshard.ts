/**
 * Moves people between stacks after `stacks` of the roster has changed: their resources go from one state to another,
 * and no call is made. A resource is in its new state before it leaves the old one, so a run that ends early leaves it in
 * two, never in none; the next one goes on.
 */
import { shortStackName } from "./engine/stack-names.ts";
import { entriesOf, entryOf, readState, type State, type StateEntry } from "./engine/state.ts";
import { exportsOf } from "./members.ts";
import type { Organization } from "./organization.ts";
import { people } from "./plan/plural.ts";
import type { Step } from "./plan/steps.ts";
import { memberOf, TYPE_PREFIX } from "./plan/urns.ts";
import { shardOf } from "./roster/program.ts";

export interface Move {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** People lie in other stacks than the roster asks for; only `up` of the whole organization moves them. */
export class MisplacedPeople extends Error {
  readonly moves: readonly Move[];
  constructor(moves: readonly Move[], stacks: number) {
    super(
      `${people(moves.length)} ${moves.length === 1 ? "lies" : "lie"} in other stacks than \`stacks: ${stacks}\` asks for. \`orgseat up\` moves their states first, without a call, and goes on from there.`,
    );
    this.name = "MisplacedPeople";
    this.moves = moves;
  }
}

/** Who lies in a stack of another number of stacks; empty where all is in its place. */
export async function staleMembers(organization: Organization): Promise<Move[]> {
  const stale = await exportsOf(organization, organization.staleStacks);
  return stale.flatMap(({ stack, deployment }) =>
    movesFrom(organization, stack, keysOf(readState(stack, deployment))),
  );
}

/** Who lies in another stack than the hash of the key says: a move that was interrupted, or a changed number of stacks. */
export function strayMembers(organization: Organization, steps: readonly Step[]): Move[] {
  if (organization.program !== undefined) return [];
  const there = steps.filter(({ action }) => action !== "create");
  return [...Map.groupBy(there, ({ stack }) => stack)].flatMap(([stack, mine]) =>
    movesFrom(organization, stack, new Set(mine.map(({ member }) => member))),
  );
}

/** @returns the moves that were made @param moves as they were found */
export async function moveMembers(organization: Organization, moves: readonly Move[]): Promise<void> {
  const { engine } = organization;
  const open = async (stack: string): Promise<State> => {
    await engine.makeStack(stack);
    return readState(stack, (await engine.exportInTheClear(stack)) ?? {});
  };
  const sources = new Map<string, State>();
  for (const stack of new Set(moves.map(({ from }) => from))) sources.set(stack, await open(stack));
  refusePending(sources);
  refuseStrangers(organization, sources);
  for (const [to, coming] of Map.groupBy(moves, (move) => move.to)) {
    const before = sources.get(to) ?? (await open(to));
    let target = before;
    for (const [from, keys] of keysBy(coming, ({ from }) => from)) {
      const source = sources.get(from);
      if (source !== undefined) target = withMembers(target, source, keys, from, to);
    }
    await replaceState(organization, to, before, target);
    if (sources.has(to)) sources.set(to, await open(to));
  }
  for (const [from, keys] of keysBy(moves, (move) => move.from)) {
    const source = sources.get(from);
    if (source === undefined) continue;
    const left = withoutMembers(source, keys);
    // What else a stack has is somebody's, and keeps the stack.
    const isDone = !organization.stacks.includes(from) && entriesOf(left).every(isPulumis);
    await replaceState(organization, from, source, isDone ? withEntries(left, []) : left);
    if (isDone) await engine.removeStack(from);
  }
}

/** Not over what another run has written meanwhile. While one is under way, Pulumi's lock keeps the import out. */
async function replaceState(
  { engine }: Organization,
  stack: string,
  before: State,
  after: State,
): Promise<void> {
  const now = readState(stack, (await engine.exportInTheClear(stack)) ?? {});
  if (JSON.stringify(entriesOf(now)) !== JSON.stringify(entriesOf(before))) {
    throw new Error(
      `another run has changed stack ${stack} while people were moved. Nobody is lost: run \`orgseat up\` again, which goes on from there.`,
    );
  }
  await engine.importStack(stack, after);
}

function keysOf(state: State): Set<string> {
  return new Set(
    entriesOf(state)
      .filter(isManaged)
      .map(({ urn, parent }) => memberOf(urn, parent)),
  );
}

function movesFrom({ stacks }: Organization, stack: string, keys: ReadonlySet<string>): Move[] {
  return [...keys].flatMap((key) => {
    const to = stacks[shardOf(key, stacks.length)];
    return to === undefined || to === stack ? [] : [{ key, from: stack, to }];
  });
}

/** What was under way when a run died is asked for in the stack where it happened. */
function refusePending(states: ReadonlyMap<string, State>): void {
  for (const [stack, { deployment }] of states) {
    if ((deployment.pending_operations ?? []).length === 0) continue;
    throw new Error(
      `stack ${stack} has operations that an earlier run did not end. Set \`stacks\` back, run \`orgseat up\` once, and change it then.`,
    );
  }
}

/** A stack that has one of these names by chance. */
function refuseStrangers({ roster }: Organization, states: ReadonlyMap<string, State>): void {
  for (const [stack, state] of states) {
    const strange = entriesOf(state)
      .filter(isManaged)
      .map(({ outputs }) => outputs?.organizationId)
      .find((id) => typeof id === "string" && id !== roster.organizationId);
    if (strange === undefined) continue;
    throw new Error(
      `stack ${stack} is about organization ${strange}, and the roster about ${roster.organizationId}: nobody was moved. Name the stacks otherwise with --stack.`,
    );
  }
}

function keysBy(moves: readonly Move[], by: (move: Move) => string): Map<string, Set<string>> {
  const grouped = Map.groupBy(moves, by);
  return new Map([...grouped].map(([name, mine]) => [name, new Set(mine.map(({ key }) => key))]));
}

function isManaged({ type }: StateEntry): boolean {
  return type.startsWith(TYPE_PREFIX);
}

/** The stack itself and its providers. */
function isPulumis({ type }: StateEntry): boolean {
  return type.startsWith("pulumi:");
}

/** Whether it is a member's component, or lies in it. */
function isOf(keys: ReadonlySet<string>, entry: StateEntry): boolean {
  return !isPulumis(entry) && keys.has(memberOf(entry.urn, entry.parent));
}

/** The state with members of another one, except those that it has already. */
function withMembers(
  target: State,
  source: State,
  keys: ReadonlySet<string>,
  from: string,
  to: string,
): State {
  const there = entriesOf(target);
  const urns = new Set(there.map(({ urn }) => urn));
  const coming = entriesOf(source)
    .filter((entry) => isPulumis(entry) || isOf(keys, entry))
    .map((entry) => entryOf(renamed(entry, shortStackName(from), shortStackName(to))))
    .filter(({ urn }) => !urns.has(urn));
  const all = [...there, ...coming];
  const providers = new Map(
    all.filter(({ type }) => type.startsWith("pulumi:providers:")).map((one) => [one.urn, one]),
  );
  return withEntries(
    target,
    all.map((entry) => withProviderOf(entry, providers)),
  );
}

/** A provider of the new stack has an id of its own. */
function withProviderOf(entry: StateEntry, providers: ReadonlyMap<string, StateEntry>): StateEntry {
  const urn = entry.provider?.split("::").slice(0, -1).join("::");
  const provider = urn === undefined ? undefined : providers.get(urn);
  return provider === undefined ? entry : { ...entry, provider: `${provider.urn}::${provider.id}` };
}

function withoutMembers(state: State, keys: ReadonlySet<string>): State {
  return withEntries(
    state,
    entriesOf(state).filter((entry) => !isOf(keys, entry)),
  );
}

function withEntries(state: State, resources: readonly StateEntry[]): State {
  return { ...state, deployment: { ...state.deployment, resources: [...resources] } };
}

/** With every URN in it, wherever it stands, in the other stack. */
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
