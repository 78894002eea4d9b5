/** A run that takes over what exists and writes nothing (`ORGSEAT_ADOPT_ONLY=1`). */
import { describe, expect, test } from "vitest";
import { failure, ORGANIZATION, scripted } from "./scripted.ts";
import { heldAccount, kept, person, type Run, SERVER, seat, token, writes } from "./writes.ts";

const ADOPT = { ORGSEAT_ADOPT_ONLY: "1" };
const account = { name: "bot", client_id: "c1", org_id: ORGANIZATION };
const table = { name: "papers" };

describe("a run that only takes over", () => {
  test("takes over a member and a seat without a request, the seat on trust", async () => {
    const run = await scripted(() => ({ status: 500 }), ADOPT);
    const user = await run.orgUser.create({ ...person, adopt: "u1" });
    expect(user).toMatchObject({ id: "u1", outs: { adopted: true } });
    const taken = await run.seat.create({ ...seat, adopt: true });
    expect(taken).toMatchObject({ id: "u1", outs: { adopted: true, confirmed: true } });
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);

    const usual = await scripted(() => ({ status: 500 }));
    expect(await usual.seat.diff("u1", taken.outs, { ...seat, adopt: true })).toMatchObject({
      changes: false,
    });
  });

  const unconfirmed = { ...kept, adopted: true, confirmed: false };
  const papers = { ...table, schema: { columns: [{ name: "id", type: "int" }] } };
  const refused: readonly [number, string, (run: Run) => Promise<unknown>][] = [
    [1, "ServiceAccount bot", writes.createAccount],
    [3, "ServiceAccount bot", writes.deleteAccount],
    [4, "Onboarding", writes.onboard],
    [5, "OrgUser ada@acme.example", writes.addUser],
    [6, "SeatAssignment user u1", writes.assignSeat],
    [6, "SeatAssignment user u1", (run) => run.seat.update("u1", unconfirmed, { ...seat, adopt: true })],
    [8, "UserToken user u1", writes.renewToken],
    [9, "UserToken user u1", writes.revokeToken],
    [10, "SeatAssignment user u1", writes.removeSeat],
    [11, "OrgUser ada@acme.example", writes.removeUser],
    [14, `ModelServer ${SERVER}`, writes.deleteServer],
    [
      16,
      "VectorTable papers",
      async ({ table }) => table.create((await table.check({}, papers)).inputs ?? {}),
    ],
  ];
  test.each(refused)("refuses call %i before it is sent and names %s", async (_, who, write) => {
    const lists = ({ url }: { url: string }) =>
      url.endsWith("/tables") ? { body: { data: [] } } : { body: { items: [account] } };
    const run = await scripted(lists, ADOPT);
    const { message } = await failure(write(run));
    expect(message).toMatch(new RegExp(`^${who}: cannot .*: not sent: this run only adopts`));
    expect(message).toContain("ORGSEAT_ADOPT_ONLY");
    expect(run.service.calls.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("refuses a write with this reason where credentials are missing too", async () => {
    const run = await scripted(() => ({}), { ...ADOPT, ORGSEAT_CLIENT_ID: "", ORGSEAT_CLIENT_SECRET: "" });
    expect((await failure(run.orgUser.create(person))).message).toContain("ORGSEAT_ADOPT_ONLY");
  });

  test("reads as any other", async () => {
    const run = await scripted(() => ({ body: { items: [account] } }), ADOPT);
    expect(await run.serviceAccount.read("c1", heldAccount)).toMatchObject({ id: "c1" });
  });

  test("makes no token and says why, and what to declare first", async () => {
    const run = await scripted(() => ({}), ADOPT);
    const { message } = await failure(run.token.create({ ...token, replaceExisting: true }));
    expect(message).toMatch(
      /^cannot issue a token for user u1: .* the value of an existing token cannot be read/,
    );
    expect(message).toContain("Declare the person without a token first");
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
  });

  test("needs the variable: without a value call 6 makes sure of the seat", async () => {
    const run = await scripted(() => ({ status: 201 }), { ORGSEAT_ADOPT_ONLY: "" });
    await run.seat.create({ ...seat, adopt: true });
    expect(run.sent()).toEqual(["POST /users/u1/seats"]);
  });

  test("fails if the variable says something else", async () => {
    const run = await scripted(() => ({ status: 201 }), { ORGSEAT_ADOPT_ONLY: "yes" });
    expect((await failure(run.seat.create({ ...seat, adopt: true }))).message).toContain(
      "ORGSEAT_ADOPT_ONLY must be 1 or unset",
    );
    expect(run.service.calls).toEqual([]);
  });
});
