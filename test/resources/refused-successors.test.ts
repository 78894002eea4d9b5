/** A service that refuses the new tokens of replacements: a run takes the old token of one person at most. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UNKNOWN_MARKER } from "../../provider/resources/unknown.ts";
import { type Received, type Script, Service } from "../provider/api/service.ts";
import { checkCases } from "../setup/cases.ts";
import { directProviders } from "../setup/direct-providers.ts";
import { failure, ORGANIZATION, type Props, SUBSCRIPTION_END, scripted } from "./scripted.ts";
import { heldSeat, heldToken, token as news, seat as seatInputs } from "./writes.ts";

const recipients = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"];
const olds = { ...heldToken, issuedAt: "2026-01-01T00:00:00Z" };

/** Changes by which a token is replaced; `replaceExisting` by a creation that finds one. */
const causes = {
  rotation: { rotation: "2" },
  rule: { rotateEvery: "30d" },
  sealed: { recipients },
  shortened: { expiresAt: "2027-03-01T00:00:00Z" },
  replaceExisting: { replaceExisting: true },
  /** Of `pulumi up --replace` and a taint, for which Pulumi asks no diff. */
  forced: {},
} as const;

/** Refusals that are not about one person; by status, `close` without a response. */
const refusals = [200, 401, 402, 403, 404, 429, 500, 503, "close"] as const;

interface Case {
  readonly cause: keyof typeof causes;
  readonly refusal: (typeof refusals)[number];
  /** How many tokens the service issues before it refuses. */
  readonly issued: number;
  readonly people: number;
  /** How many replacements run at once. */
  readonly workers: number;
}

const caseArbitrary: fc.Arbitrary<Case> = fc.record({
  cause: fc.constantFrom(...(Object.keys(causes) as (keyof typeof causes)[])),
  refusal: fc.constantFrom(...refusals),
  issued: fc.integer({ min: 0, max: 4 }),
  people: fc.integer({ min: 2, max: 12 }),
  workers: fc.integer({ min: 1, max: 6 }),
});

const error = (status: number) => ({
  status,
  headers: { "retry-after": "600" },
  body: { error: { code: `E${status}`, message: "not now" } },
});

/** A service with one token per user. */
function tokenService(
  people: number,
  refuse: (count: number) => ReturnType<typeof error> | { fault: "close" } | undefined,
) {
  const live = new Set(Array.from({ length: people }, (_, index) => `u${index}`));
  let issued = 0;
  const answer = ({ method, url }: Received) => {
    const userId = /users\/([^/]+)/.exec(url)?.[1] ?? "";
    if (method === "DELETE") return live.delete(userId) ? { status: 204 } : error(404);
    if (live.has(userId)) return error(409);
    const refused = refuse(issued);
    if (refused !== undefined) return refused;
    issued += 1;
    live.add(userId);
    return { body: { token: `seat-token-of-${userId}`, expires_at: SUBSCRIPTION_END } };
  };
  return { live, answer };
}

/** The providers of one run, in time as it is: several replacements wait for each other. */
async function runAgainst(onCall: Script, environment: Readonly<Record<string, string>> = {}) {
  const service = await Service.start(onCall);
  const { process, ofRoster } = directProviders(
    {
      ORGSEAT_ORG_URL: `${service.url}/api/v1`,
      ORGSEAT_TOKEN_URL: `${service.url}/token`,
      ORGSEAT_ORGANIZATION_ID: ORGANIZATION,
      ORGSEAT_CLIENT_ID: "the-client",
      ORGSEAT_CLIENT_SECRET: "client-secret-0815",
      ...environment,
    },
    () => Date.UTC(2027, 0, 1),
    [],
  );
  return {
    service,
    token: ofRoster.UserToken,
    seat: ofRoster.SeatAssignment,
    async [Symbol.asyncDispose]() {
      await process.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Replaces the tokens as Pulumi does: each one in a chain, several chains at once. @returns the errors */
async function replaceAll(
  { token }: Pick<Awaited<ReturnType<typeof runAgainst>>, "token">,
  { cause, people, workers }: Pick<Case, "cause" | "people" | "workers">,
): Promise<string[]> {
  const left = Array.from({ length: people }, (_, index) => `u${index}`);
  const errors: string[] = [];
  const replaceOne = async (userId: string): Promise<void> => {
    const wanted: Props = { ...news, ...causes[cause], userId };
    const old: Props = { ...olds, userId, ...(cause === "rule" && { rotateEvery: "30d" }) };
    if (cause === "replaceExisting") {
      await token.create(wanted);
      return;
    }
    if (cause === "forced") await token.check({}, wanted);
    else
      expect(await token.diff(userId, old, wanted)).toMatchObject({
        deleteBeforeReplace: true,
        replaces: [expect.any(String)],
      });
    await token.delete(userId, old);
    await token.create(wanted);
  };
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      await replaceOne(next).catch((reason: Error) => void errors.push(reason.message));
  };
  await Promise.all(Array.from({ length: workers }, work));
  return errors;
}

describe("replaced tokens", () => {
  test("lose at most one without a successor per run, whatever the service refuses for good", async () => {
    const suite = { name: "refused successors", level: "R", cases: 400 } as const;
    await checkCases(suite, caseArbitrary, async (one) => {
      const { people, refusal, issued } = one;
      const service = tokenService(people, (count) => {
        if (count < issued) return undefined;
        return refusal === "close" ? { fault: "close" } : error(refusal);
      });
      // Without a diff, the removal limit knows nobody whom the run keeps.
      const environment = one.cause === "forced" ? { ORGSEAT_MAX_REMOVALS: "99" } : {};
      await using run = await runAgainst(service.answer, environment);
      const errors = await replaceAll(run, one);
      expect(people - service.live.size, JSON.stringify({ one, errors })).toBe(issued < people ? 1 : 0);
      expect(errors).toHaveLength(Math.max(0, people - issued));
      expect(errors.filter((text) => !text.includes("not sent: "))).toHaveLength(issued < people ? 1 : 0);
    });
  });

  test.each([400, 409, 422])("go on after HTTP %i, which is about one person", async (status) => {
    let refused = 0;
    const service = tokenService(6, () => (refused++ === 0 ? error(status) : undefined));
    await using run = await runAgainst(service.answer);
    expect(await replaceAll(run, { cause: "rotation", people: 6, workers: 3 })).toHaveLength(1);
    expect(service.live.size).toBe(5);
  });

  test("stop after the same refusal of three people in a row", async () => {
    const service = tokenService(12, () => error(422));
    await using run = await runAgainst(service.answer);
    await replaceAll(run, { cause: "rotation", people: 12, workers: 4 });
    expect(service.live.size).toBe(9);
  });

  test("go on once the service issues a token again", async () => {
    let refused = 0;
    const service = tokenService(3, () => (refused++ === 0 ? error(500) : undefined));
    await using run = await runAgainst(service.answer);
    await replaceAll(run, { cause: "rotation", people: 3, workers: 1 });
    expect(service.live.size).toBe(2);
    await run.token.create({ ...news, userId: "u0", rotation: "2" });
    await replaceAll(run, { cause: "rotation", people: 3, workers: 1 });
    expect(service.live.size).toBe(3);
  });
});

test("a key that cannot seal keeps its token: the diff fails", async () => {
  await using run = await runAgainst(() => ({}));
  // Of the right form, but not a point of the curve.
  const recipients = ["age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqsq3wpcn"];
  const wanted = { ...news, rotation: "2", recipients };
  expect((await failure(run.token.diff("u1", olds, wanted))).message).toContain("recipients");
  expect(run.service.calls).toEqual([]);
});

describe("a removal in another organization of the same person", () => {
  const elsewhere = { ...olds, organizationId: "another-org" };

  test.each(["found by a diff", "forced"])("needs no successor of a replacement that is %s", async (how) => {
    const run = await scripted(() => ({ status: 204 }));
    const wanted = { ...news, expiresAt: "2026-06-30T00:00:00Z" };
    if (how === "forced") await run.token.check({}, wanted);
    else await run.token.diff("u1", olds, { ...wanted, userId: "u2" });
    expect((await failure(run.token.delete("u1", olds))).message).toContain("already be expired");
    await run.token.delete("u1", elsewhere);
    expect(run.service.calls.map(({ url }) => url)).toEqual([expect.stringContaining("/another-org/")]);
  });

  test("lets the next replacements begin", async () => {
    const run = await scripted(({ method }) =>
      method === "DELETE"
        ? { status: 204 }
        : { body: { token: "seat-token-2", expires_at: SUBSCRIPTION_END } },
    );
    const replace = async (userId: string) => {
      const [old, wanted] = [
        { ...olds, userId },
        { ...news, userId, rotation: "2" },
      ];
      await run.token.diff(userId, old, wanted);
      await run.token.delete(userId, old);
      await run.token.create(wanted);
    };
    await replace("u1");
    await run.token.delete("u1", elsewhere);
    await replace("u2");
    expect(run.service.calls).toHaveLength(5);
  });
});

test("changed emails take token and seat of one person if the service refuses the new seats", async () => {
  const taken: string[] = [];
  await using run = await runAgainst(({ method, url }) => {
    if (method !== "DELETE") return error(402);
    taken.push(url.slice(url.indexOf("/users/") + "/users/".length));
    return { status: 204 };
  });
  const seatOf = (userId: string) => ({ ...seatInputs, userId });
  // In the order of Pulumi: the seat is replaced, and its token with it, whose user is not known yet.
  const move = async (index: number): Promise<void> => {
    const [from, to] = [`u${index}`, `new-${index}`];
    await run.seat.diff(from, { ...heldSeat, userId: from }, seatOf(to));
    await run.token.diff(from, { ...olds, userId: from }, { ...news, userId: UNKNOWN_MARKER });
    await run.token.delete(from, { ...olds, userId: from });
    await run.seat.delete(from, { ...heldSeat, userId: from });
    await run.seat.create(seatOf(to));
  };
  const moved = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => move(index)));
  expect(moved.filter(({ status }) => status === "rejected")).toHaveLength(6);
  expect(taken).toEqual([expect.stringMatching(/^u\d\/token$/), expect.stringMatching(/^u\d\/seats$/)]);
});

describe("replacements of a service that lists tokens", () => {
  test("issue first, so a refused token takes nothing", async () => {
    const path = `/${ORGANIZATION}/users/u0/token`;
    await using run = await runAgainst(
      ({ method }) => (method === "GET" ? { body: { items: [] } } : error(402)),
      {
        ORGSEAT_PLATFORM: "anaconda",
      },
    );
    const old = { ...olds, userId: "u0", tokenId: "t1" };
    for (const change of [causes.rotation, causes.sealed]) {
      const wanted = { ...news, ...change, userId: "u0" };
      expect(await run.token.diff("u0", old, wanted)).toMatchObject({ deleteBeforeReplace: false });
      expect((await failure(run.token.create(wanted))).message).toContain("HTTP 402");
    }
    expect(
      run.service.calls.map(({ method, url }) => `${method} ${url.slice(url.indexOf(path) + path.length)}`),
    ).toEqual(["GET s", "POST ", "GET s", "POST "]);
  });

  test.each([true, false])(
    "leave one token, whether a new one ends the old one or not (%s)",
    async (ends) => {
      const tokens = [{ id: "t1", expires_at: SUBSCRIPTION_END, revoked: false }];
      const script: Script = ({ method, url }) => {
        if (method === "POST") {
          for (const token of tokens) token.revoked ||= ends;
          tokens.push({ id: "t2", expires_at: SUBSCRIPTION_END, revoked: false });
          return { body: { token: "seat-token-2", expires_at: SUBSCRIPTION_END } };
        }
        if (method === "GET") return { body: { items: structuredClone(tokens) } };
        const one = tokens.find(({ id, revoked }) => url.endsWith(`/${id}`) && !revoked);
        if (one === undefined) return error(404);
        one.revoked = true;
        return { status: 204 };
      };
      await using run = await runAgainst(script, { ORGSEAT_PLATFORM: "anaconda" });
      const old = { ...olds, userId: "u0", tokenId: "t1" };
      const wanted = { ...news, userId: "u0", rotation: "2" };
      await run.token.diff("u0", old, wanted);
      const { outs } = await run.token.create(wanted);
      expect(outs).toMatchObject({ value: "seat-token-2", tokenId: "t2" });
      await run.token.delete("u0", old);
      expect(tokens.map(({ revoked }) => revoked)).toEqual([true, false]);
    },
  );
});
