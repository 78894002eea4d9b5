/** The messages between an engine and its runners, the processes that each run one stack. Both are of one release. */
import type { Progress, StackOutcome, StackRun } from "./engine.ts";

export interface RunnerRequest extends StackRun {
  readonly workspace: {
    readonly folder: string;
    readonly secretsProvider?: string | undefined;
  };
}

/** The receipt of the request, steps as they go on, the receipt of a stop, and everything at the end. */
export type RunnerEvent =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "begun" }
  | { readonly kind: "stopping" }
  | {
      readonly kind: "end";
      readonly outcome: StackOutcome;
      /** Whether the process can run again. */
      readonly isReusable: boolean;
    };

export function isRunnerRequest(message: unknown): message is RunnerRequest {
  return typeof message === "object" && message !== null && "program" in message;
}

export function isRunnerEvent(message: unknown): message is RunnerEvent {
  const kind = typeof message === "object" && message !== null && "kind" in message && message.kind;
  return kind === "begun" || kind === "progress" || kind === "stopping" || kind === "end";
}

/** To a runner that is under way: stop in an orderly way. */
export const STOP = "stop";
