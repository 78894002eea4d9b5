import { describe, expect, it } from "vitest";
import { type CallName, codeOf, DAY_MS, startSandbox } from "./harness.ts";

const LATER = "2026-06-30";

describe("users", () => {
  it("call 5, rule 6, D6: are added with 200, names null where they are not given", async () => {
    const sandbox = await startSandbox();
    const added = await sandbox.send("createUser", {}, { body: { email: "ada@acme.example" } });
    expect(added.status).toBe(200);
    expect(added.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: "ada@acme.example",
      first_name: null,
      last_name: null,
    });
  });

  it("call 5, rule 6, limit 2: are machine users without an email, more than seats, and any number with one name", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    for (let count = 0; count < 120; count++)
      await sandbox.addUser({ first_name: "nightly", last_name: "build" });
    const { users } = await sandbox.management.snapshot();
    expect(users).toHaveLength(120);
    for (const user of users) {
      expect(user).toMatchObject({
        managed: true,
        email: null,
        firstName: "nightly",
        lastName: "build",
        seat: false,
      });
    }
  });

  it("transition: membership POST users, D17, D18: answer 409 to an email that is already a member, ignoring letter case", async () => {
    const sandbox = await startSandbox();
    await sandbox.addUser({ email: "Ada@ACME.example" });
    const refused = await sandbox.send("createUser", {}, { body: { email: "aDA@acme.EXAMPLE" } });
    expect([refused.status, codeOf(refused)]).toEqual([409, "USER_EXISTS"]);
    expect((await sandbox.management.snapshot()).users).toMatchObject([
      { email: "ada@acme.example", managed: false, seat: false },
    ]);
    const admin = await sandbox.send("createUser", {}, { body: { email: sandbox.service.seed.username } });
    expect(admin.status).toBe(409);
  });

  it("rule 9, D14: answer 409 to the removal of a user with a seat or a token, expired or not", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    await sandbox.send("assignSeat", { user_id });
    const withSeat = await sandbox.send("removeUser", { user_id });
    expect([withSeat.status, codeOf(withSeat)]).toEqual([409, "SEAT_EXISTS"]);
    await sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-01-16" } });
    await sandbox.management.advance(2 * DAY_MS);
    await sandbox.signInAccount();
    const withToken = await sandbox.send("removeUser", { user_id });
    expect([withToken.status, codeOf(withToken)]).toEqual([409, "TOKEN_EXISTS"]);
  });

  it("rule 9, transition: membership DELETE: leave by calls 9, 10, 11 in this order, each with 204", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    await sandbox.send("assignSeat", { user_id });
    await sandbox.send("issueToken", { user_id }, { body: { expires_at: LATER } });
    for (const name of ["revokeToken", "removeSeat", "removeUser"] as const) {
      const answer = await sandbox.send(name, { user_id });
      expect([name, answer.status, answer.text]).toEqual([name, 204, ""]);
    }
    expect(await sandbox.management.snapshot()).toMatchObject({ users: [], tokens: [] });
  });

  it.each<[CallName, string]>([
    ["assignSeat", "USER_NOT_FOUND"],
    ["issueToken", "USER_NOT_FOUND"],
    ["renewToken", "USER_NOT_FOUND"],
    ["revokeToken", "USER_NOT_FOUND"],
    ["removeSeat", "USER_NOT_FOUND"],
    ["removeUser", "USER_NOT_FOUND"],
  ])("D15, D44: %s of an unknown user is 404 %s", async (name, code) => {
    const sandbox = await startSandbox();
    const body = name === "issueToken" ? { expires_at: LATER } : undefined;
    const refused = await sandbox.send(name, { user_id: "nobody" }, { body });
    expect([refused.status, codeOf(refused)]).toEqual([404, code]);
  });

  it("D38: answer 402 to additions after the subscription's end", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2026-01-14" });
    const refused = await sandbox.send("createUser", {}, { body: {} });
    expect([refused.status, codeOf(refused)]).toEqual([402, "SUBSCRIPTION_EXPIRED"]);
  });
});

describe("seats", () => {
  it("transition: seat POST, D16: answer 201 to a repeated assignment, and use no second seat", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    for (const _ of [1, 2, 3]) {
      const answer = await sandbox.send("assignSeat", { user_id });
      expect([answer.status, answer.text]).toEqual([201, ""]);
    }
    expect((await sandbox.management.snapshot()).organizations[0]?.seatsHeld).toBe(1);
  });

  it("D16: answer 409 to a repeated assignment if the management side says so", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.setSwitches({ repeatSeat: "409" });
    const user_id = await sandbox.addUser();
    expect((await sandbox.send("assignSeat", { user_id })).status).toBe(201);
    const refused = await sandbox.send("assignSeat", { user_id });
    expect([refused.status, codeOf(refused)]).toEqual([409, "SEAT_ALREADY_ASSIGNED"]);
  });

  it("D16, D36: answer 402 if none is free, until seats are bought", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    const [first, second] = [await sandbox.addUser(), await sandbox.addUser()];
    await sandbox.send("assignSeat", { user_id: first });
    const refused = await sandbox.send("assignSeat", { user_id: second });
    expect([refused.status, codeOf(refused)]).toEqual([402, "NO_SEATS_AVAILABLE"]);
    expect((await sandbox.send("assignSeat", { user_id: first })).status).toBe(201);
    await sandbox.management.changeSubscription(sandbox.organizationId, { seats: 2 });
    expect((await sandbox.send("assignSeat", { user_id: second })).status).toBe(201);
  });

  it("rule 9, D14: answer 409 to a removal while a valid token exists, but not while only an expired one does", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    await sandbox.send("assignSeat", { user_id });
    await sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-01-16" } });
    const refused = await sandbox.send("removeSeat", { user_id });
    expect([refused.status, codeOf(refused)]).toEqual([409, "TOKEN_EXISTS"]);
    await sandbox.management.advance(2 * DAY_MS);
    await sandbox.signInAccount();
    expect((await sandbox.send("removeSeat", { user_id })).status).toBe(204);
  });

  it("transition: seat DELETE, D15: are available again after removal, and answer 404 to a second removal", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    const user_id = await sandbox.addUser();
    await sandbox.send("assignSeat", { user_id });
    expect((await sandbox.send("removeSeat", { user_id })).status).toBe(204);
    const refused = await sandbox.send("removeSeat", { user_id });
    expect([refused.status, codeOf(refused)]).toEqual([404, "SEAT_NOT_FOUND"]);
    expect((await sandbox.send("assignSeat", { user_id: await sandbox.addUser() })).status).toBe(201);
  });

  it("D38: answer 402 to assignments after the subscription's end", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2026-01-14" });
    expect((await sandbox.send("assignSeat", { user_id })).status).toBe(402);
  });
});
