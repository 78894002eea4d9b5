import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseAudit } from "../../command/service/audit-log.ts";
import { Audit } from "../../provider/service/audit.ts";

const line = { time: "2026-11-03T10:00:00.000Z", call: 11, id: "u-1", outcome: "done" };

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
  expect(parseAudit(readFileSync(file, "utf8"), file)).toEqual([
    { ...common, id: "u-1", status: 204, outcome: "done" },
    { ...common, id: "u-2", outcome: "no answer" },
  ]);
});

test("empty lines are none, and neither is one that was cut off at the end, or rewritten since", () => {
  const whole = JSON.stringify(line);
  expect(parseAudit(`${whole.slice(0, 20)}\n${whole}\n`, "audit.jsonl")).toEqual([line]);
  expect(parseAudit("", "audit.jsonl")).toEqual([]);
  expect(parseAudit(`${whole}\n\n${whole}\n{"time": "2026-`, "audit.jsonl")).toEqual([line, line]);
});

test.each([
  "{",
  "7",
  "{}",
  JSON.stringify({ ...line, outcome: "perhaps" }),
  JSON.stringify({ ...line, time: "today" }),
])("%s in the middle gives an error that names file and line", (odd) => {
  expect(() => parseAudit(`${JSON.stringify(line)}\n${odd}\n`, "audit.jsonl")).toThrow(
    /^invalid audit log: audit\.jsonl, line 2: /,
  );
});
