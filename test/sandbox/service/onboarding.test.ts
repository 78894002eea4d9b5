import { expect, it } from "vitest";
import { SUBSCRIPTION_END, startSandbox, temporaryFolder } from "./harness.ts";
import { talksIn } from "./talk.ts";

talksIn("onboarding.txt");

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
