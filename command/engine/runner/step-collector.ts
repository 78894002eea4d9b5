/** Collects from the engine's events how members go on, and messages. What was sent, the provider's report says. */
import type { DiagnosticEvent, EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { splitCode } from "../../../provider/util/error-codes.ts";
import { MEMBER_TYPE } from "../../members/state-members.ts";
import type { Diagnostic, Progress, StackOutcome, StackRunFailure, StepState } from "../engine.ts";

export class StepCollector {
  readonly #stack: string;
  readonly #failed = new Set<string>();
  readonly diagnostics: Diagnostic[] = [];

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** @returns the member whose change has begun or ended, if one has */
  onEvent(event: EngineEvent): Progress | undefined {
    if (event.diagnosticEvent) this.#addDiagnostic(event.diagnosticEvent);
    if (event.resourcePreEvent) return this.#progress(event.resourcePreEvent.metadata, "started");
    if (event.resOutputsEvent) return this.#progress(event.resOutputsEvent.metadata, "succeeded");
    if (event.resOpFailedEvent) return this.#progress(event.resOpFailedEvent.metadata, "failed");
    return undefined;
  }

  outcome(failure: StackRunFailure | undefined): StackOutcome {
    const { diagnostics } = this;
    return { stack: this.#stack, diagnostics, failed: [...this.#failed], failure };
  }

  #progress({ urn, op, type }: StepEventMetadata, state: StepState): Progress | undefined {
    if (state === "failed") this.#failed.add(urn);
    if (type !== MEMBER_TYPE || op === "same") return undefined;
    return { stack: this.#stack, urn, state };
  }

  #addDiagnostic({ severity, message, urn, ephemeral }: DiagnosticEvent): void {
    const kind = severities.get(severity);
    const { text, code } = splitCode(inWords(plain(message).trim()));
    if (kind === undefined || ephemeral || text === "" || PENDING.test(text)) return;
    this.diagnostics.push({ stack: this.#stack, severity: kind, urn: urn || undefined, text, code });
  }
}

/** Pulumi asks to settle them by hand. The plan has done so. */
const PENDING = /^Attempting to deploy or update resources with \d+ pending operations/;

/** Without debug messages, which contain secrets. */
const severities = new Map<string, Diagnostic["severity"]>([
  ["info", "info"],
  ["info#err", "info"],
  ["warning", "warning"],
  ["error", "error"],
]);

/** Without the marks for colors. */
function plain(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "");
}

/** Errors of gRPC, of an engine whose provider is gone. */
const PROVIDER_GONE = /error reading from server: |Error while dialing: dial tcp 127\.0\.0\.1/;
const GONE = "the provider process ended unexpectedly: it was killed, or ran out of memory";

function inWords(message: string): string {
  return PROVIDER_GONE.test(message) ? GONE : withoutWrapper(message);
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
