/** From the engine's events to steps, and to how far each got. */
import type {
  DiagnosticEvent,
  EngineEvent,
  StepEventMetadata,
  StepEventStateMetadata,
} from "@pulumi/pulumi/automation/index.js";
import { type ResourceType, resourceTypes, type Step } from "../plan/steps.ts";
import { memberOf, nameOf, TYPE_PREFIX } from "../plan/urns.ts";
import type { Said, StepState } from "./engine.ts";

/** What a preview or a run has told so far. */
export class Told {
  readonly #stack: string;
  readonly #steps = new Map<string, Step>();
  readonly #deletedFirst = new Set<string>();
  /** Old ones that go after their successors, or were left by an earlier run. */
  readonly #oldOnes = new Map<string, StepEventMetadata>();
  /** What has ended well, by URN. */
  readonly #ended = new Map<string, Set<string>>();
  readonly states = new Map<string, StepState>();
  readonly messages: Said[] = [];

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** @returns the URN whose state has changed, if one has */
  hear(event: EngineEvent): string | undefined {
    if (event.diagnosticEvent) {
      this.#says(event.diagnosticEvent);
      return undefined;
    }
    if (event.resourcePreEvent) return this.#begins(event.resourcePreEvent.metadata);
    if (event.resOutputsEvent) return this.#ends(event.resOutputsEvent.metadata, "done");
    if (event.resOpFailedEvent) return this.#ends(event.resOpFailedEvent.metadata, "failed");
    return undefined;
  }

  /** Everything that was told of; an old one without a successor in this run is a removal of its own. */
  steps(): Step[] {
    const left = [...this.#oldOnes].flatMap(([urn, metadata]) =>
      this.#steps.get(urn)?.action === "replace" ? [] : (stepOf(this.#stack, metadata, "delete", true) ?? []),
    );
    return [...this.#steps.values(), ...left];
  }

  #says({ severity, message, urn, ephemeral }: DiagnosticEvent): void {
    const kind = severities.get(severity);
    const text = plain(message).trim();
    if (kind === undefined || ephemeral || text === "") return;
    this.messages.push({ stack: this.#stack, severity: kind, urn: urn || undefined, text });
  }

  #begins(metadata: StepEventMetadata): string | undefined {
    const { op, urn } = metadata;
    if (op === "delete-replaced") {
      this.#oldOnes.set(urn, metadata);
      if (!this.#steps.has(urn)) this.#deletedFirst.add(urn);
    }
    const action = actions[op];
    if (action === undefined) return undefined;
    const step = stepOf(this.#stack, metadata, action, this.#deletedFirst.has(urn));
    if (step === undefined) return undefined;
    this.#steps.set(urn, step);
    if (action === "same") return undefined;
    this.states.set(urn, "begun");
    return urn;
  }

  #ends({ urn, op }: StepEventMetadata, state: "done" | "failed"): string | undefined {
    const ended = this.#ended.get(urn) ?? new Set();
    this.#ended.set(urn, ended);
    if (state === "done") ended.add(op);
    const action = this.#steps.get(urn)?.action;
    if (action === undefined || action === "same") return undefined;
    const parts = action === "replace" ? ["create-replacement", "delete-replaced"] : [action];
    if (state === "failed") this.states.set(urn, "failed");
    else if (parts.every((part) => ended.has(part))) this.states.set(urn, "done");
    return urn;
  }
}

/** Debug messages are left out: they spell out secrets. */
const severities = new Map<string, Said["severity"]>([
  ["info", "info"],
  ["info#err", "info"],
  ["warning", "warning"],
  ["error", "error"],
]);

const actions: Readonly<Record<string, Step["action"]>> = {
  same: "same",
  create: "create",
  update: "update",
  replace: "replace",
  delete: "delete",
};

function stepOf(
  stack: string,
  { urn, type, old, new: next }: StepEventMetadata,
  action: Step["action"],
  deleteFirst: boolean,
): Step | undefined {
  const own = type.startsWith(TYPE_PREFIX) ? type.slice(TYPE_PREFIX.length) : "";
  if (!isResourceType(own)) return undefined;
  const parent = (next ?? old)?.parent || undefined;
  return {
    stack,
    urn,
    type: own,
    name: nameOf(urn),
    member: memberOf(urn, parent),
    parent,
    action,
    id: old?.id || undefined,
    olds: old?.outputs,
    news: action === "delete" ? undefined : next?.inputs,
    isProtected: protectionOf(action, old, next),
    deleteFirst,
  };
}

function protectionOf(
  action: Step["action"],
  old: StepEventStateMetadata | undefined,
  next: StepEventStateMetadata | undefined,
): Step["isProtected"] {
  const [before, after] = [old?.protect === true, next?.protect === true];
  // What is new was not there to be protected, and what goes stays as it was.
  if (action === "create") return { before: after, after };
  return { before, after: action === "delete" ? before : after };
}

function isResourceType(text: string): text is ResourceType {
  return resourceTypes.some((type) => type === text);
}

/** Without the marks for colours. */
function plain(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "");
}
