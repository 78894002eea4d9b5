/**
 * The end of a stopped run: requests under way may finish, so that their results are kept, and whatever hangs is
 * killed. A runner that hangs reads no message, and a Pulumi that cannot write the state does not react to
 * signals.
 */
import type { ChildProcess } from "node:child_process";
import { STOP } from "./messages.ts";

/** The time in which a runner confirms the message: one that hangs does not. */
const CONFIRM_MS = 3_000;
/** The time for the requests under way. */
export const GRACE_MS = 8_000;
/** After this time, `pulumi` commands end too. The command then has a second for its result. */
const COMMANDS_MS = 9_000;

/** The commands of Pulumi that a command has started besides its runs. */
export class CommandLimit {
  readonly #signals = new WeakSet<AbortSignal>();
  readonly #stop = new AbortController();
  #limit = new AbortController();

  /** For the next command. */
  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** For a wait that risks nothing: it ends with the first signal. */
  get atOnce(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends those that still run some seconds after the signal; later ones are those of the next run. */
  stopWith(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    const begin = (): void => {
      this.#stop.abort();
      setTimeout(() => this.end(), COMMANDS_MS).unref();
    };
    if (signal.aborted) begin();
    else signal.addEventListener("abort", begin, { once: true });
  }

  /** Ends those that run now. */
  end(): void {
    this.#limit.abort();
    this.#limit = new AbortController();
  }
}

/** The stop of one run. */
export class RunStop {
  readonly #child: ChildProcess;
  #timers: NodeJS.Timeout[] = [];
  /** Whether the runner has its request. Before, it reads a message late, and a signal ends it. */
  isBegun = false;
  isConfirmed = false;
  isKilled = false;

  /** @param child leads a process group, with the Pulumi that it runs */
  constructor(child: ChildProcess) {
    this.#child = child;
  }

  begin(): void {
    if (this.#child.connected) this.#child.send(STOP);
    this.#timers = [
      setTimeout(() => this.#interrupt(), CONFIRM_MS),
      setTimeout(() => this.#kill(), GRACE_MS),
    ];
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** A runner that has confirmed interrupts Pulumi, for which a second signal would cut its work off. */
  #interrupt(): void {
    if (this.isBegun && !this.isConfirmed) signalGroup(this.#child, "SIGINT");
  }

  #kill(): void {
    this.isKilled = true;
    killGroup(this.#child);
  }
}

/** @param child leads a process group */
export function killGroup(child: ChildProcess): void {
  signalGroup(child, "SIGKILL");
  // A process that inherited it may go on.
  child.stderr?.destroy();
}

function signalGroup({ pid }: ChildProcess, signal: "SIGINT" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    // Windows has no process groups.
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // The group has ended.
  }
}
