/** What a refresh reads of the tokens: a budget over HTTP, and nothing claimed of those that it does not read. */
import { describe, expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import type { Preview } from "../../command/preview/preview.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { directFixture, Fixture } from "./fixture.ts";
import { crowd } from "./people.ts";
import { WatchedEngine } from "./watched-engine.ts";

const PEOPLE = 300;
/** 90 is the budget, so the others have their turn in four days. */
const A_DAY = 75;

/** An organization whose people all have a token. */
async function organizationOf(count: number): Promise<Listed> {
  const { sandbox, ...parts } = await directFixture(count + 100, "anaconda");
  const engine = new WatchedEngine(parts.environment);
  const acme = new Listed(sandbox, { ...parts, engine });
  const people = crowd(count);
  const { subscriptionExpiresAt } = sandbox.service.seed;
  const { status } = await acme.up(acme.rosterOf(people, { subscriptionExpiresAt }));
  expect(status).toBe("succeeded");
  engine.runs.length = 0;
  return acme;
}

class Listed extends Fixture {
  declare readonly engine: WatchedEngine;

  /** What a command reads: the number of its GET requests, and the keys of the people whose tokens it lists. */
  async readsOf<T>(work: () => Promise<T>): Promise<{ result: T; reads: number; listed: string[] }> {
    await this.sandbox.requests();
    const result = await work();
    const requests = (await this.sandbox.requests()).filter(({ method }) => method === "GET");
    const ids = await this.userIds(await this.open());
    const listed = [...ids].flatMap(([key, id]) =>
      requests.some(({ path }) => path.includes(`/${id}/tokens`)) ? key : [],
    );
    return { result, reads: requests.length, listed };
  }

  async revoke(key: string): Promise<void> {
    const userId = (await this.userIds(await this.open())).get(key) ?? "";
    await this.behindOurBack(async (api, operation) => {
      const [token] = requireList(await api.listTokens(userId, operation));
      await api.revokeToken(userId, operation, token?.id);
    });
  }
}

function findingsOf({ drift }: Preview): string[] {
  return (drift.members?.findings ?? []).map(({ key, kind }) => `${key} ${kind}`).toSorted();
}

function changesOf({ plan }: Preview): string[] {
  return plan.entries.flatMap(({ operation, key }) =>
    operation === "update state" ? [] : `${operation} ${key}`,
  );
}

describe("a refresh", () => {
  const budget = { refresh: true, refreshTokens: 4 } as const;

  test(`makes at most 100 reads for ${PEOPLE} people, and no run of Pulumi, if nothing changed, and all reads with \`all\``, async () => {
    const acme = await organizationOf(PEOPLE);

    const first = await acme.readsOf(() => acme.preview(undefined, { refresh: true }));
    expect(first.reads).toBe(1 + A_DAY);
    expect(first.listed).toHaveLength(A_DAY);
    expect(first.result.drift).toMatchObject({
      ...{ verified: 3 * PEOPLE - (PEOPLE - A_DAY), unverifiable: 0 },
      ...{ readTokens: A_DAY, unreadTokens: PEOPLE - A_DAY },
    });
    expect(previewToText(first.result)).toContain(
      "Read 75 of 300 tokens from the service; the plan takes the others from the state. To read all, pass --refresh-tokens all",
    );
    expect(acme.engine.runs).toEqual([]);

    const up = await acme.readsOf(() => acme.up(undefined, { refresh: true, refreshTokens: 60 }));
    expect(up).toMatchObject({ result: { status: "succeeded" }, reads: 1 + 60 });

    const all = await acme.readsOf(() => acme.preview(undefined, { refresh: true, refreshTokens: "all" }));
    expect(all.reads).toBe(1 + PEOPLE);
    expect(all.result.drift).toMatchObject({ verified: 3 * PEOPLE, readTokens: PEOPLE, unreadTokens: 0 });
    expect(previewToText(all.result)).not.toContain("--refresh-tokens");
    expect(acme.engine.runs).toEqual([]);
  });

  test("finds and repairs a revoked token that it reads, and says nothing of one that it does not read", async () => {
    const acme = await organizationOf(12);
    const { listed } = await acme.readsOf(() => acme.preview(undefined, budget));
    const [read = ""] = listed;
    const { roster } = await acme.open();
    const left = roster.people.find(({ key }) => !listed.includes(key))?.key ?? "";
    await acme.revoke(read);
    await acme.revoke(left);

    const preview = await acme.preview(undefined, budget);
    expect(findingsOf(preview)).toEqual([`${read} tokenRevoked`]);
    expect(changesOf(preview)).toEqual([`issue token ${read}`]);
    expect((await acme.up(undefined, budget)).status).toBe("succeeded");

    const all = { refresh: true, refreshTokens: "all" } as const;
    const late = await acme.preview(undefined, all);
    expect(findingsOf(late)).toEqual([`${left} tokenRevoked`]);
    expect(changesOf(late)).toEqual([`issue token ${left}`]);
    await acme.up(undefined, all);
    const after = await acme.preview(undefined, all);
    expect(findingsOf(after)).toEqual([]);
    expect(changesOf(after)).toEqual([]);
  });

  test("reads the token of a person whom the run changes, besides the others", async () => {
    const acme = await organizationOf(12);
    const before = await acme.readsOf(() => acme.preview(undefined, budget));
    const { roster } = await acme.open();
    const key = roster.people.find((one) => !before.listed.includes(one.key))?.key ?? "";
    await acme.revoke(key);
    const people = roster.people.map((one) => (one.key === key ? { ...one, firstName: "Ada" } : one));

    const { result, listed } = await acme.readsOf(() => acme.preview({ ...roster, people }, budget));
    expect(listed.toSorted()).toEqual([...before.listed, key].toSorted());
    expect(findingsOf(result)).toEqual([`${key} tokenRevoked`]);
    expect(changesOf(result)).toContain(`issue token ${key}`);
  });
});
