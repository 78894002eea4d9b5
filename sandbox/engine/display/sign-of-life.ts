/** Tells that the operation is still at work when nothing was printed for a while: some wait no longer than that. */
import type { DisplayOptions } from "./options.ts";

const periodMs = 1_000;

export class SignOfLife {
  readonly #write: (text: string) => void;
  readonly #start: string;
  readonly #timer: NodeJS.Timeout | undefined;
  #dots = 0;

  constructor({ write, bullet, action, suppressProgress }: DisplayOptions) {
    this.#write = write;
    this.#start = `${bullet} ${action}...`;
    this.#timer = suppressProgress ? undefined : setInterval(() => this.#tick(), periodMs);
    this.#timer?.unref();
  }

  #tick(): void {
    this.#write(this.#dots === 0 ? this.#start : ".");
    this.#dots++;
  }

  /** Something else is about to be printed: on a line of its own. */
  interrupt(): void {
    if (this.#dots > 0) this.#write("\n");
    this.#dots = 0;
    this.#timer?.refresh();
  }

  stop(): void {
    this.interrupt();
    clearInterval(this.#timer);
  }
}
