/** The entries of a plan: each operation that a run may make, with the facts that someone who approves it must see. */
import { createHash } from "node:crypto";
import { type Action, actions } from "./steps/action-table.ts";
import { operationNames } from "./steps/actions.ts";
import { actionsOf, dueAccounts, invitedBy, keptAccounts } from "./steps/actions-of-step.ts";
import { fingerprintsIn, keyChangeOf } from "./steps/keys.ts";
import { reasonsOf } from "./steps/scheduled.ts";
import { isChange, nameIn, type Properties, type Step, type StepType, textIn } from "./steps/steps.ts";

/** One operation on one object, of the service or of the state alone. */
export interface PlanEntry {
  readonly stack: string;
  readonly urn: string;
  readonly type: StepType;
  /** The name of the member in the program: the key of the roster. Of another resource, its name. */
  readonly key: string;
  /** The email or the purpose; the type and name of another resource. */
  readonly who: string;
  /** What the texts call it, together with the other operations of the same action. */
  readonly action: Action;
  /** The name of the service's operation, such as `issue token`; otherwise of a change of the state, such as `retain user`. */
  readonly operation: string;
  /** The id of the object before the run; null for one that the run creates. */
  readonly id: string | null;
  readonly facts: EntryFacts;
}

/** Each only if it applies. */
export interface EntryFacts {
  readonly email?: string | undefined;
  readonly purpose?: string | undefined;
  /** The id of the user or token that is adopted. */
  readonly adopt?: string | undefined;
  /** The date that a token is requested for, in UTC. */
  readonly expiresAt?: string | undefined;
  /** Fingerprints of the public keys that the token is sealed for. */
  readonly recipients?: readonly string[] | undefined;
  /** Those that the old token was sealed for, if they were others. */
  readonly recipientsBefore?: readonly string[] | undefined;
  /** The emails that the service sends: `seat`, `token`, or the addresses of an onboarding. */
  readonly emails?: readonly string[] | undefined;
  readonly reasons?: readonly string[] | undefined;
  /** The digest of all inputs that are not secret, so that no input changes unseen. */
  readonly inputs?: string | undefined;
}

/** The entries of a step, in the order of their execution; none if nothing changes. @param now milliseconds since 1970 */
export function entriesOf(step: Step, who: string, now: number): PlanEntry[] {
  if (!isChange(step)) return [];
  const { stack, urn, type, member: key } = step;
  const reasons = reasonsOf(step, now);
  return actionsOf(step, now).flatMap((action) =>
    operationsOf(step, action, now).map(({ operation, id }) => ({
      ...{ stack, urn, type, key, who, action, operation, id },
      facts: factsOf(step, operation, reasons),
    })),
  );
}

/** Whether an entry changes the state alone. */
export function isInState({ action }: PlanEntry): boolean {
  return actions[action].operations.length === 0;
}

/** The actions of entries, each once per object. */
export function actionsIn(entries: readonly PlanEntry[]): Action[] {
  const found = new Map(entries.map((entry) => [`${entry.urn} ${entry.action}`, entry.action]));
  return [...found.values()];
}

/** Operations that make something new, in the service or in the state, which has no id yet. */
const MAKES: ReadonlySet<string> = new Set([
  "adopt",
  "adopt user",
  "adopt seat",
  "adopt token",
  "add user",
  "assign seat",
  "issue token",
  "create service account",
  "create server",
  "create table",
]);

function operationsOf(
  step: Step,
  action: Action,
  now: number,
): { readonly operation: string; readonly id: string | null }[] {
  const { id = null, olds } = step;
  const own = operationNames(action).map((operation) => ({
    operation,
    id: MAKES.has(operation) && step.action !== "update" ? null : id,
  }));
  const accounts =
    action === "deletePrevious"
      ? dueAccounts(olds ?? {}, now)
      : action === "deleteAccount"
        ? [{ clientId: id ?? "" }, ...keptAccounts(olds)]
        : undefined;
  if (accounts === undefined) return own;
  return accounts.map(({ clientId }) => ({ operation: "delete service account", id: clientId }));
}

const SEALS: ReadonlySet<string> = new Set(["issue token", "adopt token"]);
const DATED: ReadonlySet<string> = new Set(["issue token", "renew token"]);

function factsOf(step: Step, operation: string, reasons: readonly string[]): EntryFacts {
  const { type, olds, action } = step;
  const news = action === "delete" ? undefined : step.news;
  const person = news ?? olds ?? {};
  const isToken = type === "UserToken" && news !== undefined;
  return {
    email: type === "OrgUser" ? textIn(person, "email") : undefined,
    purpose: type === "OrgUser" && textIn(person, "email") === undefined ? nameIn(person) : undefined,
    adopt: textIn(news, "adopt"),
    expiresAt:
      isToken && DATED.has(operation)
        ? (textIn(news, "expiresAt") ?? textIn(news, "subscriptionExpiresAt"))
        : undefined,
    recipients: isToken && SEALS.has(operation) ? listed(fingerprintsIn(news)) : undefined,
    recipientsBefore: isToken && SEALS.has(operation) ? listed(keyChangeOf(step)?.before) : undefined,
    emails: emailsOf(step, operation),
    reasons: listed(reasons),
    inputs: news === undefined ? undefined : digestOfInputs(news),
  };
}

function emailsOf({ type, olds, news = {}, action }: Step, operation: string): string[] | undefined {
  if (type === "Onboarding" && operation === "onboard users")
    return invitedBy(action === "update" ? olds : undefined, news);
  if (news.sendEmail !== true) return undefined;
  if (operation === "assign seat") return ["seat"];
  return operation === "issue token" ? ["token"] : undefined;
}

function listed(texts: readonly string[] | undefined): readonly string[] | undefined {
  return texts === undefined || texts.length === 0 ? undefined : texts;
}

/** Inputs that say who sends a request and not what it does, or that contain a secret. */
const UNBOUND: ReadonlySet<string> = new Set(["credentials", "__provider"]);

function digestOfInputs(news: Properties): string {
  const bound = Object.entries(news)
    .filter(([key, value]) => !UNBOUND.has(key) && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(bound)).digest("hex");
}
