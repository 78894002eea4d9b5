import { describe, expect, it } from "vitest";
import { onboardingResultSchema } from "../../../provider/api/schemas/schemas.ts";
import {
  type Answer,
  fieldsOf,
  type Sandbox,
  SUBSCRIPTION_END,
  startSandbox,
  temporaryFolder,
} from "./harness.ts";

const ADA = "ada@acme.example";
const GRACE = "grace@acme.example";

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
const mailsTo = async (sandbox: Sandbox, recipient: string) =>
  (await sandbox.management.outbox())
    .filter((email) => email.recipient === recipient)
    .map(({ kind }) => kind);
const idOf = async (sandbox: Sandbox, email: string) =>
  (await sandbox.management.snapshot()).users.find((user) => user.email === email)?.userId ?? "";

describe("call 4, who comes in", () => {
  it("call 4, D19: returns the counts as texts if the management side says so", async () => {
    const sandbox = await startSandbox({ seed: { seats: 3 } });
    await sandbox.management.setSwitches({ seatCounts: "text" });
    expect((await send(sandbox, ADA)).body).toMatchObject({
      total_organization_seats: "3",
      available_organization_seats: "2",
    });
  });

  it("call 4, D43: answers 422 to a bad email, with its place in the list, and adds no member", async () => {
    const sandbox = await startSandbox();
    const refused = await send(sandbox, ADA, "nobody");
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ["body.user_emails.1"]]);
    expect(fieldsOf(await sandbox.send("onboardUsers", {}, { body: {} }))).toEqual(["body.user_emails"]);
    expect(await membersOf(sandbox)).toEqual([]);
  });
});

describe("call 4, rule 2: an email with an existing account", () => {
  it("call 4, rule 2, D20: is in neither list if the management side says so", async () => {
    const sandbox = await startSandbox({ seed: { seats: 2 } });
    await sandbox.management.addAccount(ADA);
    await sandbox.management.setSwitches({ existingAccount: "neither" });
    expect(await onboard(sandbox, ADA, GRACE)).toEqual({ inProcess: [GRACE], unavailable: [], free: 1 });
    expect(await membersOf(sandbox)).toEqual([GRACE]);
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

  it("call 4, rule 5: go out for what was committed, also where the answer is lost", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ match: { call: 4 }, fault: { kind: "cut-after" } });
    await expect(send(sandbox, ADA)).rejects.toThrow();
    expect(await membersOf(sandbox)).toEqual([ADA]);
    expect(await mailsTo(sandbox, ADA)).toEqual(["welcome", "token"]);
  });
});
