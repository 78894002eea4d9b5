/** The progress of a command, with a terminal and without. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Count, ProgressLine, progressText } from "../../../command/cli/progress.ts";
import type { StepState } from "../../../command/engine/engine.ts";
import { screenOf } from "../../setup/screen.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const urnOf = (index: number) => `urn:pulumi:people::orgseat::type::member-${index}`;
const membersOf = (count: number) => new Set(Array.from({ length: count }, (_, index) => `member-${index}`));

/** The steps of some members, which end in a state. */
function end(line: ProgressLine, first: number, count: number, state: StepState = "succeeded"): void {
  for (let index = first; index < first + count; index++)
    line.onStep({ stack: "people", urn: urnOf(index), state });
}

function printedLines(): string[] {
  const printed: string[] = [];
  vi.spyOn(console, "error").mockImplementation((text: string) => void printed.push(text));
  return printed;
}

describe("progressText", () => {
  const count: Count = {
    ...{ ended: 1240, failed: 0, all: 5000, of: "5,000 people" },
    ...{ opened: 0, begun: 0, last: 40_000 },
  };

  test("shows count, failures, remaining time, rate, and time", () => {
    expect(progressText({ ...count, failed: 3 }, 40_000)).toBe(
      "1,240 of 5,000 people, 3 failed, about 3 min left, 31/s, 40 s elapsed",
    );
  });

  test("takes the rate from the first step on, not from the start of Pulumi", () => {
    const text = progressText({ ...count, ended: 10, all: 20, of: "20 people", begun: 35_000 }, 40_000);
    expect(text).toBe("10 of 20 people, about 5 s left, 2.0/s, 40 s elapsed");
  });

  test.each([
    ["before 5 seconds", { last: 4900 }, 4900],
    ["before 5%", { ended: 249 }, 40_000],
    ["before the first one", { ended: 0, last: 0 }, 40_000],
    ["after the last one", { ended: 5000 }, 40_000],
  ])("shows no rate %s", (_, part, now) => {
    expect(progressText({ ...count, ...part }, now)).toMatch(/^[\d,]+ of 5,000 people, \d+ s elapsed$/);
  });

  test("says instead of a rate that nothing ends, and takes the wait into the rate afterward", () => {
    expect(progressText(count, 100_000)).toBe(
      "1,240 of 5,000 people, no progress for 1 min, 1 min 40 s elapsed",
    );
    expect(progressText({ ...count, ended: 1250, last: 100_000 }, 100_000)).toContain(
      "about 5 min left, 13/s",
    );
  });

  test("says of slow steps what they need, and not that nothing ends", () => {
    const slow = { ...count, ended: 20, all: 100, of: "100 people", last: 300_000 };
    expect(progressText(slow, 330_000)).toBe(
      "20 of 100 people, about 20 min left, 4.0/min, 5 min 30 s elapsed",
    );
    expect(progressText({ ...slow, all: 2000, ended: 100, last: 1_500_000 }, 1_500_000)).toContain(
      "about 7 h 55 min left",
    );
  });

  test("leaves out what does not fit beside the bar, and then the bar", () => {
    const shown = [120, 60, 35, 25, 12].map((room) => progressText(count, 40_000, room));
    expect(shown).toEqual([
      "[====             ] 1,240 of 5,000 people, about 3 min left, 31/s, 40 s elapsed",
      "[=       ] 1,240 of 5,000 people, about 3 min left, 31/s",
      "[=    ] 1,240 of 5,000 people",
      "1,240 of 5,000 people",
      "1,240 of 5,0",
    ]);
    for (let room = 0; room < 120; room++)
      expect(progressText(count, 40_000, room).length).toBeLessThanOrEqual(room);
  });
});

describe("a line without a terminal", () => {
  test("appears every 10 seconds, whatever ends", () => {
    const printed = printedLines();
    const line = new ProgressLine("Applying", { members: membersOf(1000) });
    vi.advanceTimersByTime(4000);
    end(line, 0, 1000, "started");
    for (let second = 0; second < 26; second++) {
      vi.advanceTimersByTime(1000);
      end(line, second * 20, 20);
    }
    expect(printed).toEqual([
      "Applying: 100 of 1,000 people, about 44 s left, 20/s, 10 s elapsed",
      "Applying: 300 of 1,000 people, about 34 s left, 20/s, 20 s elapsed",
      "Applying: 500 of 1,000 people, about 24 s left, 20/s, 30 s elapsed",
    ]);
    line.end();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("counts a failed person until a further run begins with it, and no one whom the plan does not have", () => {
    const printed = printedLines();
    const line = new ProgressLine("Applying", { members: membersOf(3) });
    end(line, 0, 9);
    end(line, 1, 1, "failed");
    vi.advanceTimersByTime(10_000);
    end(line, 0, 2, "started");
    vi.advanceTimersByTime(10_000);
    line.end();
    expect(printed.map((text) => text.replace(/, no progress.*|, [^,]*elapsed/, ""))).toEqual([
      "Applying: 3 of 3 people, 1 failed",
      "Applying: 2 of 3 people",
    ]);
  });

  test("names what happens to the tokens of users meanwhile", () => {
    const printed = printedLines();
    const line = new ProgressLine("Previewing", {});
    vi.advanceTimersByTime(10_000);
    line.onUsers("Reading tokens", 0, 40);
    for (let read = 1; read <= 9; read++) {
      vi.advanceTimersByTime(1000);
      line.onUsers("Reading tokens", read, 40);
    }
    vi.advanceTimersByTime(1000);
    line.onUsers("Reading tokens", 40, 40);
    vi.advanceTimersByTime(20_000);
    line.end();
    expect(printed).toEqual(["Reading tokens: 9 of 40 users, about 30 s left, 1.0/s, 10 s elapsed"]);
  });

  test("stays away with --quiet, and keeps no process alive", () => {
    const printed = printedLines();
    vi.useRealTimers();
    const unref = vi.spyOn(Object.getPrototypeOf(setInterval(() => {}, 1).unref()), "unref");
    new ProgressLine("Applying", { members: membersOf(1) }).end();
    expect(unref).toHaveBeenCalledOnce();
    new ProgressLine("Applying", { members: membersOf(1), quiet: true }).end();
    expect(unref).toHaveBeenCalledOnce();
    expect(printed).toEqual([]);
  });
});

describe("a line of a terminal", () => {
  test.each([
    [80, /^\S Applying: \[={4} {5}\] 50 of 100 people, about 10 s left, 5\.0\/s, 10 s elapsed$/],
    [40, /^\S Applying: \[={2} {3}\] 50 of 100 people$/],
  ])("fits into %i columns", async (columns, expected) => {
    const terminal = stubTerminal(columns);
    const line = new ProgressLine("Applying", { members: membersOf(100), color: false });
    end(line, 0, 100, "started");
    vi.advanceTimersByTime(10_000);
    end(line, 0, 50);
    vi.advanceTimersByTime(200);
    const screen = await screenOf(terminal.written);
    expect(screen.trim()).toMatch(expected);
    expect(screen.trim().length).toBeLessThan(columns);
    line.end();
    expect((await screenOf(terminal.written)).trim()).toBe("");
  });

  test.each([
    ["has no width", 0, "xterm"],
    ["cannot replace a line", 80, "dumb"],
  ])("becomes a line every 10 seconds if the terminal %s", (_, columns, TERM) => {
    const terminal = stubTerminal(columns);
    vi.stubEnv("TERM", TERM);
    const printed = printedLines();
    const line = new ProgressLine("Applying", { members: membersOf(2) });
    vi.advanceTimersByTime(10_000);
    line.end();
    expect(printed).toEqual(["Applying: 0 of 2 people, 10 s elapsed"]);
    expect(terminal.written).toBe("");
  });
});

/** Standard error as a terminal, which says what was written to it. */
function stubTerminal(columns: number): { readonly written: string } {
  const terminal = { written: "" };
  vi.stubEnv("TERM", "xterm");
  vi.stubEnv("CI", undefined);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    terminal.written += String(text);
    return true;
  });
  const moved = (code: string) => () => process.stderr.write(code);
  const own = {
    ...{ isTTY: true, columns },
    ...{ clearLine: moved("\u001b[K"), cursorTo: moved("\r"), moveCursor: moved("") },
  };
  for (const [key, value] of Object.entries(own)) {
    const before = Object.getOwnPropertyDescriptor(process.stderr, key);
    Object.defineProperty(process.stderr, key, { value, configurable: true, writable: true });
    onTestFinished(() => {
      if (before === undefined) Reflect.deleteProperty(process.stderr, key);
      else Object.defineProperty(process.stderr, key, before);
    });
  }
  return terminal;
}
