/** The progress of a command. */

import ora, { type Ora } from "ora";
import { counted, countedPeople, grouped } from "../../provider/util/text.ts";
import type { Progress } from "../engine/engine.ts";
import { isColored } from "./color.ts";
import { printNote } from "./output.ts";

interface ProgressOptions {
  /** The number of steps of a run; undefined for a preview. */
  readonly steps?: number | undefined;
  readonly quiet?: boolean | undefined;
  /** False for `--no-color`. */
  readonly color?: boolean | undefined;
}

/**
 * The progress of a preview (`Previewing: 12 changes, 4 s`) or of a run (`Applying: 1,240 of 5,000 resources,
 * 3 failed, 9 s`): one line of a terminal that changes; without a terminal, a new line now and then for a run, and none for a preview.
 */
export class ProgressLine {
  readonly #verb: string;
  readonly #isQuiet: boolean;
  readonly #spinner: Ora | undefined;
  readonly #begun = performance.now();
  readonly #states = new Map<string, Progress["state"]>();
  readonly #total: number;
  #reads = "";
  #printed = 0;

  constructor(verb: string, { steps = 0, quiet = false, color }: ProgressOptions) {
    this.#verb = verb;
    this.#total = steps;
    this.#isQuiet = quiet;
    // Raw input would swallow Ctrl-C; and a terminal without a width cannot replace a line.
    if (quiet || !process.stderr.isTTY || !(process.stderr.columns > 0)) return;
    const spinnerColor = isColored({ color }, process.stderr) ? "cyan" : false;
    this.#spinner = ora({
      ...{ stream: process.stderr, discardStdin: false, color: spinnerColor },
      text: `${verb}:`,
      // A function, so that the seconds go on without an event.
      suffixText: () => this.#details(),
    }).start();
  }

  /** The people whose tokens are read before the preview, and all of them. */
  readonly onRead = (read: number, all: number): void => {
    this.#reads = read === all ? "" : `read ${grouped(read)} of ${countedPeople(all)}`;
  };

  readonly onStep = ({ urn, state }: Progress): void => {
    this.#states.set(urn, state);
    if (this.#spinner !== undefined || this.#isQuiet || this.#total === 0) return;
    // Ten lines per run show progress and do not fill a log.
    const step = Math.max(25, Math.ceil(this.#total / 10));
    const ended = this.#count("succeeded") + this.#count("failed");
    if (ended < this.#printed + step) return;
    this.#printed = ended;
    printNote(`${this.#verb}: ${this.#details()}`);
  };

  end(): void {
    this.#spinner?.stop();
  }

  #count(state: Progress["state"]): number {
    return [...this.#states.values()].filter((one) => one === state).length;
  }

  #details(): string {
    const seconds = `${Math.round((performance.now() - this.#begun) / 1000)} s`;
    if (this.#reads !== "") return [this.#reads, seconds].join(", ");
    const failed = this.#count("failed");
    const counts =
      this.#total === 0
        ? [counted(this.#states.size, "change")]
        : [
            `${grouped(this.#count("succeeded"))} of ${counted(this.#total, "resource")}`,
            ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
          ];
    return [...counts, seconds].join(", ");
  }
}
