/** A run that ended after it had added a user, and lost its state: the audit log proves whose user it is. */
import { expect, test } from "vitest";
import { temporaryFile } from "../../../setup/temporary.ts";
import { address, LiveMember, LiveRun, liveOrganization, person } from "./live-member.ts";

async function started(stack = "people") {
  const organization = await liveOrganization("anaconda");
  const end = await organization.endOfSubscription();
  const log = { ORGSEAT_AUDIT_LOG: temporaryFile("audit.jsonl"), PULUMI_STACK: stack };
  const email = address("cut");
  const member = () => new LiveMember(organization);
  const run = (more: Readonly<Record<string, string>> = log) => new LiveRun(organization, more);
  return { email, end, log, member, run };
}

test("takes over a user who has no token, and adds nobody twice", async () => {
  const { email, end, member, run } = await started();
  await member().run(person(email, end, { token: undefined }), run());
  const next = member();
  expect((await next.run(person(email, end), run())).failure).toBeUndefined();
  await next.expectAsWanted(person(email, end), email);
});

test("asks about a user who has a token, because nobody else may lose it", async () => {
  const { email, end, member, run } = await started();
  const first = member();
  await first.run(person(email, end), run());
  const { failure } = await member().run(person(email, end), run());
  expect(failure?.message).toMatch(/is already a member, as user .* set `adopt: "/);
  await first.expectAsWanted(person(email, end), email);
});

test("asks where the log does not survive, or is that of another stack", async () => {
  const { email, end, log, member, run } = await started();
  await member().run(person(email, end, { token: undefined }), run());
  for (const other of [{}, { ...log, PULUMI_STACK: "others" }]) {
    const { failure } = await member().run(person(email, end), run(other));
    expect(failure?.message).toMatch(/is already a member, as user/);
  }
});
