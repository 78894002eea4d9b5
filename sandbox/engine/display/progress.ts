/** How an operation is shown: a line a step as it happens, a table on a terminal, or each step with its properties. */
import type { EngineEvent, EventListener } from "../events.ts";
import { DiffView } from "./diff.ts";
import type { DisplayOptions } from "./options.ts";
import { prefixOf, type Row, Rows } from "./rows.ts";
import { SignOfLife } from "./sign-of-life.ts";
import { configText, diagnosticsText, stackOutputsText, summaryText } from "./summary.ts";

export interface Display {
  readonly listener: EventListener;
  /** Stops whatever moves, also where the operation did not come to its end. */
  close(): void;
}

/** A line for each thing that happens: where nobody can see a table move. */
export class LineDisplay implements Display {
  readonly #options: DisplayOptions;
  readonly #rows: Rows;
  readonly #told = new Map<string, string>();
  readonly #life: SignOfLife;

  constructor(options: DisplayOptions) {
    this.#options = options;
    this.#rows = new Rows(options);
    options.write(`${options.paint("magenta", options.title)}\n\n`);
    this.#life = new SignOfLife(options);
  }

  readonly listener: EventListener = (event) => {
    if (event.kind === "prelude") this.#write(configText(event, this.#options));
    else if (event.kind === "summary") this.#end(event);
    else if (event.kind === "stdout") this.#write(`${event.message}\n`);
    else {
      const row = this.#rows.update(event);
      if (row) this.#tell(row, false);
    }
  };

  close(): void {
    this.#life.stop();
  }

  #write(text: string): void {
    if (text === "") return;
    this.#life.interrupt();
    this.#options.write(text);
  }

  #tell(row: Row, over: boolean): void {
    const { paint } = this.#options;
    const { last } = row;
    const told = over
      ? row.counts(paint)
      : last && `${prefixOf(last, paint)}${last.message.trim().split("\n")[0]}`;
    const info = [row.changes(this.#options), told ?? ""].filter((part) => part !== "").join("; ");
    const line = [
      ` ${row.sign(paint)}`,
      ...row.names(this.#options),
      row.status(this.#options, over),
      info,
    ].join(" ");
    if (!over && this.#told.get(row.urn) === line) return;
    this.#told.set(row.urn, line);
    this.#write(`${line.trimEnd()}\n`);
  }

  #end(event: Extract<EngineEvent, { kind: "summary" }>): void {
    for (const row of this.#rows) {
      if (!row.hidden && (!row.ended || row === this.#rows.stack)) this.#tell(row, true);
    }
    this.#write(endText(this.#rows, event, this.#options));
    this.close();
  }
}

/** All that stands below the steps. */
export function endText(
  rows: Rows,
  event: Extract<EngineEvent, { kind: "summary" }>,
  options: DisplayOptions,
): string {
  const errored = [...rows].filter(({ errors, phase }) => errors > 0 || phase === "failed").length;
  return `${diagnosticsText(rows, options)}${stackOutputsText(rows, options)}${summaryText(event, errored, options)}\n`;
}

/** Each step with its properties; messages go to the standard error as they come. */
export class DiffDisplay implements Display {
  readonly #options: DisplayOptions;
  readonly #view: DiffView;
  readonly #life: SignOfLife;
  #failed = 0;

  constructor(options: DisplayOptions) {
    this.#options = options;
    this.#view = new DiffView(options, false);
    options.write(`${options.paint("magenta", options.title)}\n`);
    this.#life = new SignOfLife(options);
  }

  readonly listener: EventListener = (event) => {
    const { write, writeError, paint, debug } = this.#options;
    const text = this.#view.text(event);
    if (text !== "" || ["diagnostic", "summary", "stdout"].includes(event.kind)) this.#life.interrupt();
    write(text);
    if (event.kind === "prelude") write(configText(event, this.#options));
    else if (event.kind === "stdout") write(event.message);
    else if (event.kind === "failed") this.#failed++;
    else if (event.kind === "summary") {
      write(summaryText(event, this.#failed, this.#options));
      this.close();
    } else if (event.kind === "diagnostic" && (event.diagnostic.severity !== "debug" || debug)) {
      const { message } = event.diagnostic;
      writeError(`${prefixOf(event.diagnostic, paint)}${message.trimEnd()}\n`);
    }
  };

  close(): void {
    this.#life.stop();
  }
}
