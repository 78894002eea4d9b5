/** What a run notes for the command `orgseat`. */
import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readMemberReport } from "../../provider/runtime/run-report.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { ada, member, organizationOn } from "./listed.ts";
import { runs } from "./runs.ts";

runs("run-report.txt");

test("a report reads back without a line that was cut, and empty where there is none", async () => {
  const file = temporaryFile("report.jsonl");
  const stack = (await organizationOn("basic")).stack({ ORGSEAT_RUN_REPORT: file });
  await stack.up(member("ada", ada));
  const { methods } = readMemberReport(file);
  expect(methods).toHaveLength(3);
  appendFileSync(file, '{"type":"OrgUser","oper');
  expect(readMemberReport(file).methods).toEqual(methods);
  expect(readMemberReport(`${file}.none`).methods).toEqual([]);
});

test("a report that cannot be written keeps nobody from being done", async () => {
  const stack = (await organizationOn("basic")).stack();
  await stack.up(member("ada", ada));
  stack.configuration.ORGSEAT_RUN_REPORT = "/nowhere/report.jsonl";
  expect((await stack.up([])).errors).toEqual([]);
  expect([...stack.state]).toEqual([]);
});
