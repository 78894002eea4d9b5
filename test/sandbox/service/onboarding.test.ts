import { describe, expect, it } from "vitest";
import { onboardingResultSchema, userSchema } from "../../../provider/api/schemas/schemas.ts";
import {
  type Answer,
  codeOf,
  fieldsOf,
  type Sandbox,
  SUBSCRIPTION_END,
  startSandbox,
  temporaryFolder,
} from "./harness.ts";

const ADA = "ada@acme.example";
const GRACE = "grace@acme.example";
const HEDY = "hedy@acme.example";

const send = (sandbox: Sandbox, ...user_emails: unknown[]): Promise<Answer> =>
  sandbox.send("onboardUsers", {}, { body: { user_emails } });

/** Sends call 4, which succeeds. @returns its two lists, and the free seats */
async function onboard(sandbox: Sandbox, ...emails: string[]) {
  const answer = await send(sandbox, ...emails);
  expect(answer.status).toBe(200);
  const result = onboardingResultSchema.parse(answer.body);
  return {
    inProcess: result.users_in_onboarding_process,
    unavailable: result.users_unavailable_for_onboarding,
    free: result.available_organization_seats,
  };
}

const membersOf = async (sandbox: Sandbox) =>
  (await sandbox.management.snapshot()).users.map(({ email }) => email);
const seatsHeld = async (sandbox: Sandbox) =>
  (await sandbox.management.snapshot()).organizations[0]?.seatsHeld;
const mailsTo = async (sandbox: Sandbox, recipient: string) =>
  (await sandbox.management.outbox())
    .filter((email) => email.recipient === recipient)
    .map(({ kind }) => kind);
const idOf = async (sandbox: Sandbox, email: string) =>
  (await sandbox.management.snapshot()).users.find((user) => user.email === email)?.userId ?? "";

describe("call 4, who comes in", () => {
  it("call 4, transition: membership POST users_auto_registration: adds people without an account as members with a seat and a token, with 200", async () => {
    const sandbox = await startSandbox({ seed: { seats: 3 } });
    const answer = await send(sandbox, ADA, GRACE);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        users_in_onboarding_process: [ADA, GRACE],
        users_unavailable_for_onboarding: [],
        total_organization_seats: 3,
        available_organization_seats: 1,
      },
    ]);
    const { users, tokens } = await sandbox.management.snapshot();
    expect(users.map(({ email, seat, managed }) => [email, seat, managed])).toEqual([
      [ADA, true, false],
      [GRACE, true, false],
    ]);
    expect(tokens.map(({ expiresAt }) => expiresAt)).toEqual([SUBSCRIPTION_END, SUBSCRIPTION_END]);
  });

  it("call 4, D19: returns the counts as texts if the management side says so", async () => {
    const sandbox = await startSandbox({ seed: { seats: 3 } });
    await sandbox.management.setSwitches({ seatCounts: "text" });
    expect((await send(sandbox, ADA)).body).toMatchObject({
      total_organization_seats: "3",
      available_organization_seats: "2",
    });
  });

  it("call 4, D18: counts an email once that occurs twice in the list, ignoring letter case", async () => {
    const sandbox = await startSandbox({ seed: { seats: 2 } });
    expect(await onboard(sandbox, ADA, "Ada@ACME.example", GRACE, ADA)).toEqual({
      inProcess: [ADA, GRACE],
      unavailable: [],
      free: 0,
    });
    expect(await seatsHeld(sandbox)).toBe(2);
    expect(await mailsTo(sandbox, ADA)).toEqual(["welcome", "token"]);
  });

  it("call 4: succeeds with an empty list, and sends no emails", async () => {
    const sandbox = await startSandbox({ seed: { seats: 2 } });
    expect(await onboard(sandbox)).toEqual({ inProcess: [], unavailable: [], free: 2 });
    expect(await sandbox.management.outbox()).toEqual([]);
  });

  it("call 4, D43: answers 422 to a bad email, with its place in the list, and adds no member", async () => {
    const sandbox = await startSandbox();
    const refused = await send(sandbox, ADA, "nobody");
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ["body.user_emails.1"]]);
    expect(fieldsOf(await sandbox.send("onboardUsers", {}, { body: {} }))).toEqual(["body.user_emails"]);
    expect(await membersOf(sandbox)).toEqual([]);
  });

  it("call 4, D38: answers 402 after the subscription's end, and adds no member", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2026-01-14" });
    const refused = await send(sandbox, ADA);
    expect([refused.status, codeOf(refused)]).toEqual([402, "SUBSCRIPTION_EXPIRED"]);
    expect(await membersOf(sandbox)).toEqual([]);
    expect(await sandbox.management.outbox()).toEqual([]);
  });

  it("call 4, D42: counts the seat and the token like those of calls 6 and 7", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    await onboard(sandbox, ADA);
    const user_id = await idOf(sandbox, ADA);
    expect((await sandbox.send("assignSeat", { user_id })).status).toBe(201);
    expect(await seatsHeld(sandbox)).toBe(1);
    const again = await sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-06-30" } });
    expect([again.status, codeOf(again)]).toEqual([409, "TOKEN_EXISTS"]);
    expect((await sandbox.send("renewToken", { user_id })).status).toBe(200);
    for (const name of ["revokeToken", "removeSeat", "removeUser"] as const) {
      expect((await sandbox.send(name, { user_id })).status).toBe(204);
    }
  });
});

describe("call 4, rule 2: an email with an existing account", () => {
  it("call 4, rule 2: is listed as unavailable, takes no seat, and gets no email if the account is its own", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    await sandbox.management.addAccount("Ada@Acme.example");
    expect(await onboard(sandbox, ADA, GRACE)).toEqual({ inProcess: [GRACE], unavailable: [ADA], free: 0 });
    expect(await membersOf(sandbox)).toEqual([GRACE]);
    expect(await mailsTo(sandbox, ADA)).toEqual([]);
  });

  it("call 4, rule 2, D20: is in neither list if the management side says so", async () => {
    const sandbox = await startSandbox({ seed: { seats: 2 } });
    await sandbox.management.addAccount(ADA);
    await sandbox.management.setSwitches({ existingAccount: "neither" });
    expect(await onboard(sandbox, ADA, GRACE)).toEqual({ inProcess: [GRACE], unavailable: [], free: 1 });
    expect(await membersOf(sandbox)).toEqual([GRACE]);
  });

  it("call 4, rule 2: a member and an admin have one, letter case aside", async () => {
    const sandbox = await startSandbox({ seed: { seats: 2 } });
    await sandbox.addUser({ email: ADA });
    const { username } = sandbox.service.seed;
    expect(await onboard(sandbox, ADA.toUpperCase(), username)).toEqual({
      inProcess: [],
      unavailable: [ADA, username],
      free: 2,
    });
    expect(await sandbox.management.outbox()).toEqual([]);
  });

  it("call 4, rule 2: is still added by call 5, and onboarded once it has left", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    const added = await sandbox.send("createUser", {}, { body: { email: ADA } });
    const user_id = userSchema.parse(added.body).id;
    expect((await onboard(sandbox, ADA)).unavailable).toEqual([ADA]);
    await sandbox.send("removeUser", { user_id });
    expect((await onboard(sandbox, ADA)).inProcess).toEqual([ADA]);
  });

  it("call 4, rule 2: is forgotten by a reset, and kept over a restart", async () => {
    const dataFolder = temporaryFolder();
    const first = await startSandbox({ dataFolder });
    await first.management.addAccount(ADA);
    await first.service.close();
    const sandbox = await startSandbox({ dataFolder });
    expect((await onboard(sandbox, ADA)).unavailable).toEqual([ADA]);
    await sandbox.management.reset();
    await sandbox.signIn();
    await sandbox.makeAccount();
    expect((await onboard(sandbox, ADA)).inProcess).toEqual([ADA]);
  });
});

describe("call 4, rule 3: seats", () => {
  it("call 4, rule 3, limit 3: run out in the order of the list, and the rest is listed as unavailable", async () => {
    const sandbox = await startSandbox({ seed: { seats: 3 } });
    const user_id = await sandbox.addUser();
    await sandbox.send("assignSeat", { user_id });
    expect(await onboard(sandbox, HEDY, ADA, GRACE)).toEqual({
      inProcess: [HEDY, ADA],
      unavailable: [GRACE],
      free: 0,
    });
    expect(await seatsHeld(sandbox)).toBe(3);
    expect(await mailsTo(sandbox, GRACE)).toEqual([]);
  });

  it("call 4, rule 3: that are bought later let the rest in, by a call of its own", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    await onboard(sandbox, ADA, GRACE);
    await sandbox.management.changeSubscription(sandbox.organizationId, { seats: 2 });
    expect(await membersOf(sandbox)).toEqual([ADA]);
    expect(await onboard(sandbox, GRACE)).toEqual({ inProcess: [GRACE], unavailable: [], free: 0 });
  });

  it("call 4, rule 3: fewer than are held are none, not less", async () => {
    const sandbox = await startSandbox({ seed: { seats: 2 } });
    await onboard(sandbox, ADA, GRACE);
    await sandbox.management.changeSubscription(sandbox.organizationId, { seats: 1 });
    expect(await onboard(sandbox, HEDY)).toEqual({ inProcess: [], unavailable: [HEDY], free: 0 });
    expect(await seatsHeld(sandbox)).toBe(2);
  });
});

describe("call 4, rule 4: a problem after the answer", () => {
  it("call 4, rule 4: does not show in it: the person stands in process and never appears", async () => {
    const sandbox = await startSandbox({ seed: { seats: 2 } });
    await sandbox.management.failOnboarding(ADA);
    expect(await onboard(sandbox, ADA, GRACE)).toEqual({
      inProcess: [ADA, GRACE],
      unavailable: [],
      free: 0,
    });
    expect(await membersOf(sandbox)).toEqual([GRACE]);
    expect(await seatsHeld(sandbox), "the seat is free again").toBe(1);
    expect(await mailsTo(sandbox, ADA)).toEqual([]);
  });
});

describe("call 4, rule 5: emails", () => {
  it("call 4, rule 5, D35: go to each admin once, and to each new user twice, welcome and token", async () => {
    const sandbox = await startSandbox({ seed: { seats: 5 } });
    const { organizationId, management, service } = sandbox;
    const second = "second@acme.example";
    await management.addAdmin({ organizationId, username: second, password: "p" });
    await management.addAdmin({ organizationId, username: "former@acme.example", password: "p" });
    await management.changeAdmin("former@acme.example", { admin: false });
    await onboard(sandbox, ADA, GRACE);
    const sent = (await management.outbox()).map(({ recipient, kind }) => `${kind}: ${recipient}`);
    expect(sent.toSorted()).toEqual(
      [
        `users-added: ${service.seed.username}`,
        `users-added: ${second}`,
        ...[ADA, GRACE].flatMap((email) => [`welcome: ${email}`, `token: ${email}`]),
      ].toSorted(),
    );
    const toAdmin = (await management.outbox()).find(({ kind }) => kind === "users-added");
    expect(toAdmin?.text).toContain(`${ADA}, ${GRACE}`);
  });

  it("call 4, rule 5: the second of a new user holds the token, which opens its seat, marker and all", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.setSwitches({ secretMarker: "marked-" });
    await onboard(sandbox, ADA);
    const mail = (await sandbox.management.outbox()).find(({ kind }) => kind === "token");
    const token = mail?.text.split(" ").at(-1) ?? "";
    expect(token).toMatch(/^marked-/);
    expect(await sandbox.management.probe(token)).toEqual({
      live: true,
      userId: await idOf(sandbox, ADA),
      expiresAt: SUBSCRIPTION_END,
    });
  });

  it("call 4, rule 5: a second call with a member sends no emails", async () => {
    const sandbox = await startSandbox({ seed: { seats: 5 } });
    await onboard(sandbox, ADA);
    const sent = await sandbox.management.outbox();
    expect(await onboard(sandbox, ADA)).toEqual({ inProcess: [], unavailable: [ADA], free: 4 });
    expect(await sandbox.management.outbox()).toEqual(sent);
    await onboard(sandbox, ADA, GRACE);
    expect(await mailsTo(sandbox, ADA)).toEqual(["welcome", "token"]);
    expect(await mailsTo(sandbox, GRACE)).toEqual(["welcome", "token"]);
  });

  it("call 4, rule 5: go out for what was committed, also where the answer is lost", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ match: { call: 4 }, fault: { kind: "cut-after" } });
    await expect(send(sandbox, ADA)).rejects.toThrow();
    expect(await membersOf(sandbox)).toEqual([ADA]);
    expect(await mailsTo(sandbox, ADA)).toEqual(["welcome", "token"]);
  });
});
