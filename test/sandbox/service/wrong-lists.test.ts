/** The switches that no description of a service has: an account without rights, and lists that are not whole. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sandboxServiceAccount } from "../../../sandbox/service/index.ts";
import { sandbox, temporaryFolder } from "../../setup/sandbox.ts";

const tokenSchema = z.object({ access_token: z.string() });

async function organization() {
  const made = await sandbox({ serviceAccount: sandboxServiceAccount }, temporaryFolder(), "anaconda");
  const { orgUrl, tokenUrl, management } = made.service;
  const { clientId, clientSecret } = sandboxServiceAccount;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const granted = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(form) });
  const { access_token } = tokenSchema.parse(await granted.json());
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${orgUrl}/organizations/${made.organizationId}/users${path}`, sent);
    return { status: answer.status, body: await answer.json() };
  };
  const { id } = z
    .object({ id: z.string() })
    .parse((await send("POST", "", { email: "ada@acme.example" })).body);
  return { management, send, id };
}

describe("the switch accountRights", () => {
  test("shows an account without rights the administrator alone, and answers 404 to all else", async () => {
    const { management, send, id } = await organization();
    await management.setSwitches({ accountRights: "none" });
    expect(await send("GET", "")).toMatchObject({ status: 200, body: { items: [{ role: "admin" }] } });
    for (const [method, path] of [
      ["GET", `/${id}/tokens`],
      ["DELETE", `/${id}/seats`],
      ["DELETE", `/${id}`],
    ] as const)
      expect(await send(method, path), path).toMatchObject({
        status: 404,
        body: { error: { code: "USER_NOT_FOUND" } },
      });
  });
});

describe("the switch pages", () => {
  test.each([
    ["total_count", { total_count: 2 }],
    ["next", { next: "cursor-of-the-next-page" }],
    ["limit", { limit: 1 }],
    ["has_more", { has_more: true }],
  ] as const)("%s sends the first half of a list, and says so", async (pages, said) => {
    const { management, send } = await organization();
    await management.setSwitches({ pages });
    expect((await send("GET", "")).body).toEqual({ items: [expect.anything()], ...said });
  });
});
