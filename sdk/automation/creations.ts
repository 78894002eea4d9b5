/**
 * Managed users whose creation an earlier run did not finish. No call finds a managed user, so the user may exist, and `up`
 * creates it again only after a decision. The provider's records show these creations; if Pulumi itself was killed, the
 * pending operations of the state do too.
 */
import { randomUUID } from "node:crypto";
import {
  type CreationRecord,
  isSameUser,
  readCreations,
  removeCreation,
  writeCreation,
} from "../../provider/creations.ts";
import { capabilitiesOf } from "../../provider/settings.ts";
import type { Organization } from "./organization.ts";
import { type Member, nameIn } from "./plan/members.ts";
import { type Step, TYPE_PREFIX } from "./plan/steps.ts";
import { resolveMembers, unknownAmong } from "./resolve-members.ts";
import { entriesOf, isLive, isManaged, pendingOf, type State, stateOf, statesOf } from "./stack-state.ts";

/** A decision about one managed user, by key or purpose: it is the user with this id, or it was not created. */
export interface CreationDecision {
  readonly who: string;
  /** Undefined: it was not created. */
  readonly userId: string | undefined;
}

/** A managed user whom this plan creates, and whom an earlier run may have created. */
export interface EarlierCreation extends Member {
  readonly urn: string;
  /** When the earlier run sent the request, an instant. */
  readonly time: string;
  /** What `up` does: waits for a decision, takes the user into the state, or creates it again as decided. */
  readonly next: "wait" | "take" | "create";
  /** The file of the record; undefined if the state alone shows the creation. */
  readonly file: string | undefined;
}

interface DecisionOptions {
  readonly decisions?: readonly CreationDecision[] | undefined;
  /** Whether the steps are complete. If not, a decision may be about a member who is not in them. */
  readonly isWhole?: boolean;
}

/** @throws if a decision is about another member, or about a user that a stack already manages */
export async function earlierCreations(
  organization: Organization,
  steps: readonly Step[],
  { decisions = [], isWhole = true }: DecisionOptions = {},
): Promise<EarlierCreation[]> {
  // Where the service lists its users, the provider finds those whom an earlier run created.
  const { canListUsers } = capabilitiesOf(organization.settings);
  const creations = canListUsers ? [] : steps.filter(createsManagedUser);
  const pending = await pendingIn(organization, new Set(creations.map(({ stack }) => stack)));
  const records = creations.length === 0 ? [] : lostCreations(organization, steps);
  const found = creations.flatMap((step) => {
    const index = records.findIndex((record) => isSameUser(record, userOf(step)));
    // Two users with the same names have a record each.
    const [record] = index < 0 ? [] : records.splice(index, 1);
    return earlierOf(step, record, pending.get(step.urn)) ?? [];
  });
  const names = decisions.map(({ who }) => who);
  const unknown = new Set(isWhole ? [] : unknownAmong(names, found));
  return withDecisions(
    found,
    decisions.filter(({ who }) => !unknown.has(who)),
    steps,
  );
}

/**
 * The records whose users no state has. The others are removed: the engine compares no user whose row has left the roster,
 * so the provider does not settle them, and a new row with the same purpose would take over that user.
 */
function lostCreations({ creationsFolder }: Organization, steps: readonly Step[]): CreationRecord[] {
  const inStates = new Set(steps.flatMap(({ type, id }) => (type === "OrgUser" && id ? id : [])));
  return readCreations(creationsFolder).filter(({ userId, file }) => {
    if (userId === undefined || !inStates.has(userId)) return true;
    removeCreation(file);
    return false;
  });
}

/** The members with a managed user whose creation has no recorded response now. */
export function openCreations({ creationsFolder }: Organization, steps: readonly Step[]): Set<string> {
  const creations = steps.filter(createsManagedUser);
  const records = creations.length === 0 ? [] : readCreations(creationsFolder);
  const open = records.filter(({ userId }) => userId === undefined);
  return new Set(
    creations.flatMap((step) => (open.some((one) => isSameUser(one, userOf(step))) ? step.member : [])),
  );
}

function createsManagedUser({ type, action, news }: Step): boolean {
  if (type !== "OrgUser" || (action !== "create" && action !== "replace")) return false;
  return news?.email === undefined && news?.adopt === undefined;
}

function userOf({ news = {} }: Step) {
  const text = (name: string): string | undefined => {
    const value = news[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    organizationId: text("organizationId") ?? "",
    firstName: text("firstName"),
    lastName: text("lastName"),
  };
}

function earlierOf(
  step: Step,
  record: CreationRecord | undefined,
  pendingSince: string | undefined,
): EarlierCreation | undefined {
  const time = record?.time ?? pendingSince;
  if (time === undefined) return undefined;
  const userId = record?.userId;
  return {
    ...{ key: step.member, stack: step.stack, urn: step.urn, time, userId, file: record?.file },
    label: nameIn(step.news) ?? step.member,
    // A user that a run of another stack created may be in the state of that stack.
    next: userId !== undefined && record?.stack === step.stack ? "take" : "wait",
  };
}

function withDecisions(
  found: readonly EarlierCreation[],
  decisions: readonly CreationDecision[],
  steps: readonly Step[],
): EarlierCreation[] {
  const where = "the list of managed users whose creation was not finished";
  const named = decisions.map((decision) => {
    const [creation] = resolveMembers([decision.who], found, where);
    return { urn: creation?.urn, ...decision };
  });
  const byUrn = new Map(named.map((decision) => [decision.urn, decision]));
  if (byUrn.size < named.length)
    throw new Error("--created and --not-created name the same managed user twice");
  for (const { who, userId } of named) {
    if (userId === undefined) continue;
    const isTaken =
      steps.some(({ type, id }) => type === "OrgUser" && id === userId) ||
      named.filter((other) => other.userId === userId).length > 1;
    if (isTaken)
      throw new Error(
        `cannot use user ${userId} for ${who}: a stack already manages this user for another person`,
      );
  }
  return found.map((creation) => {
    const decision = byUrn.get(creation.urn);
    if (decision === undefined) return creation;
    const { userId } = decision;
    return { ...creation, userId, next: userId === undefined ? "create" : "take" };
  });
}

/** Writes the decisions into the records, which the provider reads. Is called before the first write. */
export async function prepareCreations(
  organization: Organization,
  creations: readonly EarlierCreation[],
  steps: readonly Step[],
): Promise<void> {
  for (const creation of creations) {
    const step = steps.find(({ urn }) => urn === creation.urn);
    const { next, file, userId, stack, time } = creation;
    if (step === undefined) continue;
    if (next === "create" && file !== undefined) removeCreation(file);
    if (next === "wait" && file !== undefined) endRun(organization, file);
    if (next === "create" || (next === "wait" && file !== undefined)) continue;
    // Under the id of a run that has ended: the provider takes over what such a run created.
    const record = { ...userOf(step), time, run: randomUUID(), stack };
    writeCreation(organization.creationsFolder, { ...record, ...(next === "take" && { userId }) }, file);
  }
}

/** CI gives a repeated run the id of the first one, whose creations are those of an earlier run all the same. */
function endRun({ creationsFolder, run }: Organization, file: string): void {
  const record = readCreations(creationsFolder).find((one) => one.file === file);
  if (record?.run !== run.id) return;
  const { file: _file, ...content } = record;
  writeCreation(creationsFolder, { ...content, run: randomUUID() }, file);
}

/**
 * Drops pending creations from states that have the resource: Pulumi keeps them, and warns of them in every run. If another
 * run holds the lock of a stack, a later run does it.
 */
export async function dropSettled({ engine, stacks }: Organization): Promise<void> {
  await Promise.allSettled(stacks.map((stack) => dropPending(engine, stack)));
}

/** Whether it is the warning of Pulumi at the start of a run over a state with pending operations. */
export function mentionsPendingOperations(text: string): boolean {
  return /\d+ pending operations from previous deployment/.test(text);
}

async function dropPending(engine: Organization["engine"], stack: string): Promise<void> {
  const state = await stateOf(engine, stack);
  if (state === undefined) return;
  const there = new Set(entriesOf(state).flatMap((entry) => (isLive(entry) ? [entry.urn] : [])));
  const all = pendingOf(state);
  const pending_operations = all.filter(
    ({ type, resource }) => type !== "creating" || !isManaged(resource) || !there.has(resource.urn),
  );
  if (pending_operations.length === all.length) return;
  await engine.importStack(stack, { ...state, deployment: { ...state.deployment, pending_operations } });
}

/** By URN, the start of each creation of a managed user that is pending in these stacks. */
async function pendingIn(
  organization: Organization,
  stacks: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const states = [...(await statesOf(organization, stacks)).values()];
  return new Map(
    states.flatMap((state) =>
      pendingOf(state).flatMap(({ type, resource: { urn, type: token, inputs } }) =>
        type === "creating" && token === `${TYPE_PREFIX}OrgUser` && inputs?.email === undefined
          ? [[urn, writtenAt(state)] as const]
          : [],
      ),
    ),
  );
}

/** The operation that did not end made the last write of the state. */
function writtenAt({ deployment }: State): string {
  const at = Date.parse(deployment.manifest?.time ?? "");
  return new Date(Number.isNaN(at) ? 0 : at).toISOString();
}

/** One line of a preview. */
export function describeCreation({ key, label, time, userId, next }: EarlierCreation): string {
  if (next === "take") {
    return `${label}: a run at ${time} created this managed user as user ${userId}. \`orgseat up\` adds it to the state, without a request to the service.`;
  }
  if (next === "create") {
    return `${label}: a run at ${time} sent the creation of this managed user. \`orgseat up\` creates it, because you decided that it does not exist.`;
  }
  const response = userId === undefined ? "recorded no response" : `received user ${userId}`;
  return `${label}: skipped. A run at ${time} sent the creation of this managed user and ${response}, so the user may exist. ${describeDecision(key, userId)}`;
}

/** What to do after a creation without a recorded response. */
export function describeDecision(key: string, userId = "<user id>"): string {
  const who = shellWord(key);
  return `Check the service's administration. If the user exists, run \`orgseat up --created ${who}=${userId}\`; if not, run \`orgseat up --not-created ${who}\`.`;
}

function shellWord(text: string): string {
  return /^[\w@.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
