/**
 * A run whose service goes away at any of its requests, or in which a clock jumps by hours at any of them: the machine's, or
 * the service's. The next run, in a folder with nothing but the roster, completes.
 */
import { createHash } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { directFixture, type Fixture } from "../command/fixture.ts";
import { type NewPerson, person } from "../command/people.ts";
import { checkEach } from "../setup/cases.ts";
import type { DirectEngine } from "../setup/direct-engine.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { FailingService } from "./failing-service.ts";

const HOUR = 3_600_000;
const at = (hours: number) => formatInstant(Date.now() + hours * HOUR);

const platforms = ["basic", "anaconda"] as const;

const builds: NewPerson = {
  key: "builds",
  purpose: "Nightly builds",
  seat: true,
  token: true,
  protected: false,
};
const mac: NewPerson = { ...builds, key: "mac", purpose: "Mac builds", seat: false, token: false };
/** Nothing is due of them. Time decides so about the last four, by a few hours. */
const stay = [
  person("edsger"),
  person("guest", { accessUntil: at(5) }),
  person("scheduled", { rotateEvery: "1d" }),
  person("window", { expires: at(30 * 24 + 5), window: "30d" }),
  person("period", { rotateEvery: "30d" }),
];
const temporary = person("temporary", { accessUntil: at(5) });
const before = [person("ada"), person("grace"), builds, temporary, ...stay];
const after = [
  ...[person("ada", { rotation: "2" }), builds, person("barbara"), mac],
  ...[{ ...temporary, rotation: "2" }, ...stay],
];

interface Case {
  readonly platform: PlatformName;
  readonly request: number;
  readonly goes: "before" | "after" | "never";
  readonly clock?: { readonly whose: "machine" | "service"; readonly hours: number };
}

/** What a case is run on. */
async function begun(platform: PlatformName) {
  let skew = 0;
  const now = () => Date.now() + skew;
  const fixture = await directFixture(60, platform, now);
  const { service } = fixture.sandbox;
  await service.management.setSwitches({ dateHeader: "clock" });
  const subscriptionExpiresAt = at(400 * 24);
  await fixture.bring(fixture.rosterOf(before, { subscriptionExpiresAt }));
  const proxy = await FailingService.before(service.orgUrl);
  const through = {
    ORGSEAT_ORG_URL: proxy.through(service.orgUrl),
    ORGSEAT_TOKEN_URL: proxy.through(service.tokenUrl),
  };
  const engine = fixture.engine.copy(through);
  return {
    ...{ fixture, proxy, engine, wanted: fixture.rosterOf(after, { subscriptionExpiresAt }) },
    open: (where: Fixture, wanted?: Parameters<Fixture["open"]>[0]) =>
      where.open(wanted, { engine, now, environment: through }),
    jump: ({ whose, hours }: NonNullable<Case["clock"]>): void => {
      if (whose === "machine") skew = hours * HOUR;
      else void service.management.setClock({ offsetMs: hours * HOUR });
    },
  };
}

/** How many requests an undisturbed run sends. */
async function requestsOf(platform: PlatformName): Promise<number> {
  const { fixture, proxy, open, wanted } = await begun(platform);
  proxy.plan();
  expect(await upAll(await open(fixture, wanted), {})).toMatchObject({ status: "succeeded" });
  return proxy.requests;
}

async function holds({ platform, request, goes, clock }: Case): Promise<void> {
  const { fixture, proxy, engine, open, wanted, jump } = await begun(platform);
  const early = await hashesOf(fixture);
  proxy.plan({ request, goes, onRequest: () => clock && jump(clock) });
  // Whether it completes depends on the request.
  await upAll(await open(fixture, wanted), {}).catch((error: unknown) => {
    expect(String(error)).not.toMatch(/internal error|TypeError/);
  });
  expect(proxy.struck, "the request came").toBe(true);
  proxy.plan();
  if (clock) jump({ ...clock, hours: 0 });

  const file = join(temporaryFolder(), "people.csv");
  copyFileSync(fixture.file, file);
  const clone = fixture.beside(file);
  await untilDone(clone, open);
  await expectComplete(clone, engine);
  const late = await hashesOf(clone);
  for (const { email = "" } of stay) expect(late.get(email), email).toEqual(early.get(email));
  // What a list shows, such as the id of a token, is at most noted.
  await clone.sandbox.requests();
  const refresh = platform === "anaconda";
  expect(await upAll(await open(clone), { refresh })).toMatchObject({ status: "succeeded" });
  expect((await clone.calls()).filter((call) => call < 17)).toEqual([]);
  expect((await previewOf(await open(clone), { refresh })).plan.hasChanges).toBe(false);
}

type Open = Awaited<ReturnType<typeof begun>>["open"];

/** Without a list, a person decides about whom the service has and the state has not. */
async function untilDone(clone: Fixture, open: Open): Promise<void> {
  const told: unknown[] = [];
  for (let runs = 0; runs < 4; runs++) {
    const { status, preview, applied } = await upAll(await open(clone), {});
    if (status === "succeeded") return;
    told.push(
      applied?.results.filter((one) => one.status !== "succeeded"),
      applied?.failure,
      preview.violations,
    );
    const users = await clone.users();
    let text = clone.text();
    const refused = (applied?.results ?? []).filter(({ code }) => code === "user-exists");
    for (const { key } of [...preview.undecided, ...refused]) {
      const one = after.find((wanted) => wanted.key === key);
      const user = users.find(
        ({ email, firstName }) => (email ?? firstName) === (one?.email ?? one?.purpose),
      );
      if (user) text = withUserId(text, key, user.userId);
    }
    if (text !== clone.text()) await open(clone, text);
    else if (preview.undecidedOverride)
      await upAll(await open(clone), { approve: preview.undecidedOverride });
  }
  throw new Error(`no end: ${JSON.stringify(told)}`);
}

/** The roster with the id of a user in the row of a key. */
function withUserId(text: string, key: string, userId: string): string {
  const lines = text.split("\n");
  const columns = lines.find((line) => line !== "" && !line.startsWith("#"))?.split(",") ?? [];
  const has = columns.includes("user_id");
  return lines
    .map((line) => {
      if (line === "" || line.startsWith("#")) return line;
      const cells = line.split(",");
      if (!has)
        return `${line},${cells.join() === columns.join() ? "user_id" : cells[0] === key ? userId : ""}`;
      return cells
        .map((cell, index) => (columns[index] === "user_id" && cells[0] === key ? userId : cell))
        .join();
    })
    .join("\n");
}

/** Of the tokens that are not revoked, by email or purpose. */
async function hashesOf({ sandbox }: Fixture): Promise<Map<string, string[]>> {
  const { users, tokens } = await sandbox.service.management.snapshot();
  const live = tokens.filter(({ revoked }) => !revoked);
  return new Map(
    users.map(({ userId, email, firstName }) => [
      email ?? firstName ?? userId,
      live.filter((token) => token.userId === userId).map(({ hash }) => hash),
    ]),
  );
}

/** Everybody is there once with what the row says, and the state has the value of each live token. */
async function expectComplete(clone: Fixture, engine: DirectEngine): Promise<void> {
  const held = [...(await clone.held()).values()];
  const wanted = after.map(({ email, purpose, seat, token }) => [email ?? purpose, seat, token ? 1 : 0]);
  expect(held.map(({ who, seat, tokens }) => [who, seat, tokens.length]).toSorted()).toEqual(
    wanted.toSorted(),
  );
  const live = [...(await hashesOf(clone)).values()].flat();
  const { stack } = await clone.reopen({ engine });
  const state = await engine.exportStack(stack);
  const text = JSON.stringify(state ?? {});
  const stored = [...text.matchAll(/"plaintext":"((?:[^"\\]|\\.)*)"/g)].map(([, value = ""]) =>
    createHash("sha256")
      .update(String(JSON.parse(JSON.parse(`"${value}"`))))
      .digest("hex"),
  );
  expect(stored.toSorted()).toEqual(live.toSorted());
}

describe.each(platforms)("up on %s", (platform) => {
  test("completes later, the service gone from any request on", { tags: "ci" }, async () => {
    const count = await requestsOf(platform);
    const all = Array.from({ length: count }, (_, index) =>
      (["before", "after"] as const).map((goes) => ({ platform, request: index + 1, goes })),
    ).flat();
    const name = `faults: a service that goes away at any request (${platform})`;
    // The client waits for its service in real time.
    await checkEach({ name, level: "R", cases: all.length, siblings: 8 }, all, holds);
  });

  test("changes no one whom a clock makes due that jumps at any request, and completes", async () => {
    const count = await requestsOf(platform);
    const clocks = (["machine", "service"] as const).flatMap((whose) =>
      [-30, -7, 7, 30].map((hours) => ({ whose, hours })),
    );
    const all = Array.from({ length: count }, (_, index) =>
      clocks.map((clock) => ({ platform, request: index + 1, goes: "never" as const, clock })),
    ).flat();
    const name = `faults: a clock that jumps at any request (${platform})`;
    await checkEach({ name, level: "R", cases: all.length, quick: 4, siblings: 2 }, all, holds);
  });
});
