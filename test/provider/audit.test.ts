import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseJson } from "../../provider/util/json.ts";
import {
  failure,
  inTurn,
  ORGANIZATION,
  type Props,
  SUBSCRIPTION_END,
  scripted,
} from "../resources/scripted.ts";
import { heldAccount, heldToken, person, type Run, SERVER, seat, writes } from "../resources/writes.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const user = { body: { id: "u1", email: "ada@acme.example" } };
const account = { name: "bot", client_id: "c1", org_id: ORGANIZATION };

async function audited(onCall: Parameters<typeof scripted>[0], environment: Record<string, string> = {}) {
  const file = join(temporaryFolder(), "logs", "audit.jsonl");
  const run = await scripted(onCall, { ORGSEAT_AUDIT_LOG: file, ...environment });
  const lines = (): Props[] => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return [...text.matchAll(/^.+$/gm)].map(([line]) =>
      z.record(z.string(), z.unknown()).parse(JSON.parse(line)),
    );
  };
  return { ...run, file, lines };
}

describe("the audit", () => {
  test("writes one line for a write: when, what, where, whose, how it went, and of which run", async () => {
    const run = await audited(() => user, {
      ORGSEAT_RUN_ID: "4711",
      ORGSEAT_COMMIT: "abc123",
      ORGSEAT_PLAN: "5c1f",
      ORGSEAT_APPROVER: "grace",
      GITHUB_ACTOR: "ada",
      PULUMI_STACK: "people-3",
    });
    await run.orgUser.create(person);
    expect(run.lines()).toEqual([
      {
        time: "2027-01-01T00:00:00.000Z",
        call: 5,
        name: "add user",
        method: "POST",
        organizationId: ORGANIZATION,
        id: "u1",
        status: 200,
        outcome: "done",
        run: "4711",
        commit: "abc123",
        stack: "people-3",
        actor: "ada",
        approver: "grace",
        plan: "5c1f",
      },
    ]);
    expect(statSync(run.file).mode & 0o777).toBe(0o600);
    await run.seat.create(seat);
    expect(run.lines(), "appended").toHaveLength(2);
  });

  test("names the local user where no CI system names who started the run, and the given actor before both", async () => {
    const run = await audited(() => user);
    await run.orgUser.create(person);
    const other = await audited(() => user, { ORGSEAT_ACTOR: "night shift", GITHUB_ACTOR: "ada" });
    await other.orgUser.create(person);
    expect([run, other].map(({ lines }) => lines()[0]?.actor)).toEqual([userInfo().username, "night shift"]);
  });

  test("goes on after a line that was cut off", async () => {
    const run = await audited(() => user);
    await run.orgUser.create(person);
    appendFileSync(run.file, '{"time":"2027-01-01T');
    await run.seat.create(seat);
    const lines = readFileSync(run.file, "utf8").split("\n");
    expect(lines.map((line) => parseJson(line) !== undefined)).toEqual([true, false, true, false]);
    expect(lines[3]).toBe("");
  });

  const secretToken = { body: { token: "seat-token-2", expires_at: SUBSCRIPTION_END } };
  const done = () => ({ status: 204 });
  const made = { body: { ...account, client_secret: "the-new-secret" } };
  const onboarded = {
    ...{ users_in_onboarding_process: [person.email], users_unavailable_for_onboarding: [] },
    ...{ total_organization_seats: 9, available_organization_seats: 8 },
  };
  const deleted = { data: { id: SERVER, status: "deleted", deletedAt: "2027-01-01T00:00:00Z" } };
  type Answer = Parameters<typeof scripted>[0];
  type Write = (run: Run) => Promise<unknown>;
  test.each<[number, string | undefined, Answer, Write, environment?: Record<string, string>]>([
    [1, "c1", inTurn({ body: { items: [] } }, made), writes.createAccount],
    [3, "c1", done, writes.deleteAccount],
    [4, undefined, () => ({ body: onboarded }), writes.onboard],
    [5, "u1", () => user, writes.addUser],
    [6, "u1", () => ({ status: 201 }), writes.assignSeat],
    [7, "u1", () => secretToken, writes.issueToken],
    [8, "u1", () => ({ body: { expires_at: "2028-06-30T23:59:59Z" } }), writes.renewToken],
    [9, "u1", done, writes.revokeToken],
    [10, "u1", done, writes.removeSeat],
    [11, "u1", done, writes.removeUser],
    [14, SERVER, () => ({ body: deleted }), writes.deleteServer],
    [
      // No response contains the id of a new server.
      22,
      undefined,
      (_, count) => ({ body: { data: count === 3 ? [{ id: SERVER, status: "STOPPED" }] : [] } }),
      (run) =>
        run.server.create({
          __provider: "text",
          ...{ serverConfig: { modelFileName: "a.gguf" }, running: false, onDelete: "retain" },
        }),
      { ORGSEAT_PLATFORM: "anaconda" },
    ],
    [
      16,
      "papers",
      () => ({ body: { data: { name: "papers", numRows: 0 } } }),
      ({ process }) =>
        process
          .callContext()
          .service.models({})
          .createTable({ name: "papers" }, process.callContext().time.operation),
    ],
  ])(
    "names of call %i the object %s, and holds no secret, no email and no other request",
    async (call, id, onCall, write, environment) => {
      const run = await audited(onCall, environment);
      await write(run);
      const lines = run.lines();
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({ call, ...(id && { id }) });
      expect(lines[0]).not.toHaveProperty(id === undefined ? "id" : "email");
      expect(readFileSync(run.file, "utf8")).not.toMatch(/@|secret|seat-token|access-|Pa55/);
    },
  );

  test("writes a line for each attempt that left, and none for one that did not", async () => {
    const run = await audited(inTurn({ status: 503 }, { fault: "close" }, { status: 204 }));
    await run.token.delete("u1", heldToken);
    expect(run.lines()).toMatchObject([
      { status: 503, outcome: "no answer" },
      { outcome: "no answer" },
      { status: 204, outcome: "done" },
    ]);
    expect(run.lines()[1]).not.toHaveProperty("status");

    const nobody = await audited(() => ({}), { ORGSEAT_ORG_URL: "http://127.0.0.1:9/api/v1" });
    await failure(nobody.token.delete("u1", heldToken));
    expect(nobody.lines()).toEqual([]);
  });

  test.each([
    [409, { error: { message: "holds a seat" } }, "refused"],
    [401, {}, "refused"],
    [404, { error: { message: "no such token" } }, "done"],
  ])("says of a removal that is answered %i with %j: %3$s", async (status, body, outcome) => {
    const run = await audited(() => ({ status, body }));
    await run.token.delete("u1", heldToken).catch(() => {});
    expect(run.lines().at(-1)).toMatchObject({ call: 9, status, outcome });
  });

  test("stops a write before anything is sent if it cannot be written, and names the file", async () => {
    const run = await audited(() => user);
    mkdirSync(run.file, { recursive: true });
    const { message } = await failure(run.orgUser.create(person));
    expect(message).toContain("OrgUser ada@acme.example: cannot add user: ");
    expect(message).toContain(`not sent: cannot write the audit log ${run.file} (EISDIR`);
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
  });

  test.runIf(existsSync("/dev/full"))("asks for space on a full disk", async () => {
    const run = await audited(() => user, { ORGSEAT_AUDIT_LOG: "/dev/full" });
    await run.orgUser.create(person);
    const { message } = await failure(run.seat.create(seat));
    expect(message).toContain(
      "cannot write the audit log /dev/full (ENOSPC). Free some space on its disk, or set",
    );
    expect(run.service.calls).toHaveLength(1);
  });

  test("stops no read if it cannot be written", async () => {
    const run = await audited(() => ({ body: { items: [account] } }));
    mkdirSync(run.file, { recursive: true });
    const outs = heldAccount;
    expect(await run.serviceAccount.read("c1", outs)).toMatchObject({ id: "c1" });
  });

  test("keeps the answer if its file vanishes under a write, warns, stops the next write, and makes up for the line", async () => {
    let block = true;
    const run = await audited(() => {
      if (block) rmSync(run.file);
      if (block) mkdirSync(run.file);
      return user;
    });
    expect(await run.orgUser.create(person)).toMatchObject({ id: "u1" });
    expect(run.messages).toMatchObject([{ severity: "warning" }]);
    expect(run.messages[0]?.text).toContain(
      `cannot write the audit log ${run.file} (EISDIR): the line for "add user" (outcome: done) is missing`,
    );
    await failure(run.seat.create(seat));
    expect(run.service.calls).toHaveLength(1);

    block = false;
    rmdirSync(run.file);
    await run.seat.create(seat);
    expect(run.lines().map(({ call }) => call)).toEqual([5, 6]);
  });
});
