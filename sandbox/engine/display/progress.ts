/** The display of an operation: one line for each step as it happens. */
import type { EngineEvent, EventListener } from "../events.ts";
import { type DisplayOptions, type DisplayRow, prefixOf } from "./row.ts";
import { Rows } from "./rows.ts";
import { diagnosticsText, stackOutputsText, summaryText } from "./summary.ts";

export class LineDisplay {
  readonly #options: DisplayOptions;
  readonly #rows: Rows;
  readonly #printed = new Map<string, string>();
  readonly #life: SignOfLife;

  constructor(options: DisplayOptions) {
    this.#options = options;
    this.#rows = new Rows(options);
    options.write(`${options.paint("magenta", options.title)}\n\n`);
    this.#life = new SignOfLife(options);
  }

  readonly listener: EventListener = (event) => {
    if (event.kind === "summary") this.#end(event);
    else if (event.kind === "stdout") this.#write(`${event.message}\n`);
    else {
      const row = this.#rows.update(event);
      if (row) this.#print(row, false);
    }
  };

  /** Stops the timer, even after an operation that threw. */
  close(): void {
    this.#life.stop();
  }

  #write(text: string): void {
    if (text === "") return;
    this.#life.interrupt();
    this.#options.write(text);
  }

  #print(row: DisplayRow, over: boolean): void {
    const { paint } = this.#options;
    const { last } = row;
    const message = over
      ? row.counts(paint)
      : last && `${prefixOf(last, paint)}${last.message.trim().split("\n")[0]}`;
    const info = [row.changes(this.#options), message ?? ""].filter((part) => part !== "").join("; ");
    const line = [` ${row.sign(paint)}`, ...row.names, row.status(this.#options, over), info].join(" ");
    if (!over && this.#printed.get(row.urn) === line) return;
    this.#printed.set(row.urn, line);
    this.#write(`${line.trimEnd()}\n`);
  }

  #end(event: Extract<EngineEvent, { kind: "summary" }>): void {
    for (const row of this.#rows) {
      if (!row.hidden && (!row.ended || row === this.#rows.stack)) this.#print(row, true);
    }
    this.#write(endText(this.#rows, event, this.#options));
    this.close();
  }
}

/** The text below the steps. */
function endText(
  rows: Rows,
  event: Extract<EngineEvent, { kind: "summary" }>,
  options: DisplayOptions,
): string {
  const errored = [...rows].filter(({ errors, phase }) => errors > 0 || phase === "failed").length;
  return `${diagnosticsText(rows, options)}${stackOutputsText(rows, options)}${summaryText(event, errored, options)}\n`;
}

const periodMs = 1_000;

/** Prints dots while an operation prints nothing else: some CI services end a silent job. */
class SignOfLife {
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
