/** What a refresh reads of the tokens: a budget over HTTP, and nothing claimed of those that it does not read. */
import { describe, expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import type { StackRun } from "../../command/engine/engine.ts";
import { type Preview, previewAll } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import type { NewPerson } from "./people.ts";

const PEOPLE = 300;
/** 90 is the budget, so the others have their turn in four days. */
const A_DAY = 75;

class CountingEngine extends DirectEngine {
  readonly runs: StackRun[] = [];

  override run(...[run, listener, signal]: Parameters<DirectEngine["run"]>): ReturnType<DirectEngine["run"]> {
    this.runs.push(run);
    return super.run(run, listener, signal);
  }
}

/** An organization whose people all have a token. */
async function organizationOf(count: number): Promise<Organization> {
  const fixture = await directFixture(count + 100, "anaconda");
  const engine = new CountingEngine(fixture.environment);
  const people = Array.from({ length: count }, (_, index) => ({
    ...{ key: `p${index}`, email: `p${index}@acme.example`, seat: true, token: true, protected: false },
  }));
  const organization = new Organization(fixture, engine);
  const { status } = await upAll(await organization.open(people), {});
  expect(status).toBe("succeeded");
  return organization;
}

class Organization {
  readonly #fixture: Fixture;
  readonly engine: CountingEngine;
  #people: readonly NewPerson[] = [];

  constructor(fixture: Fixture, engine: CountingEngine) {
    this.#fixture = fixture;
    this.engine = engine;
  }

  open(people: readonly NewPerson[] = this.#people) {
    this.#people = people;
    const { subscriptionExpiresAt } = this.#fixture.sandbox.service.seed;
    const { organizationId } = this.#fixture;
    const roster = { organizationId, subscriptionExpiresAt, stacks: 2, people };
    return this.#fixture.open(roster, { engine: this.engine });
  }

  changed(key: string, fields: Partial<NewPerson>): NewPerson[] {
    return this.#people.map((person) => (person.key === key ? { ...person, ...fields } : person));
  }

  /** What a command reads: the number of its GET requests, and the keys of the people whose tokens it lists. */
  async readsOf<T>(work: () => Promise<T>): Promise<{ result: T; reads: number; listed: string[] }> {
    await this.#fixture.sandbox.requests();
    const result = await work();
    const requests = (await this.#fixture.sandbox.requests()).filter(({ method }) => method === "GET");
    const ids = await this.#fixture.userIds(await this.open());
    const listed = [...ids].flatMap(([key, id]) =>
      requests.some(({ path }) => path.includes(`/${id}/tokens`)) ? key : [],
    );
    return { result, reads: requests.length, listed };
  }

  async revoke(key: string): Promise<void> {
    const userId = (await this.#fixture.userIds(await this.open())).get(key) ?? "";
    await this.#fixture.behindOurBack(async (api, operation) => {
      const [token] = await api.listTokens(userId, operation);
      await api.revokeToken(userId, operation, token?.id);
    });
  }
}

function findingsOf({ drift }: Preview): string[] {
  return (drift.members?.findings ?? []).map(({ key, kind }) => `${key} ${kind}`).toSorted();
}

function changesOf({ plan }: Preview): string[] {
  return plan.steps.flatMap(({ action, name }) => (action === "same" ? [] : `${action} ${name}`));
}

describe("a refresh", () => {
  const budget = { refresh: true, refreshTokens: 4 } as const;

  test(`makes at most 100 reads for ${PEOPLE} people, and no run of Pulumi, if nothing changed, and all reads with \`all\``, async () => {
    const acme = await organizationOf(PEOPLE);
    acme.engine.runs.length = 0;

    const first = await acme.readsOf(async () => previewAll(await acme.open(), { refresh: true }));
    expect(first.reads).toBe(1 + A_DAY);
    expect(first.listed).toHaveLength(A_DAY);
    expect(first.result.drift).toMatchObject({
      ...{ verified: 3 * PEOPLE - (PEOPLE - A_DAY), unverifiable: 0 },
      ...{ readTokens: A_DAY, unreadTokens: PEOPLE - A_DAY },
    });
    expect(previewToText(first.result)).toContain(
      "Read 75 of 300 tokens from the service; the plan takes the others from the states. To read all, pass --refresh-tokens all",
    );
    expect(acme.engine.runs).toEqual([]);

    const up = await acme.readsOf(async () => upAll(await acme.open(), { refresh: true, refreshTokens: 60 }));
    expect(up).toMatchObject({ result: { status: "succeeded" }, reads: 1 + 60 });

    const all = await acme.readsOf(async () =>
      previewAll(await acme.open(), { refresh: true, refreshTokens: "all" }),
    );
    expect(all.reads).toBe(1 + PEOPLE);
    expect(all.result.drift).toMatchObject({ verified: 3 * PEOPLE, readTokens: PEOPLE, unreadTokens: 0 });
    expect(previewToText(all.result)).not.toContain("--refresh-tokens");
    expect(acme.engine.runs).toEqual([]);
  });

  test("finds and repairs a revoked token that it reads, and says nothing of one that it does not read", async () => {
    const acme = await organizationOf(12);
    const { listed } = await acme.readsOf(async () => previewAll(await acme.open(), budget));
    const [read = ""] = listed;
    const unread = acme.open().then(({ roster }) => roster.people.find(({ key }) => !listed.includes(key)));
    const left = (await unread)?.key ?? "";
    await acme.revoke(read);
    await acme.revoke(left);

    const preview = await previewAll(await acme.open(), budget);
    expect(findingsOf(preview)).toEqual([`${read} tokenRevoked`]);
    expect(changesOf(preview)).toEqual([`create ${read}-token`]);
    const { status } = await upAll(await acme.open(), budget);
    expect(status).toBe("succeeded");

    const all = await previewAll(await acme.open(), { refresh: true, refreshTokens: "all" });
    expect(findingsOf(all)).toEqual([`${left} tokenRevoked`]);
    expect(changesOf(all)).toEqual([`create ${left}-token`]);
    await upAll(await acme.open(), { refresh: true, refreshTokens: "all" });
    const after = await previewAll(await acme.open(), { refresh: true, refreshTokens: "all" });
    expect(findingsOf(after)).toEqual([]);
    expect(changesOf(after)).toEqual([]);
  });

  test("asks Pulumi about a whole stack that gets a new resource, because a refresh has no such target", async () => {
    const acme = await organizationOf(12);
    acme.engine.runs.length = 0;
    const { roster } = await acme.open();
    const [first] = roster.people;
    const joiner = {
      ...first,
      key: "zoe",
      email: "zoe@acme.example",
      seat: true,
      token: true,
      protected: false,
    };
    await previewAll(await acme.open([...roster.people, joiner]), budget);
    expect(acme.engine.runs.map(({ targets }) => targets)).toEqual([undefined]);
  });

  test("reads the token of a person whom the run changes, besides the others", async () => {
    const acme = await organizationOf(12);
    const before = await acme.readsOf(async () => previewAll(await acme.open(), budget));
    const { roster } = await acme.open();
    const key = roster.people.find((person) => !before.listed.includes(person.key))?.key ?? "";
    await acme.revoke(key);
    const people = acme.changed(key, { firstName: "Ada" });

    const { result, listed } = await acme.readsOf(async () => previewAll(await acme.open(people), budget));
    expect(listed.toSorted()).toEqual([...before.listed, key].toSorted());
    expect(findingsOf(result)).toEqual([`${key} tokenRevoked`]);
    expect(changesOf(result)).toContain(`create ${key}-token`);
  });
});
