/** Every write, under the list of what a preview showed (`ORGSEAT_APPROVED_CHANGES`). */
import { describe, expect, test } from "vitest";
import { userSubject } from "../../provider/resources/resource-types.ts";
import { approved, type ShownChange } from "../setup/shown-changes.ts";
import { common, failure, inTurn, ORGANIZATION, scripted } from "./scripted.ts";
import { heldServer, heldToken, heldUser, type Run, SERVER, token, writes } from "./writes.ts";

type Named = Pick<Extract<ShownChange, { action: "delete" }>, "type" | "id">;

const removals: readonly [call: number, Named, who: string, (run: Run) => Promise<unknown>][] = [
  [9, { type: "UserToken", id: "u1" }, "the token of user u1", writes.revokeToken],
  [10, { type: "SeatAssignment", id: "u1" }, "the seat of user u1", writes.removeSeat],
  [11, { type: "OrgUser", id: "u1" }, "the membership of ada@acme.example (user u1)", writes.removeUser],
  [3, { type: "ServiceAccount", id: "c1" }, "the service account bot (client id c1)", writes.deleteAccount],
  [14, { type: "ModelServer", id: SERVER }, `the model server ${SERVER}`, writes.deleteServer],
];

type Answer = Parameters<typeof scripted>[0];

function runWith(changes: readonly ShownChange[], answer: Answer = () => ({ status: 204 })) {
  // A count that would refuse every removal: it does not apply if there is a list.
  return scripted(answer, { ...approved(ORGANIZATION, changes), ORGSEAT_MAX_REMOVALS: "0" });
}

function removing(list: readonly Named[]): ShownChange[] {
  return list.map((named) => ({ action: "delete", ...named }));
}

async function expectRefused(run: Run, work: Promise<unknown>, what: string): Promise<void> {
  const { message } = await failure(work);
  expect(message).toContain(
    `${what}: the preview did not show this change, and something has changed since.`,
  );
  expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
}

describe("a run with approved changes", () => {
  test.each(removals)("needs the deletion in its list for call %i", async (_, named, who, remove) => {
    const approving = await runWith(removing([named]));
    await remove(approving);
    expect(approving.service.calls).toHaveLength(1);
    const others = removals.map(([, other]) => other).filter((other) => other !== named);
    const run = await runWith(removing([...others, { ...named, id: "another" }]));
    await expectRefused(run, remove(run), `cannot delete ${who}`);
  });

  test("asks for the revocation by replaceExisting", async () => {
    const hasOne = { status: 409, body: { error: { message: "has a token" } } };
    const answers = inTurn(hasOne, { status: 204 }, { body: { token: "seat-token-2" } });
    const created = { action: "create", type: "UserToken", subject: userSubject("u1") } as const;
    const create = (run: Run) => run.token.create({ ...token, replaceExisting: true });
    const refused = await runWith([created], answers);
    expect((await failure(create(refused))).message).toContain("cannot delete the token of user u1");
    expect(refused.sent()).toEqual(["POST /users/u1/token"]);

    const named = await runWith([created, ...removing([{ type: "UserToken", id: "u1" }])], answers);
    await create(named);
    expect(named.sent()).toEqual(["POST /users/u1/token", "DELETE /users/u1/token", "POST /users/u1/token"]);
  });

  test("needs no approval for the undo of a lost creation of a service account", async () => {
    const made = { name: "bot", client_id: "c1", org_id: ORGANIZATION };
    const again = { body: { ...made, client_id: "c2", client_secret: "secret-of-c2" } };
    const list = (...items: object[]) => ({ body: { items } });
    const created = { action: "create", type: "ServiceAccount", subject: '"bot"' } as const;
    const run = await runWith(
      [created],
      inTurn(list(), { fault: "close" }, list(made), { status: 204 }, again),
    );
    expect(await run.serviceAccount.create({ ...common, name: "bot" })).toMatchObject({ id: "c2" });
    expect(run.sent()).toContain("DELETE /service-accounts/c1");
  });

  test("refuses what would only be forgotten, too", async () => {
    const run = await runWith([]);
    await expectRefused(
      run,
      run.orgUser.delete("u1", { ...heldUser, adopted: true }),
      "cannot delete the membership of ada@acme.example (user u1)",
    );
    await expectRefused(
      run,
      run.server.delete(SERVER, { ...heldServer, onDelete: "retain" }),
      `cannot delete the model server ${SERVER}`,
    );
  });

  test("refuses every creation before anything is sent", async () => {
    const run = await runWith([]);
    const table = { name: "docs" };
    const creations = [
      [writes.addUser(run), "the membership of ada@acme.example"],
      [writes.assignSeat(run), "the seat of user u1"],
      [writes.issueToken(run), "the token of user u1"],
      [writes.createAccount(run), "the service account bot"],
      [writes.onboard(run), "the onboarding"],
      [run.server.create({ serverId: SERVER, onDelete: "retain" }), `the model server ${SERVER}`],
      [run.table.create(table), "the vector table docs"],
    ] as const;
    for (const [work, what] of creations) await expectRefused(run, work, `cannot create ${what}`);
  });

  test("mails nobody whom the preview did not show", async () => {
    const emails = ["ada@acme.example"];
    const olds = {
      ...{ ...common, emails, stateVersion: 1, statuses: { "ada@acme.example": "inProcess" } },
      ...{ formerStatuses: {}, possibleMembers: [], totalSeats: null, availableSeats: null },
    };
    const run = await runWith([
      { action: "update", type: "Onboarding", id: "o1", writes: ["bob@acme.example"] },
    ]);
    const news = { ...common, emails: [...emails, "bob@acme.example", "eve@acme.example"] };
    await expectRefused(run, run.onboarding.update("o1", olds, news), "cannot update the onboarding");
  });

  test("makes an update of a replacement that was not shown and would delete first, and refuses that", async () => {
    const run = await runWith([{ action: "update", type: "UserToken", id: "u1", writes: [] }]);
    const rotated = { ...token, rotation: "2" };
    expect(await run.token.diff("u1", heldToken, rotated)).toMatchObject({ changes: true, replaces: [] });
    await expectRefused(
      run,
      run.token.update("u1", heldToken, rotated),
      "cannot update the token of user u1",
    );
  });
});

test("a limit of no removals lets service accounts and model servers go", async () => {
  const run = await scripted(() => ({ status: 204 }), { ORGSEAT_MAX_REMOVALS: "0" });
  await writes.deleteAccount(run);
  await writes.deleteServer(run);
  expect(run.service.calls).toHaveLength(2);
  expect((await failure(writes.revokeToken(run))).message).toContain("limit 0");
});
