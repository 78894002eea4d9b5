/** The sandbox service held against the list of the interface: what each call answers, and to whom. */
import { describe, expect, test } from "vitest";
import { listedCall, type Shape, server } from "./interface.ts";
import { type Asked, fieldOf, openSandbox, refusalOf, type Sandbox } from "./sandbox-harness.ts";
import { deviations } from "./shapes.ts";

const TABLE = {
  name: "papers",
  schema: { columns: [{ name: "id", type: "int", constraints: ["NOT NULL"] }] },
};

/** What the interface does not show and docs/internal/contract.md decides (D6, D7, D9, D22, D27). */
const decided: Readonly<Record<number, { status?: number; body?: Shape | "none" }>> = {
  1: { status: 200 },
  2: { status: 200, body: { items: [{ name: "string", client_id: "GUID", org_id: "GUID" }] } },
  4: { status: 200 },
  5: { status: 200 },
  7: { status: 200 },
  8: { status: 200, body: { expires_at: "instant" } },
  9: { status: 204, body: "none" },
  10: { status: 204, body: "none" },
  11: { status: 204, body: "none" },
  12: { body: { data: [{ ...server, status: "string" }] } },
  14: { status: 200 },
  16: { status: 200 },
};

type Prepare = (sandbox: Sandbox) => Promise<Asked>;

const withToken: Prepare = async (sandbox) => {
  const variables = await sandbox.addUser();
  await sandbox.issue(variables);
  return { variables };
};

describe.each<[string, number, Prepare]>([
  ["call 1, fields: service account", 1, async () => ({ body: { name: "build-bot_1" } })],
  ["call 2, call 1, rule 8, fields: service account", 2, async () => ({})],
  [
    "call 3",
    3,
    async (sandbox) => {
      const made = await sandbox.ask(1, { body: { name: "gone-soon" } });
      return { variables: { client_id: String(fieldOf(made.body, "client_id")) } };
    },
  ],
  [
    "call 4, fields: onboarding result",
    4,
    async () => ({ body: { user_emails: ["ada@acme.example", "eve@acme.example", "max@acme.example"] } }),
  ],
  [
    "call 5, fields: user",
    5,
    async () => ({ body: { email: "ada@acme.example", first_name: "Ada", last_name: "Byron" } }),
  ],
  ["call 6", 6, async (sandbox) => ({ variables: await sandbox.addUser() })],
  [
    "call 7, fields: token",
    7,
    async (sandbox) => ({ variables: await sandbox.addUser(), body: { expires_at: "2026-06-30T12:00:00Z" } }),
  ],
  ["call 8 and call 8, note A", 8, withToken],
  ["call 9 and call 9, note A", 9, withToken],
  [
    "call 10 and call 10, note A",
    10,
    async (sandbox) => {
      const variables = await sandbox.addUser();
      await sandbox.ask(6, { variables });
      return { variables };
    },
  ],
  ["call 11 and call 11, note A", 11, async (sandbox) => ({ variables: await sandbox.addUser() })],
  [
    "call 12, fields: server",
    12,
    async (sandbox) => {
      await sandbox.addServer("running");
      await sandbox.addServer("stopped");
      return {};
    },
  ],
  ["call 13, fields: model file", 13, async (sandbox) => ({ variables: await sandbox.addServer() })],
  ["call 14, fields: deleted server", 14, async (sandbox) => ({ variables: await sandbox.addServer() })],
  [
    "call 15, fields: table",
    15,
    async (sandbox) => {
      await sandbox.ask(16, { body: TABLE });
      return {};
    },
  ],
  ["call 16, fields: table", 16, async () => ({ body: TABLE })],
])("%s", (_, number, prepare) => {
  const call = listedCall(number);
  const own = decided[number];

  test("answers its status and exactly the listed fields, each of its kind (D6, D7)", async () => {
    const sandbox = await openSandbox();
    const answer = await sandbox.ask(number, await prepare(sandbox));
    expect(answer.status).toBe(call.answer.status === "not shown" ? own?.status : call.answer.status);
    const body = own?.body ?? call.answer.body;
    if (body === "none") return expect(answer.text).toBe("");
    if (body === "not shown") throw new Error(`nobody decides what call ${number} answers`);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(deviations(body, answer.body)).toEqual([]);
    expect(Object.keys(answer.body ?? {}), "something is answered").not.toEqual([]);
  });

  test("takes its own credential alone: 401 without one, a refusal of another, and nothing happens", async () => {
    const sandbox = await openSandbox();
    // Starting it takes a second, and who may call is asked before.
    if (call.area === "model") await sandbox.management.models.runVectorDatabase(false);
    const asked = await prepare(sandbox);
    const before = await sandbox.management.snapshot();
    const missing = await sandbox.ask(number, { ...asked, authorization: null });
    expect(refusalOf(missing)).toEqual([401, "UNAUTHORIZED"]);
    expect(missing.headers.get("www-authenticate")).toBe("Bearer");
    const right = sandbox.shown[call.credential];
    const others = Object.values(sandbox.shown).filter((shown) => shown !== right);
    const wrong = [...others, right.replace("Bearer", "Basic"), `${right}x`, "Bearer ", "x"];
    for (const authorization of wrong) {
      const refused = await sandbox.ask(number, { ...asked, authorization });
      expect([authorization, refused.status === 401 || refused.status === 403]).toEqual([
        authorization,
        true,
      ]);
      expect(fieldOf(refused.body, "error.message")).toEqual(expect.any(String));
    }
    expect(await sandbox.management.snapshot()).toEqual(before);
    expect([401, 403]).not.toContain((await sandbox.ask(number, asked)).status);
  });
});
