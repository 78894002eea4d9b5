/** Every call that takes something away, under the exact list of what a preview showed (`ORGSEAT_REMOVALS`). */
import { describe, expect, test } from "vitest";
import { type Removals, writeRemovals } from "../../provider/removals.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { API_KEY, common, failure, inTurn, ORGANIZATION, SUBSCRIPTION_END, scripted } from "./scripted.ts";

type Run = Awaited<ReturnType<typeof scripted>>;
type Named = Removals["removals"][number];

const SERVER = "0b6e8f0a-3f55-4a43-9b57-1d2f3a4b5c6d";
const kept = { ...common, stateVersion: 1, instance: "i1" };
const token = { ...common, userId: "u1", subscriptionExpiresAt: SUBSCRIPTION_END };
const heldToken = {
  ...kept,
  ...token,
  token: "seat-token-1",
  serviceExpiresAt: null,
  validUntil: SUBSCRIPTION_END,
  expirySource: "declared",
};
const member = { ...kept, email: "ada@acme.example", userId: "u1", serviceEmail: null, managed: false };
const account = { ...kept, name: "bot", clientId: "c1", clientSecret: "secret-of-c1" };
const server = {
  __provider: "the provider's text",
  stateVersion: 1,
  instance: "i1",
  serverId: SERVER,
  onDelete: "delete",
  credentials: { apiKey: API_KEY },
  ...{ tag: null, serverProcessId: null, modelFile: null, serverConfig: null, server: null, status: null },
};

const removals: readonly [call: number, Named, who: string, (run: Run) => Promise<unknown>][] = [
  [9, { type: "UserToken", id: "u1" }, "the token of user u1", ({ token }) => token.delete("u1", heldToken)],
  [
    10,
    { type: "SeatAssignment", id: "u1" },
    "the seat of user u1",
    ({ seat }) => seat.delete("u1", { ...kept, userId: "u1", adopted: false, confirmed: true }),
  ],
  [
    11,
    { type: "OrgUser", id: "u1" },
    "the membership of ada@acme.example (user u1)",
    ({ orgUser }) => orgUser.delete("u1", { ...member, adopted: false }),
  ],
  [
    3,
    { type: "ServiceAccount", id: "c1" },
    "the service account bot (client id c1)",
    ({ serviceAccount }) => serviceAccount.delete("c1", account),
  ],
  [
    14,
    { type: "ModelServer", id: SERVER },
    `the model server ${SERVER}`,
    (run) => run.server.delete(SERVER, server),
  ],
];

function runWith(list: readonly Named[], answer: Parameters<typeof scripted>[0] = () => ({ status: 204 })) {
  const ORGSEAT_REMOVALS = temporaryFile("removals.json");
  writeRemovals(ORGSEAT_REMOVALS, { organizationId: ORGANIZATION, removals: [...list] });
  // A count that would stop everything: it does not apply to what the list names.
  return scripted(answer, { ORGSEAT_REMOVALS, ORGSEAT_MAX_REMOVALS: "0" });
}

describe("the exact removals that a preview showed", () => {
  test.each(removals)("let call %i through where they name it", async (_, named, __, remove) => {
    const run = await runWith([named]);
    await remove(run);
    expect(run.service.calls).toHaveLength(1);
  });

  test.each(removals)("refuse call %i before anything is sent", async (_, named, who, remove) => {
    const others = removals.map(([, other]) => other).filter((other) => other !== named);
    const run = await runWith([...others, { ...named, id: "another" }]);
    const { message } = await failure(remove(run));
    expect(message).toContain(`${who} stays. The preview did not show this`);
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
  });

  test("hold for the revocation by replaceExisting", async () => {
    const hasOne = { status: 409, body: { error: { message: "has a token" } } };
    const answers = inTurn(hasOne, { status: 204 }, { body: { token: "seat-token-2" } });
    const create = (run: Run) => run.token.create({ ...token, replaceExisting: true });
    const refused = await runWith([], answers);
    expect((await failure(create(refused))).message).toContain("the token of user u1 stays");
    expect(refused.sent()).toEqual(["POST /users/u1/token"]);

    const named = await runWith([{ type: "UserToken", id: "u1" }], answers);
    await create(named);
    expect(named.sent()).toEqual(["POST /users/u1/token", "DELETE /users/u1/token", "POST /users/u1/token"]);
  });

  test("do not ask for the undo of a lost creation of a service account", async () => {
    const made = { name: "bot", client_id: "c1", org_id: ORGANIZATION };
    const again = { body: { ...made, client_id: "c2", client_secret: "secret-of-c2" } };
    const list = (...items: object[]) => ({ body: { items } });
    const run = await runWith([], inTurn(list(), { fault: "close" }, list(made), { status: 204 }, again));
    expect(await run.serviceAccount.create({ ...common, name: "bot" })).toMatchObject({ id: "c2" });
    expect(run.sent()).toContain("DELETE /service-accounts/c1");
  });

  test("do not ask for what is released and stays", async () => {
    const run = await runWith([]);
    await run.orgUser.delete("u1", { ...member, adopted: true });
    await run.server.delete(SERVER, { ...server, onDelete: "keep" });
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
  });
});
