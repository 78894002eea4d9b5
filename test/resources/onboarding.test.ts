/** onboarding.txt, and what no text can show: lists of many emails, and the way to remove a person, as it is printed. */
import { expect, test } from "vitest";
import { exchanges } from "./exchange.ts";
import { organizationOn } from "./listed.ts";
import { common, type Props, scripted } from "./scripted.ts";

const ADA = "ada@acme.example";
const inputsOf = (count: number) => ({
  ...common,
  emails: Array.from({ length: count }, (_, index) => `p${index}@acme.example`),
});

exchanges("onboarding.txt");

test("the preview names ten thousand people by twenty and their number", async () => {
  const run = await scripted(() => ({}));
  await run.onboarding.check({}, inputsOf(10_000));
  expect(run.messages[0]?.text).toMatch(
    /onboard 10,000 people: p0@acme\.example, .*p19@acme\.example, and 9,980 more\./,
  );
});

test("D45: a creation whose answer is lost and whose state is too large for a failure is kept, with a warning", async () => {
  const run = await scripted(() => ({ fault: "close" }));
  const inputs = inputsOf(700);
  const { id, outs = {} } = await run.onboarding.create(inputs);
  expect(new Set(Object.values(outs.statuses))).toEqual(new Set(["unknown"]));
  expect(run.messages.map(({ text }) => text)).toEqual([
    expect.stringMatching(/may have onboarded.*too large to be kept in an error/),
  ]);
  await run.onboarding.update(id, outs, inputs);
  expect(run.service.calls).toHaveLength(1);
  const again = await run.onboarding.update(id, outs, { ...inputs, resend: 1 });
  expect(again.outs).toMatchObject({ resend: "1" });
  expect(run.service.calls).toHaveLength(2);
});

test("an Onboarding names everybody it let in when removed or emptied, since nothing names them again", async () => {
  const run = await scripted(() => ({}));
  const { emails, ...inputs } = inputsOf(100);
  const statuses = Object.fromEntries(emails.map((email) => [email, "inProcess"]));
  const recorded = {
    stateVersion: 1,
    formerStatuses: {},
    possibleMembers: [],
    totalSeats: 5,
    availableSeats: 3,
  };
  const olds = { ...inputs, ...recorded, emails, statuses };
  await run.onboarding.delete("o1", olds);
  await run.onboarding.diff("o1", olds, { ...inputs, emails: [] });
  expect(run.messages.map(({ text }) => text)).toEqual(
    Array(2).fill(expect.stringContaining(`: ${emails.join(", ")}. `)),
  );
});

test("an Onboarding ends with a way to remove a person that leaves nothing of the person", async () => {
  const organization = await organizationOn("anaconda");
  const { management } = organization.service;
  const stack = organization.stack();
  await stack.up([{ type: "Onboarding", name: "team", args: { emails: [ADA] } }]);
  const warnings = (await stack.up([])).messages.map(({ text }) => text).join("\n");
  const [, declared = ""] = /new OrgMember\("<name>", (\{.*?\})\)/.exec(warnings) ?? [];
  expect(warnings).toContain("`pulumi up`; `getUsers` lists the user ID. Then remove that line");
  expect(warnings).toContain("`pulumi up` again, which revokes all tokens of the person.");
  const userIds = async () =>
    (await management.snapshot()).users.flatMap(({ email, userId }) => (email === ADA ? [userId] : []));
  const [userId = ""] = await userIds();
  const json = declared
    .replace(/(\w+): /g, '"$1": ')
    .replace("<email>", ADA)
    .replace("<user id>", userId);
  const args: Props = JSON.parse(json);
  expect((await stack.up([{ type: "OrgMember", name: "leaver", args }])).errors).toEqual([]);
  expect((await stack.up([])).errors).toEqual([]);
  expect(await userIds()).toEqual([]);
  expect(
    (await management.snapshot()).tokens.filter((token) => token.userId === userId && !token.revoked),
  ).toEqual([]);
});
