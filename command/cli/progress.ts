/** The progress of a command: one line of a terminal that changes, elsewhere a new line every ten seconds. */

import ora, { type Ora } from "ora";
import { counted, countedPeople, grouped } from "../../provider/util/text.ts";
import type { Progress } from "../engine/engine.ts";
import { nameOf } from "../members/state.ts";
import { isColored } from "./color.ts";
import { printNote } from "./output.ts";

/** How much of a known number is done. The times are those of `performance.now()`. */
export interface Count {
  readonly ended: number;
  /** Of those that ended. */
  readonly failed: number;
  readonly all: number;
  /** The number of all with its noun. */
  readonly of: string;
  readonly opened: number;
  /** When the first one began: Pulumi needs some seconds before. */
  readonly begun: number;
  /** When the last one ended. */
  readonly last: number;
}

/** Also how long nothing ends before the line says so: the service may ask for a wait. */
const LINE_MS = 10_000;

/**
 * `1,240 of 5,000 people, 3 failed, about 2 min left, 31/s, 40 s elapsed`
 * @param room the columns for a bar and as much of the text as fits. Default: the text alone
 */
export function progressText(count: Count, now: number, room?: number): string {
  const { ended, failed, all, of, opened } = count;
  const parts = [
    `${grouped(ended)} of ${of}`,
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    ...paceOf(count, now),
    `${durationText(now - opened)} elapsed`,
  ];
  if (room === undefined) return parts.join(", ");
  // Whatever the text: a bar that changes its width would seem to go back.
  const cells = Math.min(30, Math.max(5, Math.floor(room / 7)));
  const bar = `[${"=".repeat(Math.floor((cells * ended) / all)).padEnd(cells)}] `;
  while (parts.length > 1 && bar.length + parts.join(", ").length > room) parts.pop();
  const text = parts.join(", ");
  return bar.length + text.length > room ? text.slice(0, Math.max(0, room)) : bar + text;
}

/** By the rate until the last one ended, so that a wait does not change it. The first moments show no rate. */
function paceOf({ ended, all, begun, last }: Count, now: number): string[] {
  if (ended === 0 || ended === all) return [];
  const eachMs = (last - begun) / ended;
  const idleMs = now - last;
  if (idleMs >= Math.max(LINE_MS, 3 * eachMs)) return [`no progress for ${durationText(idleMs)}`];
  if (last - begun < 5000 || ended < all * 0.05) return [];
  const leftMs = Math.max(1000, eachMs * (all - ended) - idleMs);
  const about = leftMs < 60_000 ? leftMs : Math.ceil(leftMs / 60_000) * 60_000;
  return [`about ${durationText(about)} left`, rateText(1000 / eachMs)];
}

/** `3.1/s`, or `12/min`. */
function rateText(perSecond: number): string {
  const [rate, unit] = perSecond < 1 ? [perSecond * 60, "min"] : [perSecond, "s"];
  return `${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}/${unit}`;
}

/** `58 s`, `3 min 10 s`, or `1 h 20 min`. */
function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = hours === 0 && (minutes === 0 || seconds % 60 > 0) && `${seconds % 60} s`;
  const parts = [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, rest];
  return parts.filter((part) => part !== false).join(" ");
}

interface ProgressOptions {
  /** The names of the members whom a run is about. Default: none, as before a run. */
  readonly members?: ReadonlySet<string> | undefined;
  readonly quiet?: boolean | undefined;
  /** False for `--no-color`. */
  readonly color?: boolean | undefined;
}

export class ProgressLine {
  readonly #verb: string;
  readonly #members: ReadonlySet<string>;
  readonly #states = new Map<string, Progress["state"]>();
  readonly #opened = performance.now();
  #begun: number | undefined;
  #last = this.#opened;
  /** Whose tokens are read or revoked, and what the line says meanwhile. */
  #users: (Count & { readonly verb: string }) | undefined;
  #spinner: Ora | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(verb: string, { members = new Set(), quiet = false, color }: ProgressOptions) {
    this.#verb = verb;
    this.#members = members;
    if (quiet) return;
    const spinner = ora({
      // Raw input would swallow Ctrl-C.
      ...{ stream: process.stderr, discardStdin: false },
      color: isColored({ color }, process.stderr) ? "cyan" : false,
      text: `${verb}:`,
      // A function, so that the seconds go on without an event.
      suffixText: () => this.#details(process.stderr.columns - BESIDE_DETAILS),
    });
    // A terminal without a width cannot replace a line.
    if (spinner.isEnabled && process.stderr.columns > 0) this.#spinner = spinner.start();
    else this.#timer = setInterval(() => this.#printLine(), LINE_MS).unref();
  }

  /** @param ended the number of users whose tokens are read or revoked; from 0 */
  onUsers(verb: string, ended: number, all: number): void {
    const now = performance.now();
    const opened = this.#users?.opened ?? now;
    const count = { ended, all, of: counted(all, "user"), opened, begun: opened, last: now };
    this.#users = ended === all ? undefined : { ...count, failed: 0, verb };
    if (this.#spinner !== undefined) this.#spinner.text = `${this.#current()}:`;
  }

  readonly onRead = (read: number, all: number): void => this.onUsers("Reading tokens", read, all);

  readonly onStep = ({ urn, state }: Progress): void => {
    const name = nameOf(urn);
    // A run also deletes what earlier ones emptied, and a further one what this one did.
    if (!this.#members.has(name)) return;
    if (state === "started" && this.#states.get(name) === "succeeded") return;
    const now = performance.now();
    this.#begun ??= now;
    if (state !== "started") this.#last = now;
    this.#states.set(name, state);
  };

  end(): void {
    this.#spinner?.stop();
    clearInterval(this.#timer);
  }

  #current(): string {
    return this.#users?.verb ?? this.#verb;
  }

  #count(): Count | undefined {
    const all = this.#members.size;
    if (this.#users !== undefined || all === 0) return this.#users;
    const ended = [...this.#states.values()].filter((state) => state !== "started");
    const failed = ended.filter((state) => state === "failed").length;
    const times = { opened: this.#opened, begun: this.#begun ?? this.#opened, last: this.#last };
    return { ...times, ended: ended.length, failed, all, of: countedPeople(all) };
  }

  #details(room?: number): string {
    const count = this.#count();
    const now = performance.now();
    if (count === undefined) return durationText(now - this.#opened);
    return progressText(count, now, room === undefined ? undefined : room - this.#current().length);
  }

  /** A log gets no line without a count. */
  #printLine(): void {
    if (this.#count() !== undefined) printNote(`${this.#current()}: ${this.#details()}`);
  }
}

/** The spinner with a space, the colon with a space, and the last column, where some terminals begin a new line. */
const BESIDE_DETAILS = 5;
