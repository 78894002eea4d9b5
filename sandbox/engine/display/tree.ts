/** The table of resources on a terminal, drawn anew in its place as things happen. */
import { stripVTControlCharacters } from "node:util";
import type { EngineEvent, EventListener } from "../events.ts";
import type { DisplayOptions } from "./options.ts";
import { type Display, endText } from "./progress.ts";
import { prefixOf, type Row, Rows } from "./rows.ts";
import { configText } from "./summary.ts";

const framesPerSecond = 10;
const control = "\u001b[";

export interface Size {
  columns: number;
  rows: number;
}

export class TreeDisplay implements Display {
  readonly #options: DisplayOptions;
  readonly #size: () => Size;
  readonly #rows: Rows;
  readonly #timer: NodeJS.Timeout;
  /** How many lines of the last frame there are to draw over. */
  #height = 0;
  #ticks = 0;

  constructor(options: DisplayOptions, size: () => Size) {
    this.#options = options;
    this.#size = size;
    this.#rows = new Rows(options);
    options.write(`${options.paint("magenta", options.title)}\n\n`);
    this.#timer = setInterval(() => this.#draw(false), 1000 / framesPerSecond);
    this.#timer.unref();
  }

  readonly listener: EventListener = (event) => {
    if (event.kind === "prelude") this.#options.write(configText(event, this.#options));
    else if (event.kind === "summary") this.#end(event);
    else if (event.kind === "stdout") this.#say(event.message);
    else this.#rows.update(event);
  };

  /** Below the table, which goes on below that. */
  #say(message: string): void {
    this.#options.write(`\n${message}\n`);
    this.#height = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #end(event: Extract<EngineEvent, { kind: "summary" }>): void {
    this.close();
    this.#draw(true);
    this.#options.write(`\n${endText(this.#rows, event, this.#options)}`);
  }

  #draw(over: boolean): void {
    this.#ticks++;
    const { columns, rows } = this.#size();
    const all = this.#lines(over);
    // A frame that does not fit could not be drawn over: its end is what happens now.
    const room = Math.max(2, rows - 2);
    const [header = "", ...lines] = all;
    const shown =
      over || all.length <= room ? lines : [`    ... ${all.length - room} above`, ...lines.slice(1 - room)];
    const frame = lines.length === 0 ? [] : [header, ...shown];
    const up = this.#height > 0 ? `${control}${this.#height}A` : "";
    const text = frame.map((line) => `${cut(line, columns - 1)}${control}K\n`).join("");
    if (frame.length > 0) this.#options.write(`${up}${text}${control}J`);
    this.#height = over ? 0 : frame.length;
  }

  #lines(over: boolean): string[] {
    const { planning, urns, paint } = this.#options;
    const titles = [...(urns ? ["URN"] : ["Type", "Name"]), planning ? "Plan" : "Status", "Info"];
    const cells = this.#tree(over);
    if (cells.every((row) => row.at(-1) === "")) titles.splice(-1, 1, "");
    const table = [["  ", ...titles.map((title) => paint("bold", title))], ...cells];
    const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => widthOf(row[column] ?? ""))));
    return table.map((row) =>
      ` ${row.map((text, column) => text + " ".repeat((widths?.[column] ?? 0) - widthOf(text))).join("  ")}`.trimEnd(),
    );
  }

  /** The rows that are worth showing, each below its parent. */
  #tree(over: boolean): string[][] {
    const known = new Set([...this.#rows].map(({ urn }) => urn));
    const root = this.#rows.rootUrn;
    const parentOf = ({ urn, parent }: Row) => (urn === root ? "" : known.has(parent) ? parent : root);
    const children = Map.groupBy(this.#rows, parentOf);
    const worth = (row: Row): boolean => !row.hidden || (children.get(row.urn) ?? []).some(worth);
    const cells: string[][] = [];
    const visit = (rows: Row[], indentation: string | undefined) => {
      const shown = rows.filter(worth);
      for (const [index, row] of shown.entries()) {
        const last = index === shown.length - 1;
        const branch = indentation === undefined ? "" : `${indentation}${last ? "└─ " : "├─ "}`;
        cells.push(this.#cells(row, branch, over));
        visit(
          children.get(row.urn) ?? [],
          indentation === undefined ? "" : `${indentation}${last ? "   " : "│  "}`,
        );
      }
    };
    visit(children.get("") ?? children.get(root) ?? [], undefined);
    return cells;
  }

  #cells(row: Row, branch: string, over: boolean): string[] {
    const { paint } = this.#options;
    const [name = "", ...others] = row.names(this.#options);
    const status = row.status(this.#options, over);
    const moving = !over && row.phase === "running" && status !== "";
    const dots = ".".repeat(Math.floor(this.#ticks / 4) % 4);
    return [
      row.sign(paint),
      branch + name,
      ...others,
      moving ? status + dots.padEnd(3) : status,
      this.#info(row, over),
    ];
  }

  #info(row: Row, over: boolean): string {
    const { paint } = this.#options;
    const last = row.diagnostics.findLast(({ severity }) => severity === "error") ?? row.last;
    const said = last ? `${prefixOf(last, paint)}${last.message.trim().split("\n")[0]}` : "";
    return [row.changes(this.#options), over ? row.counts(paint) : said]
      .filter((part) => part !== "")
      .join("; ");
  }
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** As much of a line as fits, its colors ended. */
function cut(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let visible = 0;
  let end = 0;
  for (let inControl = false; end < line.length && visible < width; end++) {
    const character = line[end];
    if (character === "\u001b") inControl = true;
    if (!inControl) visible++;
    if (character === "m") inControl = false;
  }
  return `${line.slice(0, end)}${line.includes("\u001b") ? `${control}0m` : ""}`;
}
