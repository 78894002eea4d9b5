/** Adopted tokens: revoked by their id when people leave, replaced by a rotation. */
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { outcomeWithout } from "../../command/engine/engine.ts";
import { describePlanned } from "../../command/plan/steps/actions.ts";
import { countsOf } from "../../command/plan/texts/counts.ts";
import { previewAll } from "../../command/preview/preview.ts";
import { membersOfService } from "../../command/service/service-members.ts";
import { withUnmanaged } from "../../command/service/unmanaged.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { DAY_MS, formatInstant } from "../../provider/util/instants.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture, type Fixture } from "./fixture.ts";

const ada = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };
const bob = { ...ada, key: "bob", email: "bob@acme.example" };

async function adopted(): Promise<{ fixture: Fixture; ids: Record<"ada" | "bob", string> }> {
  const fixture = await directFixture(10, "anaconda");
  const ids = { ada: await fixture.makeMember(ada), bob: await fixture.makeMember(bob) };
  const { organizationId } = fixture;
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const organization = await fixture.open({ organizationId, subscriptionExpiresAt, people: [] });
  expect((await adoptAll(organization, { onDelete: "delete" })).status).toBe("succeeded");
  return { fixture, ids };
}

async function liveTokens({ sandbox: { service } }: Fixture, userId: string): Promise<string[]> {
  const { tokens } = await service.management.snapshot();
  return tokens.filter((one) => one.userId === userId && !one.revoked).map(({ tokenId }) => tokenId);
}

test("offboard revokes an adopted token by its id, and removes seat and membership", async () => {
  const { fixture, ids } = await adopted();
  const result = await offboardPeople(await fixture.reopen(), [ada.email], {});
  expect(result).toMatchObject({ status: "succeeded", revoked: [{ userId: ids.ada, outcome: "revoked" }] });
  const users = await fixture.behindOurBack((api, operation) => api.listUsers(operation));
  expect(users.map(({ email }) => email)).not.toContain(ada.email);
  expect(await liveTokens(fixture, ids.bob)).toHaveLength(1);
});

test("rotate replaces an adopted token, and the next preview is empty", async () => {
  const { fixture, ids } = await adopted();
  const before = await liveTokens(fixture, ids.ada);
  expect((await rotateTokens(await fixture.reopen(), [ada.email], {})).status).toBe("succeeded");
  const after = await liveTokens(fixture, ids.ada);
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
  const preview = await previewAll(await fixture.reopen(), { refresh: true });
  expect({ hasChanges: preview.plan.hasChanges, found: preview.drift.members?.findings }).toEqual({
    ...{ hasChanges: false, found: [] },
  });
});

test("refuses a row in preview --refresh whose member is gone, in the words of the roster", async () => {
  const { fixture, ids } = await adopted();
  await fixture.behindOurBack(async (api, operation) => {
    const [token] = await api.listTokens(ids.ada, operation);
    await api.revokeToken(ids.ada, operation, token?.id);
    await api.removeSeat(ids.ada, operation);
    await api.removeUser(ids.ada, operation);
  });
  await fixture.sandbox.requests();

  const { violations } = await previewAll(await fixture.reopen(), { refresh: true });
  const { status } = await upAll(await fixture.reopen(), { refresh: true });

  expect(violations).toMatchObject([
    { guard: "wrong-user-id", people: [ada.email], details: [`${ada.email}: user ${ids.ada}`] },
  ]);
  expect(violations[0]?.text).toContain("To add them again, remove `user_id`");
  expect(status).toBe("blocked");
  const requests = (await fixture.sandbox.requests()).filter(({ call }) => call !== "token");
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("plans and issues in up --refresh a token to adopt that does not exist, and never says that it adopts", async () => {
  const { fixture, ids } = await adopted();
  await fixture.behindOurBack(async (api, operation) => {
    const [token] = await api.listTokens(ids.ada, operation);
    await api.revokeToken(ids.ada, operation, token?.id);
  });
  await fixture.sandbox.requests();

  const { preview, applied, status } = await upAll(await fixture.reopen(), { refresh: true });

  expect(status).toBe("succeeded");
  expect(preview.plan.members.flatMap(({ actions }) => actions)).toEqual(["issueMissingToken"]);
  expect(describePlanned(["issueMissingToken"])).toBe("issue token (none exists)");
  expect(applied?.results).toMatchObject([{ entries: [{ operation: "issue token", result: "done" }] }]);
  expect((await fixture.done()).filter(({ call }) => call === 7)).toHaveLength(1);
  expect(await liveTokens(fixture, ids.ada)).toHaveLength(1);
});

test("issues no token if the plan says that up adopts one, and asks for --refresh", async () => {
  const { fixture, ids } = await adopted();
  await fixture.behindOurBack(async (api, operation) => {
    const [token] = await api.listTokens(ids.ada, operation);
    await api.revokeToken(ids.ada, operation, token?.id);
  });
  const [stack = ""] = (await fixture.reopen()).stacks;
  if (fixture.engine instanceof DirectEngine) fixture.engine.lose(stack, `${ada.email}-token`);
  await fixture.sandbox.requests();

  const { preview, applied, status } = await upAll(await fixture.reopen(), {});

  expect(preview.plan.members.flatMap(({ actions }) => actions)).toEqual(["adoptToken"]);
  expect({ status, text: applied?.results[0]?.text }).toEqual({
    status: "failed",
    text: expect.stringContaining(
      'the plan does not contain "issue token". Run the preview again with --refresh',
    ),
  });
  expect((await fixture.done()).filter(({ call }) => call === 7)).toEqual([]);
});

test("replaces an adopted token after a refused replacement, which left it valid, and adopts no other one", async () => {
  const { fixture, ids } = await adopted();
  const [own] = await liveTokens(fixture, ids.ada);
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const early = formatInstant(Date.parse(subscriptionExpiresAt) - 30 * DAY_MS);
  const other = await fixture.behindOurBack(async (api, operation) => {
    const before = new Set((await api.listTokens(ids.ada, operation)).map((token) => token.id));
    await api.issueToken(ids.ada, early, operation);
    return (await api.listTokens(ids.ada, operation)).find((token) => !before.has(token.id))?.id;
  });
  const recipient = await identityToRecipient(await generateX25519Identity());
  const { roster } = await fixture.reopen();
  const people = roster.people.map((one) =>
    one.email === ada.email ? { ...one, recipients: [recipient] } : one,
  );
  const sealed = { ...roster, people };
  const { management } = fixture.sandbox.service;
  await management.addFaults({ match: { call: 7 }, times: "always", fault: { kind: "refuse", status: 402 } });
  expect((await upAll(await fixture.open(sealed), {})).status).toBe("failed");
  await management.clearFaults();
  expect(await liveTokens(fixture, ids.ada)).toEqual([own, other]);

  const { preview, status } = await upAll(await fixture.open(sealed), {});

  expect(preview.plan.members.flatMap(({ actions }) => actions)).toEqual(["exchangeToken"]);
  expect(status).toBe("succeeded");
  const live = await liveTokens(fixture, ids.ada);
  expect(live).toEqual([other, expect.any(String)]);
  expect(live).not.toContain(own);
});

test("warns in preview --refresh of a token that no state contains, and issues no other one", async () => {
  const { fixture, ids } = await adopted();
  const [stack = ""] = (await fixture.reopen()).stacks;
  if (fixture.engine instanceof DirectEngine) fixture.engine.lose(stack, `${ada.email}-token`);
  const { roster } = await fixture.reopen();
  const people = roster.people.map((one) =>
    one.email === ada.email ? { ...one, adoptToken: undefined } : one,
  );
  const plain = { ...roster, people };
  await fixture.sandbox.requests();

  const { diagnostics } = await previewAll(await fixture.open(plain), { refresh: true });
  const { applied } = await upAll(await fixture.open(plain), {});

  expect(diagnostics.map((one) => one.text)).toContainEqual(
    expect.stringMatching(
      /has a token that no state contains: .* or set `user_id` and `token: adopt` in the row/,
    ),
  );
  expect(applied?.results).toMatchObject([
    {
      code: "token-undecided",
      text: expect.stringContaining("`token: adopt`; if not, revoke it in the service"),
    },
  ]);
  expect((await fixture.done()).filter(({ call }) => call >= 5 && call <= 11)).toEqual([]);
  expect(await liveTokens(fixture, ids.ada)).toHaveLength(1);
});

test("warns of no token that no state contains if the program adopts it by its id", async () => {
  const { fixture, ids } = await adopted();
  const [stack = ""] = (await fixture.reopen()).stacks;
  if (fixture.engine instanceof DirectEngine) fixture.engine.lose(stack, `${ada.email}-token`);
  const organization = await fixture.reopen();
  const members = await membersOfService(organization, { tokensOf: () => [ids.ada] });
  const { plan } = await previewAll(organization, {});
  const step = plan.steps.find(({ type, action }) => type === "UserToken" && action === "create");
  if (step === undefined) throw new Error("the token is adopted again");
  const [id] = await liveTokens(fixture, ids.ada);
  const warningsOf = async (adopt: unknown) => {
    const declared = { ...step, news: { ...step.news, userId: ids.ada, adopt } };
    const outcome = { ...outcomeWithout(stack, { code: "pulumi-failed", text: "" }), steps: [declared] };
    const [checked] = await withUnmanaged({ ...organization, members }, [outcome], undefined);
    return checked?.diagnostics.map(({ text }) => text);
  };

  expect(await warningsOf(undefined)).toEqual([
    expect.stringContaining("has a token that no state contains"),
  ]);
  expect(await warningsOf(id)).toEqual([]);
  expect(await warningsOf(true)).toEqual([]);
});

test("plans nothing for a token that a member issued by hand, and adopt takes it under management", async () => {
  const fixture = await directFixture(10, "anaconda");
  const { organizationId } = fixture;
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const without = { organizationId, subscriptionExpiresAt, people: [{ ...ada, token: false }, bob] };
  expect((await upAll(await fixture.open(without), {})).status).toBe("succeeded");
  const users = await fixture.behindOurBack((api, operation) => api.listUsers(operation));
  const id = users.find(({ email }) => email === ada.email)?.id ?? "";
  await fixture.behindOurBack((api, operation) => api.issueToken(id, subscriptionExpiresAt, operation));
  const wanted = { ...without, people: [ada, bob] };
  await fixture.sandbox.requests();

  const { plan, warnings } = await previewAll(await fixture.open(wanted), { refresh: true });
  expect(plan.members.flatMap(({ actions }) => actions)).toEqual(["undecided"]);
  expect(countsOf(plan)).toMatchObject({ tokensIssued: 0, undecided: 1 });
  expect(warnings.map(({ text }) => text).join()).toContain("run `orgseat adopt`");
  const { applied } = await upAll(await fixture.reopen(), { refresh: true });
  expect(applied?.results).toMatchObject([
    { code: "token-undecided", entries: [{ operation: "wait for a decision", result: "failed" }] },
  ]);

  expect(await adoptAll(await fixture.reopen(), {})).toMatchObject({ status: "succeeded", notes: [] });
  expect((await fixture.done()).filter(({ call }) => call >= 5 && call <= 11)).toEqual([]);
  const after = await previewAll(await fixture.reopen(), { refresh: true });
  expect(after.plan.members.flatMap(({ actions }) => actions).filter((one) => one !== "note")).toEqual([]);
  expect((await upAll(await fixture.reopen(), {})).status).toBe("succeeded");
  expect(await liveTokens(fixture, id)).toHaveLength(1);
});

test("warns in preview --refresh of a token with another date, which the new one may end", async () => {
  const fixture = await directFixture(10, "anaconda");
  const { organizationId } = fixture;
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const id = await fixture.makeMember({ ...ada, token: false });
  const early = formatInstant(Date.parse(subscriptionExpiresAt) - 30 * DAY_MS);
  await fixture.behindOurBack((api, operation) => api.issueToken(id, early, operation));
  const people = [{ ...ada, userId: id }];
  const roster = { organizationId, subscriptionExpiresAt, people };
  const { plan, warnings } = await previewAll(await fixture.open(roster), { refresh: true });
  expect(countsOf(plan)).toMatchObject({ undecided: 0 });
  expect(warnings.map(({ text }) => text).join()).toContain("The new token may end it");
});

test("warns in preview --refresh of a member in no state, and names what to write", async () => {
  const { fixture } = await adopted();
  const dan = { ...ada, key: "dan", email: "dan@acme.example" };
  const id = await fixture.makeMember(dan);
  const { roster } = await fixture.reopen();
  const { diagnostics, plan } = await previewAll(
    await fixture.open({ ...roster, people: [...roster.people, dan] }),
    { refresh: true },
  );
  expect(plan.members.flatMap(({ actions }) => actions)).toEqual(["undecided"]);
  expect(diagnostics.map((one) => one.text)).toContainEqual(
    expect.stringContaining(`dan@acme.example is already a member of the organization (user ${id})`),
  );
});
