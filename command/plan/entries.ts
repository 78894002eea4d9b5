/** The entries of a plan: each operation that a run may make, with the facts that someone who approves it must see. */
import { createHash } from "node:crypto";
import { type Action, serviceOperation } from "../../provider/resources/actions.ts";
import type { Operation } from "../../provider/resources/operations.ts";
import { operationsIn } from "./steps/actions-of-step.ts";
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
  return operationsIn(step, now).map((one) => ({
    ...{ stack, urn, type, key, who, action: one.action, operation: one.name, id: one.id },
    facts: factsOf(step, one, reasons),
  }));
}

/** Whether an entry changes the state alone. */
export function isInState({ operation }: PlanEntry): boolean {
  return serviceOperation(operation) === undefined;
}

/** The actions of entries, each once per object. */
export function actionsIn(entries: readonly PlanEntry[]): Action[] {
  const found = new Map(entries.map((entry) => [`${entry.urn} ${entry.action}`, entry.action]));
  return [...found.values()];
}

function factsOf(step: Step, { facts }: Operation, reasons: readonly string[]): EntryFacts {
  const { type, olds, action } = step;
  const news = action === "delete" ? undefined : step.news;
  const person = news ?? olds ?? {};
  const { expiresAt, emails, isSealed = false } = facts;
  return {
    email: type === "OrgUser" ? textIn(person, "email") : undefined,
    purpose: type === "OrgUser" && textIn(person, "email") === undefined ? nameIn(person) : undefined,
    adopt: textIn(news, "adopt"),
    expiresAt,
    recipients: isSealed ? listed(fingerprintsIn(news)) : undefined,
    recipientsBefore: isSealed ? listed(keyChangeOf(step)?.before) : undefined,
    emails,
    reasons: listed(reasons),
    inputs: news === undefined ? undefined : digestOfInputs(news),
  };
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
