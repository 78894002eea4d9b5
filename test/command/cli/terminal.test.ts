/** What a command does with signals. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { stopOnInterrupt } from "../../../command/cli/terminal.ts";

describe("a command that is interrupted", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test("exits and kills what it runs at a second Ctrl-C", () => {
    const { send, engine, exit } = interruptible();
    send("SIGINT");
    vi.advanceTimersByTime(1000);
    expect(exit).not.toHaveBeenCalled();
    send("SIGINT");
    expect(engine.kill).toHaveBeenCalledBefore(exit);
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
  });

  test("goes on stopping at a SIGTERM after a Ctrl-C, and at a Ctrl-C that npx forwards", () => {
    const { send, interrupt, exit, printed } = interruptible();
    send("SIGINT");
    vi.advanceTimersByTime(5);
    send("SIGINT");
    vi.advanceTimersByTime(7500);
    send("SIGTERM");
    send("SIGTERM");
    expect(interrupt.signal.aborted).toBe(true);
    expect(exit).not.toHaveBeenCalled();
    expect(printed).toHaveLength(1);
  });

  test.each(["SIGTERM", "SIGHUP"] as const)(
    "kills what hangs before it exits, and says whether anything was changed: %s",
    (signal) => {
      for (const isWriting of [false, true]) {
        const { send, interrupt, engine, exit, printed } = interruptible();
        if (isWriting) interrupt.startsWriting();
        send(signal);
        expect(interrupt.signal.aborted).toBe(true);
        vi.advanceTimersByTime(9800);
        expect(engine.kill).toHaveBeenCalledBefore(exit);
        expect(exit).toHaveBeenCalledExactlyOnceWith(1);
        expect(printed).toEqual(
          isWriting
            ? [
                expect.stringMatching(/^\nInterrupted: waiting for the requests in progress/),
                "Interrupted; the results of people are unknown. Run the command again; it resumes where it stopped.",
              ]
            : [
                "\nInterrupted: nothing was changed. Press Ctrl-C again to exit immediately.",
                "Interrupted; nothing was changed.",
              ],
        );
      }
    },
  );
});

/** A command whose signals the test sends. */
function interruptible() {
  const engine = { kill: vi.fn() };
  const printed: string[] = [];
  vi.spyOn(console, "error").mockImplementation((text: string) => void printed.push(text));
  const exit = vi
    .spyOn(process, "exit")
    .mockReset()
    .mockImplementation(() => undefined as never);
  const on = vi.spyOn(process, "on");
  const interrupt = stopOnInterrupt({ engine, stack: "people" });
  onTestFinished(interrupt.end);
  const listeners = new Map(on.mock.calls);
  const send = (name: NodeJS.Signals): void => void listeners.get(name)?.(name);
  return { engine, printed, exit, interrupt, send };
}
