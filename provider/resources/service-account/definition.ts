/**
 * ServiceAccount: the credential of a machine such as a build server (create, list and delete service account). Id: the
 * client id. A changed name, rotation or organization, or a due `rotateEvery`, replaces it, creating the new one first.
 * With `keepPreviousFor` the replaced account keeps working for that time (previous-accounts.ts). Removal deletes all.
 */
import { CodedError } from "../../util/error-codes.ts";
import { changedKeys, completeOrganization, organizationOf } from "../changes.ts";
import type { PlanContext } from "../contexts.ts";
import { requireRightClock } from "../members/right-clock.ts";
import { ownerKey } from "../ownership.ts";
import { IMPORTED_SECRET, type ResourceDefinition } from "../resource.ts";
import {
  accountScheduleKey,
  describeRule,
  duePrevious,
  isRotationDue,
  issuedAtOf,
} from "../rotation-schedule.ts";
import { type Knowable, known } from "../unknown.ts";
import { createAccount, sharedAccounts } from "./created-account.ts";
import {
  claimAccounts,
  deleteAccounts,
  describePrevious,
  isKeptBySuccessor,
  keepsPrevious,
  noteReplaced,
  previousOf,
  takeReplaced,
} from "./previous-accounts.ts";
import {
  type ServiceAccountInputs as Inputs,
  inputs,
  type ServiceAccountOutputs as Outputs,
  outputs,
  outsOf,
} from "./schema.ts";

const identity = ["name", "rotation", "organizationId"] as const;
const settings = ["rotateEvery", "keepPreviousFor", "credentials"] as const;

export const serviceAccountDefinition: ResourceDefinition<Inputs, Outputs> = {
  name: "ServiceAccount",
  area: "organization",
  inputs,
  outputs,
  stableOutputs: ["clientId", "clientSecret"],
  identity,
  complete: completeOrganization,
  check: () => [],

  diff(_id, olds, news, context) {
    claimAccounts(context, olds);
    const changed = changedKeys(olds, news, identity);
    const isDue = changed.length === 0 && isRotatedByRule(olds, news, context);
    const replaces = isDue ? (["rotateEvery"] as const) : changed;
    if (replaces.length > 0) {
      noteReplaced(context, olds, news);
      if (isDue) context.run.notes.add(ruleKey(olds.clientId));
      explainReplacement(olds, news, isDue, context);
      return { changes: true, replaces };
    }
    const due = duePrevious(olds.previous ?? [], context.now);
    if (due.length > 0)
      context.diagnostics.info(
        `delete previous service account of ${olds.name}: client id ${describePrevious(due)}`,
      );
    const isWithoutAge = issuedAtOf(olds, news, context.now) !== olds.issuedAt;
    const changes = due.length > 0 || isWithoutAge || changedKeys(olds, news, settings).length > 0;
    return { changes, replaces };
  },

  async create(news, context) {
    const replaced = takeReplaced(context, news);
    if (replaced !== undefined && context.run.notes.has(ruleKey(replaced.clientId)))
      await requireRightClock(`rotate service account ${news.name}`, news, context);
    const account = await createAccount(news, context);
    const issuedAt = context.time.sendTime();
    const outs = outsOf(news, {
      ...{ clientId: account.client_id, clientSecret: account.client_secret },
      issuedAt,
      previous: previousOf(replaced, news, issuedAt),
    });
    claimAccounts(context, outs);
    return { id: account.client_id, outs };
  },

  async find(id, given, context) {
    const organizationId = organizationOf(given, context, `service account ${id}`);
    const access = { ...given, organizationId };
    const { accounts, complete } = await sharedAccounts.once(access, context);
    const account = accounts.find(({ client_id }) => client_id === id);
    if (account === undefined) {
      if (complete) return undefined;
      throw new CodedError(
        "cannot-adopt",
        `cannot import service account ${id}: the service returned one other account instead of a list. Declare a new ServiceAccount, and delete the old one in the service`,
      );
    }
    context.diagnostics.warn(
      `ServiceAccount ${account.name} (${id}): imported without its secret, which the service never returns again. To get an account with a usable secret, set or change \`rotation\`: this creates a new account and deletes the imported one.`,
    );
    const own = { clientId: id, clientSecret: IMPORTED_SECRET, issuedAt: undefined, previous: [] };
    return outsOf({ ...access, name: account.name }, own);
  },

  async read(id, outs, context) {
    const list = await sharedAccounts.once(outs, context);
    const present = new Set(list.accounts.map(({ client_id }) => client_id));
    const { previous: all = [], ...own } = outs;
    const previous = all.filter(({ clientId }) => !list.complete || present.has(clientId));
    if (present.has(id)) return outsOf(own, { ...own, previous });
    if (list.complete) {
      if (previous.length > 0)
        context.diagnostics.warn(
          `ServiceAccount ${outs.name} (${id}) no longer exists. The accounts that it replaced stay in the service, but the state no longer contains them: client id ${describePrevious(previous)}. Delete them.`,
        );
      return undefined;
    }
    context.diagnostics.warn(
      `ServiceAccount ${outs.name} (${id}): the service returned one other account instead of a list, which does not prove that this account is deleted; it stays in the state.`,
    );
    return outs;
  },

  async update(_id, olds, news, context) {
    const due = duePrevious(olds.previous ?? [], context.now).map(({ clientId }) => clientId);
    if (due.length > 0) {
      await requireRightClock(`delete the previous service account of ${news.name}`, news, context);
      sharedAccounts.forget(olds, context);
    }
    await deleteAccounts(due, { ...news, clientSecret: olds.clientSecret }, context);
    const previous = (olds.previous ?? []).filter(({ clientId }) => !due.includes(clientId));
    return outsOf(news, { ...olds, previous, issuedAt: issuedAtOf(olds, news, context.now) });
  },

  async delete(id, outs, context) {
    // A program can have Pulumi delete it before its successor exists: then nothing keeps it.
    context.run.replacedAccounts.delete(ownerKey("ServiceAccount", id, outs.organizationId));
    if (isKeptBySuccessor(context, id, outs)) return "kept";
    sharedAccounts.forget(outs, context);
    const previous = (outs.previous ?? []).map(({ clientId }) => clientId);
    return deleteAccounts([...previous, id], outs, context);
  },
};

function ruleKey(clientId: string): string {
  return `service account rotated by a rule: ${clientId}`;
}

function isRotatedByRule(olds: Outputs, news: Knowable<Inputs>, context: PlanContext): boolean {
  const rule = { rotateEvery: known(news.rotateEvery), issuedAt: olds.issuedAt };
  const key = accountScheduleKey(olds.organizationId, olds.name);
  return isRotationDue(key, rule, context.now);
}

function explainReplacement(
  olds: Outputs,
  news: Knowable<Inputs>,
  isDue: boolean,
  context: PlanContext,
): void {
  const keep = keepsPrevious(olds, news);
  if (!isDue && !keep) return;
  const rule = { rotateEvery: known(news.rotateEvery), issuedAt: olds.issuedAt };
  const why = isDue ? `: ${describeRule(rule)}` : "";
  const fate = keep
    ? `keeps working for ${known(news.keepPreviousFor)}, and a later run deletes it`
    : "is deleted at the end of the run";
  context.diagnostics.info(
    `rotate service account ${olds.name}${why}. The previous account (client id ${olds.clientId}) ${fate}.`,
  );
}
