import { expect, it } from "vitest";
import { SUBSCRIPTION_END, startSandbox, temporaryFolder } from "./harness.ts";
import { talks } from "./talk.ts";

talks(`
call 4, D19: returns the counts as texts if the management side says so
  manage.setSwitches { seatCounts: text }
  onboardUsers { body: { user_emails: [ada@acme.example] } }
    -> 200 { total_organization_seats: "2", available_organization_seats: "1" }

call 4, D43: answers 422 to a bad email, with its place in the list, and adds no member
  onboardUsers { body: { user_emails: [ada@acme.example, nobody] } } -> 422 body.user_emails.1
  onboardUsers { body: {} } -> 422 body.user_emails
  manage.snapshot -> { users: [] }

call 4, rule 2, D20: an email with an account is in neither list if the management side says so
  manage.addAccount ada@acme.example
  manage.setSwitches { existingAccount: neither }
  onboardUsers { body: { user_emails: [ada@acme.example, grace@acme.example] } } -> 200 { users_in_onboarding_process:
    [grace@acme.example], users_unavailable_for_onboarding: [], available_organization_seats: 1 }
  manage.snapshot -> { users: [{ email: grace@acme.example }] }

call 4, rule 5, D35: emails go to each admin once, and to each new user twice, welcome and token
  manage.addAdmin { organizationId: $org, username: second@acme.example, password: p }
  manage.addAdmin { organizationId: $org, username: former@acme.example, password: p }
  manage.changeAdmin former@acme.example, { admin: false }
  onboardUsers { body: { user_emails: [ada@acme.example, grace@acme.example] } }
  manage.outbox -> [{ recipient: ada@acme.example, kind: welcome }, { recipient: ada@acme.example, kind: token },
    { recipient: grace@acme.example, kind: welcome }, { recipient: grace@acme.example, kind: token },
    { recipient: $seed.username, kind: users-added, text: "/ada@acme.example, grace@acme.example/" },
    { recipient: second@acme.example, kind: users-added }]

call 4, rule 5: emails go out for what was committed, also where the answer is lost
  manage.addFaults { match: { call: 4 }, fault: { kind: cut-after } }
  onboardUsers { body: { user_emails: [ada@acme.example] } } -> ! fetch failed
  manage.snapshot -> { users: [{ email: ada@acme.example }] }
  manage.outbox -> [{ kind: welcome }, { kind: token }, { kind: users-added }]
`);

it("call 4, rule 2: an account is forgotten by a reset, and kept over a restart", async () => {
  const dataFolder = temporaryFolder();
  const first = await startSandbox({ dataFolder });
  await first.management.addAccount("ada@acme.example");
  await first.service.close();
  const sandbox = await startSandbox({ dataFolder });
  const onboard = () => sandbox.send("onboardUsers", {}, { body: { user_emails: ["ada@acme.example"] } });
  expect((await onboard()).body).toMatchObject({ users_unavailable_for_onboarding: ["ada@acme.example"] });
  await sandbox.management.reset();
  await sandbox.signIn();
  await sandbox.makeAccount();
  expect((await onboard()).body).toMatchObject({ users_in_onboarding_process: ["ada@acme.example"] });
});

it("call 4, rule 5: the second mail of a new user holds the token, which opens its seat, marker and all", async () => {
  const sandbox = await startSandbox();
  await sandbox.management.setSwitches({ secretMarker: "marked-" });
  await sandbox.send("onboardUsers", {}, { body: { user_emails: ["ada@acme.example"] } });
  const mail = (await sandbox.management.outbox()).find(({ kind }) => kind === "token");
  const token = mail?.text.split(" ").at(-1) ?? "";
  expect(token).toMatch(/^marked-/);
  const [ada] = (await sandbox.management.snapshot()).users;
  const expected = { live: true, userId: ada?.userId, expiresAt: SUBSCRIPTION_END };
  expect(await sandbox.management.probe(token)).toEqual(expected);
});
