/** Prints dots while an operation prints nothing else: some CI services end a silent job. */
import type { DisplayOptions } from "./options.ts";

const periodMs = 1_000;

export class SignOfLife {
  readonly #write: (text: string) => void;
  readonly #start: string;
  readonly #timer: NodeJS.Timeout | undefined;
  #dots = 0;

  constructor({ write, action, suppressProgress }: DisplayOptions) {
    this.#write = write;
    this.#start = `@ ${action}...`;
    this.#timer = suppressProgress ? undefined : setInterval(() => this.#tick(), periodMs);
    this.#timer?.unref();
  }

  #tick(): void {
    this.#write(this.#dots === 0 ? this.#start : ".");
    this.#dots++;
  }

  /** Ends the line of dots before other text. */
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
