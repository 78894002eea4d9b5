/** What shows in an audit log that someone edited. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineHash } from "../../../provider/service/audit.ts";
import { checkAudit } from "../../../sdk/automation/service/audit-verify.ts";

/** A log as one process writes it. */
function logOf(count: number, run = "r1"): string[] {
  const lines: string[] = [];
  for (let number = 0; number < count; number++) {
    const last = lines.at(-1);
    const previous = last === undefined ? undefined : lineHash(last);
    lines.push(
      JSON.stringify({ time: "2027-01-01T00:00:00.000Z", call: 9, id: `u${number}`, run, previous }),
    );
  }
  return lines;
}

const check = (lines: readonly string[], head?: string) => checkAudit(`${lines.join("\n")}\n`, head);

describe("an audit log", () => {
  test("proves complete as it was written, and as several logs one after another", () => {
    const lines = [...logOf(3), ...logOf(2, "r2")];
    expect(check(lines)).toEqual({ lines: 5, logs: 2, head: lineHash(lines[4] ?? ""), problems: [] });
    expect(checkAudit("")).toEqual({ lines: 0, logs: 0, head: undefined, problems: [] });
  });

  test.each<[string, (lines: string[]) => string[]]>([
    ["a removed line", (lines) => lines.toSpliced(4, 1)],
    ["removed first lines", (lines) => lines.slice(2)],
    ["an edited line", (lines) => lines.with(4, (lines[4] ?? "").replace("u4", "u9"))],
    ["another order", (lines) => lines.with(4, lines[5] ?? "").with(5, lines[4] ?? "")],
    ["an added line", (lines) => lines.toSpliced(4, 0, `${JSON.stringify({ time: "now", previous: "0" })}`)],
    ["a line that is no entry", (lines) => lines.toSpliced(4, 0, "# note")],
  ])("shows %s", (_, edit) => {
    expect(check(edit(logOf(10))).problems).not.toEqual([]);
  });

  test("shows any removed or edited line but the last, and with its head the last too", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 30 }), fc.nat(), fc.boolean(), (count, at, isRemoved) => {
        const lines = logOf(count);
        const head = lineHash(lines.at(-1) ?? "");
        const index = at % count;
        const edited = isRemoved
          ? lines.toSpliced(index, 1)
          : lines.with(index, (lines[index] ?? "").replace("r1", "r9"));
        const isLast = index === count - 1;
        expect(check(edited).problems.length > 0).toBe(!isLast);
        expect(check(edited, head).problems.length > 0).toBe(true);
      }),
    );
  });
});
