/** What a refresh costs: a budget of reads over HTTP; stories/refresh.txt has what it claims of those that it does not read. */
import { expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { directFixture, Fixture } from "./fixture.ts";
import { crowd } from "./people.ts";
import { WatchedEngine } from "./watched-engine.ts";

const PEOPLE = 300;
/** 90 is the budget, so the others have their turn in four days. */
const A_DAY = 75;

test(`a refresh makes at most 100 reads for ${PEOPLE} people, and no run of Pulumi, if nothing changed, and all reads with \`all\``, async () => {
  const { sandbox, ...parts } = await directFixture(PEOPLE + 100, "anaconda");
  const engine = new WatchedEngine(parts.environment);
  const acme = new Fixture(sandbox, { ...parts, engine });
  const { subscriptionExpiresAt } = sandbox.service.seed;
  expect((await acme.up(acme.rosterOf(crowd(PEOPLE), { subscriptionExpiresAt }))).status).toBe("succeeded");
  engine.runs.length = 0;
  await sandbox.requests();
  const reads = async () => (await sandbox.requests()).filter(({ method }) => method === "GET").length;

  const first = await acme.preview(undefined, { refresh: true });
  expect(await reads()).toBe(1 + A_DAY);
  expect(first.drift).toMatchObject({
    ...{ verified: 3 * PEOPLE - (PEOPLE - A_DAY), unverifiable: 0 },
    ...{ readTokens: A_DAY, unreadTokens: PEOPLE - A_DAY },
  });
  expect(previewToText(first)).toContain(
    "Read 75 of 300 tokens from the service; the plan takes the others from the state. To read all, pass --refresh-tokens all",
  );
  expect(engine.runs).toEqual([]);

  expect((await acme.up(undefined, { refresh: true, refreshTokens: 60 })).status).toBe("succeeded");
  expect(await reads()).toBe(1 + 60);

  const all = await acme.preview(undefined, { refresh: true, refreshTokens: "all" });
  expect(await reads()).toBe(1 + PEOPLE);
  expect(all.drift).toMatchObject({ verified: 3 * PEOPLE, readTokens: PEOPLE, unreadTokens: 0 });
  expect(previewToText(all)).not.toContain("--refresh-tokens");
  expect(engine.runs).toEqual([]);
});
