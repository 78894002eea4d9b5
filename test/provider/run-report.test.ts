/** What a run notes for the command `orgseat`: by codes, what each method came to. */
import { appendFileSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import { type ReportEntry, readMemberReport } from "../../provider/runtime/run-report.ts";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";
import { temporaryFile } from "../setup/temporary.ts";

const ada: readonly DirectResource[] = [
  { type: "OrgUser", name: "ada", args: { email: "ada@acme.example" } },
  { type: "SeatAssignment", name: "ada-seat", args: { userId: "$ada.id" } },
  { type: "UserToken", name: "ada-token", args: { userId: "$ada-seat.userId" } },
];

async function reportedStack() {
  const organization = await sandbox();
  const account = await makeServiceAccount(organization);
  const stack = new DirectStack(configurationOf(organization, account));
  const { service, organizationId } = organization;
  const client = createClient({ ...service, platform: platforms.basic });
  onTestFinished(() => client.close());
  return {
    ...{ stack, organization, account },
    /** @returns the lines of the run's report, with its file */
    async up(program: readonly DirectResource[], ...faults: readonly FaultRule[]) {
      await service.management.clearFaults();
      if (faults.length > 0) await service.management.addFaults(...faults);
      const file = temporaryFile("report.jsonl");
      stack.configuration.ORGSEAT_RUN_REPORT = file;
      await stack.run(program, { continueOnError: true });
      return { file, lines: readMemberReport(file).methods };
    },
    /** The organization's calls, past the state. */
    behindOurBack: () => client.organization(organizationId, { serviceAccount: account }),
  };
}

const later = () => ({ deadline: performance.now() + 10_000 });

function told(lines: readonly ReportEntry[]) {
  return lines.map(({ type, operation, result }) => [type, operation, result]);
}

describe("the run report", () => {
  test("reports what was made by its id and its person, what went, and no secret", async () => {
    const { stack, up } = await reportedStack();
    const made = await up(ada);
    const [id, seatId, tokenId] = ["ada", "ada-seat", "ada-token"].map((name) => stack.state.get(name)?.id);
    const sent = (name: string) => ({
      writes: [{ name, id, outcome: "done", at: expect.any(Number) }],
    });
    expect(made.lines).toEqual([
      {
        ...{ type: "OrgUser", operation: "create", id, email: "ada@acme.example", result: "done" },
        ...sent("add user"),
      },
      {
        ...{ type: "SeatAssignment", operation: "create", id: seatId, userId: id, result: "done" },
        ...sent("assign seat"),
      },
      {
        ...{ type: "UserToken", operation: "create", id: tokenId, userId: id, result: "done" },
        ...sent("issue token"),
      },
    ]);
    const token = stack.state.get("ada-token")?.outs.value;
    expect(token).toEqual(expect.any(String));
    const removed = await up([]);
    const gone = { operation: "delete", result: "done" };
    expect(removed.lines).toEqual([
      { type: "UserToken", id: tokenId, ref: tokenId, ...gone, ...sent("revoke token") },
      { type: "SeatAssignment", id: seatId, ref: seatId, ...gone, ...sent("remove seat") },
      { type: "OrgUser", id, ref: expect.stringMatching(/^user-/), ...gone, ...sent("remove user") },
    ]);
    for (const { file } of [made, removed]) expect(readFileSync(file, "utf8")).not.toContain(token);
  });

  test("distinguishes a removal that found nothing, one that removed, and one whose first answer was lost", async () => {
    const { stack, up, behindOurBack } = await reportedStack();
    await up(ada);
    const id = stack.state.get("ada")?.id ?? "";
    await behindOurBack().revokeToken(id, later());
    const { lines } = await up([], { match: { call: 10 }, fault: { kind: "cut-after" } });
    expect(told(lines)).toEqual([
      ["UserToken", "delete", "gone"],
      ["SeatAssignment", "delete", "done"],
      ["OrgUser", "delete", "done"],
    ]);
  });

  test("reports the codes of a failure, and what the next step is about", async () => {
    const { up, behindOurBack } = await reportedStack();
    await behindOurBack().createUser({ email: "ada@acme.example" }, later());
    const [line] = (await up(ada)).lines;
    expect(line).toMatchObject({
      ...{ type: "OrgUser", operation: "create", email: "ada@acme.example", result: "failed" },
      failure: {
        ...{ code: "refused", status: 409, advice: "user-exists" },
        ...{ isEffectUnknown: false, isKept: false, isRepetition: false },
      },
    });
    expect(line?.failure?.text).toContain("use `aliases`");
  });

  test("reads back without a line that was cut, and empty where there is none", async () => {
    const { up } = await reportedStack();
    const { file, lines } = await up(ada);
    appendFileSync(file, '{"type":"OrgUser","oper');
    expect(readMemberReport(file).methods).toEqual(lines);
    expect(readMemberReport(`${file}.none`).methods).toEqual([]);
  });

  test("keeps nobody from being done if it cannot be written", async () => {
    const { up, stack } = await reportedStack();
    await up(ada);
    stack.configuration.ORGSEAT_RUN_REPORT = "/nowhere/report.jsonl";
    expect((await stack.run([], { continueOnError: true })).errors).toEqual([]);
    expect([...stack.state]).toEqual([]);
  });
});
