/** Collects the steps and their states from the engine's events. */
import type {
  DiagnosticEvent,
  EngineEvent,
  StepEventMetadata,
  StepEventStateMetadata,
} from "@pulumi/pulumi/automation/index.js";
import { splitCode } from "../../../provider/util/error-codes.ts";
import { withoutPlaceholder } from "../../plan/steps/machine-users.ts";
import { rosterSteps } from "../../plan/steps/rules.ts";
import {
  isOrgseatType,
  memberOf,
  nameOf,
  replacedKey,
  type Step,
  stepTypeOf,
  typeOf,
} from "../../plan/steps/steps.ts";
import { readFacts } from "../../roster/facts.ts";
import { MARKER_TYPE, type RosterMarker, type Undelivered } from "../../roster/roster.ts";
import type { Diagnostic, Progress, StackOutcome, StackRunFailure, StepState } from "../engine.ts";

export class StepCollector {
  readonly #stack: string;
  readonly #steps = new Map<string, Step>();
  /** URNs of replacements that create the new object first. */
  readonly #madeFirst = new Set<string>();
  /** Replaced objects by key: of this run, or left by an earlier one. */
  readonly #replaced = new Map<string, StepEventMetadata>();
  /** URNs of resources that are complete, except for a replaced object. */
  readonly #made = new Set<string>();
  readonly #markers = new Map<string, RosterMarker>();
  /** Of all resources, the URN of the parent. */
  readonly #parents = new Map<string, string>();
  readonly #otherTypes = new Set<string>();
  readonly #states = new Map<string, StepState>();
  readonly diagnostics: Diagnostic[] = [];
  readonly undelivered: Undelivered[] = [];

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** @returns the step whose state has changed, if one has */
  onEvent(event: EngineEvent): Progress | undefined {
    if (event.diagnosticEvent) this.#addDiagnostic(event.diagnosticEvent);
    const urn = this.#methodKey(event);
    const state = urn === undefined ? undefined : this.#states.get(urn);
    return urn === undefined || state === undefined ? undefined : { stack: this.#stack, urn, state };
  }

  #methodKey(event: EngineEvent): string | undefined {
    if (event.resourcePreEvent) return this.#begins(event.resourcePreEvent.metadata);
    if (event.resOutputsEvent) return this.#ends(event.resOutputsEvent.metadata, "succeeded");
    if (event.resOpFailedEvent) return this.#ends(event.resOpFailedEvent.metadata, "failed");
    return undefined;
  }

  /** The outcome so far. A replaced object without a successor in this run is a separate removal. */
  outcome(failure: StackRunFailure | undefined): StackOutcome {
    const left = [...this.#replaced.values()].flatMap((metadata) =>
      this.#successorOf(metadata) === undefined
        ? (stepOf(this.#stack, metadata, { action: "delete", deleteFirst: true, isReplaced: true }) ?? [])
        : [],
    );
    const markers = [...this.#markers.values()];
    return {
      stack: this.#stack,
      steps: [
        ...[...this.#steps.values(), ...left].map((step) => withoutPlaceholder(this.#withMember(step))),
        ...rosterSteps(this.#stack, markers),
      ],
      states: this.#states,
      diagnostics: this.diagnostics,
      markers,
      undelivered: this.undelivered,
      otherTypes: [...this.#otherTypes],
      failure,
    };
  }

  #addDiagnostic({ severity, message, urn, ephemeral }: DiagnosticEvent): void {
    const kind = severities.get(severity);
    const said = withoutWrapper(plain(message).trim());
    // A message of another provider can end like one of orgseat.
    const { text, code } =
      urn && !isOrgseatType(typeOf(urn)) ? { text: said, code: undefined } : splitCode(said);
    if (kind === undefined || ephemeral || text === "") return;
    this.diagnostics.push({ stack: this.#stack, severity: kind, urn: urn || undefined, text, code });
  }

  #begins(metadata: StepEventMetadata): string | undefined {
    const { op, urn, type, old } = metadata;
    const parent = (metadata.new ?? old)?.parent;
    if (parent) this.#parents.set(urn, parent);
    if (stepTypeOf(type, urn) === undefined) {
      if (op === "delete" && !isOrgseatType(type)) this.#otherTypes.add(type);
      return this.#addMarker(metadata, "started");
    }
    const key = replacedKey(urn, old?.id);
    if (op === "delete-replaced") {
      this.#replaced.set(key, metadata);
      this.#states.set(key, "started");
    }
    const isMadeFirst = op === "create-replacement" && !this.#steps.has(urn);
    if (isMadeFirst) this.#madeFirst.add(urn);
    const deleteFirst = op === "replace" && this.#replaced.has(key);
    // Pulumi emits the halves of a replacement in order: without a first half, an earlier run deleted the old object.
    const isHalfDone = op === "replace" && !deleteFirst && !this.#madeFirst.has(urn);
    // If the creation of the new object fails, no other event names the replacement.
    const action = isMadeFirst ? "replace" : isHalfDone ? "create" : actions[op];
    if (action === undefined) return undefined;
    const found = stepOf(this.#stack, metadata, { action, deleteFirst, isReplaced: false });
    if (found === undefined) return undefined;
    const step = isHalfDone ? { ...found, isHalfDone } : found;
    this.#steps.set(urn, step);
    if (action === "same") return undefined;
    if (action === "replace" && !deleteFirst) this.#states.set(key, "started");
    this.#states.set(urn, "started");
    return urn;
  }

  #ends(metadata: StepEventMetadata, state: "succeeded" | "failed"): string | undefined {
    const { urn, op, type, old } = metadata;
    if (stepTypeOf(type, urn) === undefined) {
      return this.#addMarker(metadata, state);
    }
    const isRemoval = op === "delete-replaced";
    if (isRemoval) this.#states.set(replacedKey(urn, old?.id), state);
    else if (state === "succeeded" && makes.has(op)) this.#made.add(urn);
    const step = isRemoval ? this.#successorOf(metadata) : this.#steps.get(urn);
    if (step === undefined) return isRemoval ? replacedKey(urn, old?.id) : undefined;
    if (state === "succeeded" && creates.has(op))
      this.#steps.set(urn, { ...step, madeId: metadata.new?.id || undefined });
    if (step.action === "same") return undefined;
    if (state === "failed") this.#states.set(urn, "failed");
    else if (this.#isDone(step)) this.#states.set(urn, "succeeded");
    return urn;
  }

  /** A delivered resource can be inside of components, which the engine deletes after it. */
  #withMember(step: Step): Step {
    if (step.type !== "Delivered") return step;
    return { ...step, member: memberOf(step.urn, step.parent, this.#parents) };
  }

  /** @returns the URN of a marker whose change is a step */
  #addMarker({ op, urn, type, old, new: next }: StepEventMetadata, state: StepState): string | undefined {
    const action = markerActions.find((one) => one === op);
    if (type !== MARKER_TYPE || action === undefined) return undefined;
    const before = action === "create" || !old ? undefined : readFacts(old.inputs);
    const after = action === "delete" || !next ? undefined : readFacts(next.inputs);
    const marker = { urn, rosterId: nameOf(urn), action, isDone: state === "succeeded", before, after };
    this.#markers.set(urn, marker);
    if (rosterSteps(this.#stack, [marker]).length === 0) return undefined;
    this.#states.set(urn, state);
    return urn;
  }

  /** The replacement of this run that deletes the old object. */
  #successorOf({ urn, old }: StepEventMetadata): Step | undefined {
    const step = this.#steps.get(urn);
    return step?.action === "replace" && step.id === old?.id ? step : undefined;
  }

  #isDone({ urn, id, action }: Step): boolean {
    const isOldGone = action !== "replace" || this.#states.get(replacedKey(urn, id)) === "succeeded";
    return isOldGone && this.#made.has(urn);
  }
}

/** The operations of the engine that complete a resource. */
const makes: ReadonlySet<string> = new Set(["create", "update", "delete", "create-replacement"]);
const creates: ReadonlySet<string> = new Set(["create", "create-replacement"]);

/** Without debug messages, which contain secrets. */
const severities = new Map<string, Diagnostic["severity"]>([
  ["info", "info"],
  ["info#err", "info"],
  ["warning", "warning"],
  ["error", "error"],
]);

const markerActions = ["same", "create", "update", "delete"] as const satisfies RosterMarker["action"][];

const actions: Readonly<Record<string, Step["action"]>> = {
  same: "same",
  create: "create",
  update: "update",
  replace: "replace",
  delete: "delete",
};

function stepOf(
  stack: string,
  { urn, type, old, new: next, keys }: StepEventMetadata,
  { action, deleteFirst, isReplaced }: Pick<Step, "action" | "deleteFirst" | "isReplaced">,
): Step | undefined {
  const own = stepTypeOf(type, urn);
  if (own === undefined) return undefined;
  const before = action === "create" ? undefined : old;
  const parent = (next ?? old)?.parent || undefined;
  return {
    stack,
    urn,
    type: own,
    name: nameOf(urn),
    member: memberOf(urn, parent),
    parent,
    action,
    id: before?.id || undefined,
    olds: own === "Delivered" ? undefined : before?.outputs,
    news: own === "Delivered" || action === "delete" ? undefined : next?.inputs,
    isProtected: protectionOf(action, old, next),
    causes: action === "replace" ? keys : undefined,
    deleteFirst,
    isReplaced,
  };
}

function protectionOf(
  action: Step["action"],
  old: StepEventStateMetadata | undefined,
  next: StepEventStateMetadata | undefined,
): Step["isProtected"] {
  const [before, after] = [old?.protect === true, next?.protect === true];
  // A new resource was not there to be protected; a deleted one stays as it was.
  if (action === "create") return { before: after, after };
  return { before, after: action === "delete" ? before : after };
}

/** Without the marks for colors. */
function plain(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "");
}

/** As Pulumi words a finding of a provider's check: with the type, and for an input with its value. */
const CHECK_FAILURE =
  /^\S+ resource '(?<name>.*?)'(?:: property (?<property>\S+) value .*?)? has a problem: (?<reason>.*)$/s;

/** `<name>: <reason>`, with the input before the reason unless that names it. */
function withoutWrapper(text: string): string {
  const { name, property = "", reason } = CHECK_FAILURE.exec(text)?.groups ?? {};
  if (name === undefined || reason === undefined) return text;
  return `${name}: ${reason.includes(property) ? "" : `${property}: `}${reason}`;
}
