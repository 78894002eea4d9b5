/** Adopted tokens: revoked by their id when people leave, replaced by a rotation. */
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import type { Preview } from "../../command/preview/preview.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { heldSchema } from "../../provider/member/held.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { DAY_MS, formatInstant } from "../../provider/util/instants.ts";
import { directFixture, Fixture } from "./fixture.ts";
import { type NewPerson, type NewRoster, person } from "./people.ts";

const [ada, bob] = [person("ada"), person("bob")];
const EMAIL = "ada@acme.example";

/** An organization of members whom orgseat has adopted. */
class Adopted extends Fixture {
  /** The user id of Ada. */
  id = "";

  static async of(): Promise<Adopted> {
    const { sandbox, ...parts } = await directFixture(10, "anaconda");
    const acme = new Adopted(sandbox, parts);
    acme.id = await acme.makeMember(ada);
    await acme.makeMember(bob);
    const adopted = await adoptAll(await acme.open([]), { onDelete: "delete" });
    expect(adopted.status).toBe("succeeded");
    return acme;
  }

  override rosterOf(people: readonly NewPerson[]): NewRoster {
    const { subscriptionExpiresAt } = this.sandbox.service.seed;
    return super.rosterOf(people, { subscriptionExpiresAt });
  }

  async liveTokens(): Promise<string[]> {
    const { tokens } = await this.sandbox.service.management.snapshot();
    return tokens.filter((one) => one.userId === this.id && !one.revoked).map(({ tokenId }) => tokenId);
  }

  /** Someone revokes Ada's token, and removes her, too. */
  async revoke({ removes = false } = {}): Promise<void> {
    await this.behindOurBack(async (api, operation) => {
      const [token] = requireList(await api.listTokens(this.id, operation));
      await api.revokeToken(this.id, operation, token?.id);
      if (!removes) return;
      await api.removeSeat(this.id, operation);
      await api.removeUser(this.id, operation);
    });
    await this.sandbox.requests();
  }

  /** The state has Ada's token no more, as after a restored backup. */
  async lose(): Promise<void> {
    const { stack } = await this.open();
    this.engine.rewrite(stack, (recorded) => {
      const held = heldSchema.parse(recorded.outs.held);
      const users = held.users.map((user) => (user.id === this.id ? { ...user, tokens: [] } : user));
      return { ...recorded, outs: { ...recorded.outs, held: { ...held, users } } };
    });
    await this.sandbox.requests();
  }

  /** The roster with Ada's row as someone edits it. */
  async edited(fields: Partial<NewPerson>): Promise<NewRoster> {
    const { roster } = await this.open();
    return {
      ...roster,
      people: roster.people.map((one) => (one.email === EMAIL ? { ...one, ...fields } : one)),
    };
  }

  async issue(expiresAt: string): Promise<void> {
    await this.behindOurBack((api, operation) => api.issueToken(this.id, expiresAt, operation));
  }

  /** A date before the subscription's end. */
  get early(): string {
    return formatInstant(Date.parse(this.sandbox.service.seed.subscriptionExpiresAt) - 30 * DAY_MS);
  }

  /** The calls that change members. */
  async writes(): Promise<number[]> {
    return (await this.calls()).filter((call) => call >= 5 && call <= 11);
  }
}

const refresh = { refresh: true } as const;
const actionsIn = ({ plan }: Preview) => plan.members.flatMap(({ actions }) => actions);

test("rotate replaces an adopted token, and the next preview is empty", async () => {
  const acme = await Adopted.of();
  const before = await acme.liveTokens();
  expect((await rotateTokens(await acme.open(), [EMAIL], {})).status).toBe("succeeded");
  const after = await acme.liveTokens();
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
  const preview = await acme.preview(undefined, refresh);
  expect({ hasChanges: preview.plan.hasChanges, found: preview.drift.members?.findings }).toEqual({
    ...{ hasChanges: false, found: [] },
  });
});

test("refuses a row in preview --refresh whose member is gone, in the words of the roster", async () => {
  const acme = await Adopted.of();
  await acme.revoke({ removes: true });

  const { preview, status } = await acme.up(undefined, refresh);

  expect(preview.violations).toMatchObject([
    { guard: "wrong-user-id", people: [EMAIL], details: [`${EMAIL}: user ${acme.id}`] },
  ]);
  expect(preview.violations[0]?.text).toContain("To add them again, remove `user_id`");
  expect(status).toBe("blocked");
  const requests = (await acme.sandbox.requests()).filter(({ call }) => call !== "token");
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("plans and issues in up --refresh a token to adopt that does not exist, and never says that it adopts", async () => {
  const acme = await Adopted.of();
  await acme.revoke();

  const { preview, applied, status } = await acme.up(undefined, refresh);

  expect(status).toBe("succeeded");
  expect(actionsIn(preview)).toEqual(["issueToken", "note"]);
  expect(applied?.results[0]?.entries).toContainEqual(
    expect.objectContaining({ operation: "issue token", result: "done" }),
  );
  expect(await acme.writes()).toEqual([7]);
  expect(await acme.liveTokens()).toHaveLength(1);
});

test("replaces an adopted token after a refused replacement, which left it valid, and adopts no other one", async () => {
  const acme = await Adopted.of();
  const [own] = await acme.liveTokens();
  await acme.issue(acme.early);
  const other = (await acme.liveTokens()).find((id) => id !== own);
  const sealed = await acme.edited({
    recipients: [await identityToRecipient(await generateX25519Identity())],
  });
  await acme.refuse(7, 402);
  expect((await acme.up(sealed)).status).toBe("failed");
  await acme.sandbox.service.management.clearFaults();
  expect(await acme.liveTokens()).toEqual([own, other]);

  const { preview, status } = await acme.up(sealed);

  expect(actionsIn(preview)).toEqual(["exchangeToken"]);
  expect(status).toBe("succeeded");
  const live = await acme.liveTokens();
  expect(live).toEqual([other, expect.any(String)]);
  expect(live).not.toContain(own);
});

test("says in up --refresh that a user has a token that the state does not contain, and issues no other one", async () => {
  const acme = await Adopted.of();
  await acme.lose();
  const plain = await acme.edited({ adoptToken: undefined });

  const { applied } = await acme.up(plain, refresh);

  expect(applied?.results).toMatchObject([
    {
      code: "token-undecided",
      text: expect.stringMatching(
        /Revoke it in the service, or write \S+ into `user_id` of the row, and `token: adopt`$/,
      ),
    },
  ]);
  expect(await acme.writes()).toEqual([]);
  expect(await acme.liveTokens()).toHaveLength(1);
});

test("adopt takes a token under management that a member issued by hand", async () => {
  const { sandbox, ...parts } = await directFixture(10, "anaconda");
  const acme = new Adopted(sandbox, parts);
  expect((await acme.up([{ ...ada, token: false }, bob])).status).toBe("succeeded");
  acme.id = (await acme.userIds(await acme.open())).get("ada") ?? "";
  await acme.issue(sandbox.service.seed.subscriptionExpiresAt);
  await sandbox.requests();

  expect(await adoptAll(await acme.open([ada, bob]), {})).toMatchObject({ status: "succeeded", notes: [] });
  expect(await acme.writes()).toEqual([]);
  const after = await acme.preview(undefined, refresh);
  expect(actionsIn(after)).toEqual([]);
  expect((await acme.up()).status).toBe("succeeded");
  expect(await acme.liveTokens()).toHaveLength(1);
});

test("says in preview --refresh that a member is in no state, and names what to write", async () => {
  const acme = await Adopted.of();
  const dan = person("dan");
  const id = await acme.makeMember(dan);
  const { roster } = await acme.open();
  const preview = await acme.preview({ ...roster, people: [...roster.people, dan] }, refresh);
  expect(actionsIn(preview)).toEqual(["undecided"]);
  expect(preview.plan.members.flatMap(({ reasons }) => reasons)).toEqual([
    `dan@acme.example is already a member, as user ${id}. To adopt the membership, set \`user_id\` to this id`,
  ]);
});
