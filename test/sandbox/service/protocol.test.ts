import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { calls } from "../../../provider/api/calls/calls.ts";
import { callNames, codeOf, exchange, fieldsOf, type Sandbox, START, startSandbox } from "./harness.ts";
import { talksIn } from "./talk.ts";

/** Sends call 5 with a body as it is. */
function sendText(sandbox: Sandbox, body: string) {
  const headers = { authorization: `Bearer ${sandbox.accountToken}`, "content-type": "application/json" };
  return exchange(sandbox.url("createUser"), { method: "POST", headers, body });
}

describe("routes", () => {
  it("serve every call of the contract table", async () => {
    const sandbox = await startSandbox();
    for (const name of callNames) {
      await sandbox.send(name, {}, { token: "" });
    }
    const seen = (await sandbox.management.requests()).map(({ call, status }) => [call, status]);
    expect(seen).toEqual(callNames.map((name) => [calls[name].number, 401]));
  });

  it("D15: an unknown route is 404 without an error body", async () => {
    const { service } = await startSandbox();
    for (const path of ["/", "/organizations", "/organizations/x/nothing", "/organizations/x/users/y/seats/"])
      expect(await exchange(service.orgUrl + path), path).toMatchObject({
        status: 404,
        body: { detail: "Not Found" },
      });
  });

  it("answer 405 to a wrong method, and name the right ones", async () => {
    const sandbox = await startSandbox();
    const answer = await exchange(sandbox.url("issueToken", { user_id: "x" }), { method: "PUT" });
    expect([answer.status, answer.body]).toEqual([405, { detail: "Method Not Allowed" }]);
    expect(answer.headers.get("allow")).toBe("POST, PATCH, DELETE");
  });
});

it("code INTERNAL_SERVER_ERROR: a failure inside the service is 500 with an error body, for every call", async () => {
  let isBroken = false;
  const sandbox = await startSandbox({
    now: () => {
      if (isBroken) throw new Error("the clock stopped");
      return START;
    },
    onError: (error) => {
      if (!isBroken) throw error;
    },
  });
  isBroken = true;
  for (const name of callNames) {
    const failed = await sandbox.send(name, {}, { body: calls[name].request ? {} : undefined });
    expect([name, failed.status, codeOf(failed)]).toEqual([name, 500, "INTERNAL_SERVER_ERROR"]);
  }
});

describe("bodies", () => {
  it.each([
    ["", "body"],
    ["{", "body"],
    ["[]", "body"],
    ['{"email":"nobody"}', "body.email"],
    ['{"email":null}', "body.email"],
    ['{"email":1,"first_name":2}', "body.email,body.first_name"],
  ])("D43: %j is 422 and names the field", async (text, fields) => {
    const answer = await sendText(await startSandbox(), text);
    expect([answer.status, fieldsOf(answer).join()]).toEqual([422, fields]);
  });

  it("D43: a missing field is said to be missing, a value is never repeated", async () => {
    const sandbox = await startSandbox();
    const missing = await sandbox.send("createServiceAccount", {}, { body: {} });
    expect(missing.body).toMatchObject({ detail: [{ loc: ["body", "name"], type: "missing" }] });
    expect((await sendText(sandbox, '{"email":"s3cret-value"}')).text).not.toContain("s3cret-value");
  });

  talksIn("protocol.txt");

  it("answer 413 to a body of more than a mebibyte, with and without a length", async () => {
    const sandbox = await startSandbox();
    const text = JSON.stringify({ first_name: "x".repeat(1_100_000) });
    const answer = await sendText(sandbox, text);
    expect([answer.status, codeOf(answer)]).toEqual([413, "BODY_TOO_LARGE"]);
    expect(await sendInChunks(sandbox, text)).toBe(413);
    expect((await sandbox.management.snapshot()).users).toEqual([]);
  });
});

/** @returns the status of a POST without a content-length. */
function sendInChunks(sandbox: Sandbox, text: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(sandbox.url("createUser"), { method: "POST" }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject);
    sent.write(text.slice(0, 600_000));
    sent.write(text.slice(600_000));
    sent.end();
  });
}
