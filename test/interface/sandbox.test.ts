/** The sandbox service held against the list of the interface: what each call answers, and to whom. */
import { describe, expect, test } from "vitest";
import { calls } from "../../provider/api/calls/calls.ts";
import { callNames, codeOf, startSandbox } from "../sandbox/service/harness.ts";
import { talks } from "../sandbox/service/talk.ts";

/** Each answer has the status and the fields of the list: test/sandbox/service/documented-calls.ts. */
describe("each call answers its status and exactly the listed fields, each of its kind (D6, D7)", () => {
  talks(
    `
call 1, call 2, call 3, call 1, rule 8, fields: service account
  $bot = createServiceAccount { body: { name: build-bot_1 } } -> 200
  listServiceAccounts -> 200 { items: [{ name: ci }, { name: build-bot_1 }] }
  deleteServiceAccount { client_id: $bot.client_id } -> 204

call 4, fields: onboarding result
  onboardUsers { body: { user_emails: [ada@acme.example, eve@acme.example, max@acme.example] } }
    -> 200 { users_in_onboarding_process: [ada@acme.example, eve@acme.example], users_unavailable_for_onboarding: [max@acme.example] }

call 5, fields: user, call 6, call 7, fields: token, call 8, note A, call 9, note A, call 10, note A, call 11, note A
  $ada = createUser { body: { email: ada@acme.example, first_name: Ada, last_name: Byron } } -> 200
  assignSeat { user_id: $ada.id } -> 201
  issueToken { user_id: $ada.id, body: { expires_at: 2026-06-30T12:00:00Z } } -> 200
  renewToken { user_id: $ada.id } -> 200
  revokeToken { user_id: $ada.id } -> 204
  removeSeat { user_id: $ada.id } -> 204
  removeUser { user_id: $ada.id } -> 204

call 12, fields: server, call 13, fields: model file, call 14, fields: deleted server
  $model = models.addModel { name: a model, files: [{ name: model.gguf, sizeBytes: 4000000000, quantization: Q4_K_M }] }
  $stopped = models.addServer { tag: nightly, port: 8080, fileId: $model.fileIds.0 }
  models.addServer { tag: nightly, port: 8080, fileId: $model.fileIds.0, status: running }
  listServers -> 200 { data: [{}, {}] }
  listModelFiles { model_id: $model.modelId } -> 200 { data: [{}] }
  deleteServer { server_id: $stopped } -> 200

call 15, call 16, fields: table
  createTable { body: { name: papers, schema: { columns: [{ name: id, type: int, constraints: [NOT NULL] }] } } } -> 200
  listTables -> 200 [{}]
`,
    { isDocumented: true },
  );
});

test.each(callNames)(
  "%s takes its own credential alone: 401 without one, a refusal of another, and nothing happens",
  async (name) => {
    const sandbox = await startSandbox();
    const { management, adminToken, accountToken, service } = sandbox;
    const user_id = await sandbox.addUser();
    // Starting it takes a second, and who may call is asked before.
    await management.models.runVectorDatabase(false);
    const before = await management.snapshot();
    const body = calls[name].request ? {} : undefined;
    const send = (authorization?: string) =>
      sandbox.send(
        name,
        { user_id, client_id: sandbox.account.clientId },
        { body, headers: { authorization } },
      );
    const missing = await send();
    expect([missing.status, codeOf(missing)]).toEqual([401, "UNAUTHORIZED"]);
    expect(missing.headers.get("www-authenticate")).toBe("Bearer");
    const own = { user: adminToken, serviceAccount: accountToken, apiKey: service.seed.apiKey };
    const right = own[calls[name].credential];
    const others = Object.values(own).filter((token) => token !== right);
    const wrong = [...others, `${right}x`, ""].map((token) => `Bearer ${token}`);
    for (const authorization of [...wrong, `Basic ${right}`, "x"]) {
      const refused = await send(authorization);
      expect([authorization, refused.status === 401 || refused.status === 403]).toEqual([
        authorization,
        true,
      ]);
      expect(codeOf(refused)).toEqual(expect.any(String));
    }
    expect(await management.snapshot()).toEqual(before);
    expect([401, 403]).not.toContain((await send(`Bearer ${right}`)).status);
  },
);
