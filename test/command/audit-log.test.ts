import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { describeCut, parseAudit } from "../../command/service/audit-log.ts";
import { Audit, appendAuditLines } from "../../provider/service/audit.ts";
import { parseJson } from "../../provider/util/json.ts";
import { checkCases } from "../setup/cases.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const line = { time: "2026-11-03T10:00:00.000Z", call: 11, id: "u-1", outcome: "done" };
const whole = JSON.stringify(line);
const other = JSON.stringify({ ...line, id: "u-2" });

test("what the provider writes down is read, whatever else it says", () => {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "audit.jsonl");
  const audit = new Audit({ file, run: "17", commit: "abc" }, (text) => expect.fail(text));
  const at = Date.parse(line.time);
  const write = { at, call: 11, name: "remove user", method: "DELETE", organizationId: "o-1" } as const;
  audit.afterSend({ ...write, id: "u-1", status: 204, outcome: "done" });
  audit.afterSend({ ...write, id: "u-2", outcome: "no answer" });
  expect(existsSync(file)).toBe(true);
  const common = { time: line.time, call: 11, name: "remove user", organizationId: "o-1", run: "17" };
  expect(parseAudit(readFileSync(file, "utf8"), file)).toEqual({
    lines: [
      { ...common, id: "u-1", status: 204, outcome: "done" },
      { ...common, id: "u-2", outcome: "no answer" },
    ],
    cut: [],
    invalid: [],
  });
});

test.each([
  ["empty", "", 0, []],
  ["with empty lines", `${whole}\n\n${whole}\n`, 2, []],
  ["of another form, and cut off at its end", `${whole}\n{"time": "2026-`, 1, ['{"time": "2026-']],
  ["cut off at its end", `${whole}\n${whole.slice(0, 20)}`, 1, [whole.slice(0, 20)]],
  ["cut off within its first characters", `${whole}\n{"t`, 1, ['{"t']],
  ["cut off before later lines", `${whole.slice(0, 20)}\n${other}\n${other}\n`, 2, [whole.slice(0, 20)]],
  ["cut off, and rewritten since", `${whole.slice(0, 50)}\n${whole}\n`, 1, []],
])("reads a log that is %s", (_, text, count, cut) => {
  const read = parseAudit(text, "audit.jsonl");
  expect({ count: read.lines.length, cut: read.cut }).toEqual({ count, cut });
});

test("keeps each whole line of a log that a kill cuts anywhere, and names the line that it cut", async () => {
  const drawn = fc.record({
    ids: fc.array(fc.string({ minLength: 1, unit: "binary" }), { minLength: 1, maxLength: 4 }),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    goesOn: fc.boolean(),
  });
  await checkCases({ name: "audit logs that are cut off", level: "R", cases: 2000 }, drawn, async (draw) => {
    const { ids, at, goesOn } = draw;
    const file = join(temporaryFolder(), "audit.jsonl");
    appendAuditLines(
      file,
      ids.map((id) => ({ ...line, id })),
    );
    const all = readFileSync(file);
    const kept = all.subarray(0, Math.floor(at * all.length));
    writeFileSync(file, kept);
    if (goesOn) appendAuditLines(file, [{ ...line, id: "later" }]);
    const read = parseAudit(readFileSync(file, "utf8"), file);
    const complete = kept
      .toString()
      .split("\n")
      .filter((one) => parseJson(one) !== undefined).length;
    expect(read.lines).toHaveLength(complete + (goesOn ? 1 : 0));
    const isWhole =
      kept.length === 0 ||
      kept.toString().endsWith("\n") ||
      parseJson(kept.toString().split("\n").at(-1) ?? "") !== undefined;
    expect(read.cut.length).toBeLessThanOrEqual(isWhole ? 0 : 1);
    expect(describeCut(file, read)).toEqual(
      read.cut.map(() =>
        expect.stringMatching(/is cut off \(`.*`\): a run was killed.* Check in the service/),
      ),
    );
  });
});

test.each([
  "a",
  "7",
  "{}",
  JSON.stringify({ ...line, outcome: "perhaps" }),
  JSON.stringify({ ...line, time: "today" }),
])("%s in the middle gives an error that names file and line", (odd) => {
  expect(() => parseAudit(`${JSON.stringify(line)}\n${odd}\n`, "audit.jsonl")).toThrow(
    /^invalid audit log: audit\.jsonl, line 2: /,
  );
});
