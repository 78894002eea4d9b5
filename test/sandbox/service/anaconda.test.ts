/** The organization area of the dialect `anaconda`, as its client and its management API see it. */
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ApiError, createClient, dialects, type OrganizationApi } from "../../../provider/api/index.ts";
import { startService } from "../../../sandbox/service/index.ts";
import { makeServiceAccount, type Sandbox, sandbox } from "../../setup/sandbox.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

const operation = { deadline: Number.POSITIVE_INFINITY };
const DATE = "2026-06-30T23:59:59Z";
const END = "2026-12-31T23:59:59Z";
let acme: Sandbox;
let api: OrganizationApi;

async function open(dataFolder = temporaryFolder()): Promise<void> {
  acme = await sandbox({ subscriptionExpiresAt: END, seats: 2 }, dataFolder, "anaconda");
  await acme.service.management.setClock({ fixedAt: "2026-01-10T00:00:00Z" });
  api = apiOf(acme, await makeServiceAccount(acme));
}

function apiOf({ service, organizationId }: Sandbox, account: { clientId: string; clientSecret: string }) {
  const client = createClient({ ...service, dialect: dialects[service.dialect] });
  onTestFinished(() => client.close());
  return client.organization(organizationId, { serviceAccount: account });
}

/** The status of a refusal. */
async function refused(work: Promise<unknown>): Promise<number | undefined> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ApiError ? error.status : undefined;
}

const add = async (email?: string) =>
  (
    await api.createUser(
      email === undefined ? { first_name: "Build", last_name: "bot" } : { email },
      operation,
    )
  ).id;

beforeEach(() => open());

describe("list users", () => {
  test("shows the admin, people and managed users, with seats", async () => {
    const ada = await add("ada@acme.example");
    const bot = await add();
    await api.assignSeat(ada, operation);
    expect(await api.listUsers(operation)).toMatchObject([
      { id: ada, email: "ada@acme.example", role: "member", subscriptions: ["commercial"] },
      { id: bot, email: `${bot}@managed.acme.example`, first_name: "Build", subscriptions: [] },
      { email: "admin@acme.example", role: "admin", subscriptions: [] },
    ]);
  });

  test.each([
    ["empty", 0],
    ["half", 2],
    ["other-organization", 3],
  ] as const)("obeys the switch %s: %i users", async (userList, count) => {
    const ids = [await add("ada@acme.example"), await add("grace@acme.example")];
    await acme.service.management.setSwitches({ userList });
    const users = await api.listUsers(operation);
    expect(users).toHaveLength(count);
    expect(users.filter(({ id }) => ids.includes(id)).length).toBeLessThan(2);
  });
});

describe("users", () => {
  test("an email of a member, or of an admin, is refused with 422", async () => {
    await add("ada@acme.example");
    expect(await refused(add("ADA@acme.example"))).toBe(422);
    expect(await refused(add("admin@acme.example"))).toBe(422);
  });

  test("the last admin cannot be removed", async () => {
    const admin = (await api.listUsers(operation)).find(({ role }) => role === "admin")?.id ?? "";
    expect(await refused(api.removeUser(admin, operation))).toBe(409);
  });

  test("a removal is refused while a seat or a token is left", async () => {
    const ada = await add("ada@acme.example");
    await api.assignSeat(ada, operation);
    await api.issueToken(ada, DATE, operation);
    expect(await api.removeSeat(ada, operation)).toBe("deleted");
    expect(await refused(api.removeUser(ada, operation))).toBe(409);
    const [token] = await api.listTokens(ada, operation);
    await api.revokeToken(ada, operation, token?.id);
    expect(await api.removeUser(ada, operation)).toBe("deleted");
  });

  test("an ended subscription refuses a new user with 422 and a seat with 402", async () => {
    const ada = await add("ada@acme.example");
    await acme.service.management.setClock({ fixedAt: "2027-01-10T00:00:00Z" });
    expect(await refused(add("grace@acme.example"))).toBe(422);
    expect(await refused(api.assignSeat(ada, operation))).toBe(402);
  });
});

describe("seats", () => {
  test("a second one for the same user is refused with 409, a missing user with 404", async () => {
    const ada = await add("ada@acme.example");
    await api.assignSeat(ada, operation);
    expect(await refused(api.assignSeat(ada, operation))).toBe(409);
    expect(await refused(api.assignSeat("00000000-0000-4000-8000-000000000000", operation))).toBe(404);
  });

  test("the service sends an email only if asked", async () => {
    const [ada, grace] = [await add("ada@acme.example"), await add("grace@acme.example")];
    await api.assignSeat(ada, operation);
    await api.assignSeat(grace, operation, { sendEmail: true });
    await api.issueToken(ada, DATE, operation);
    await api.issueToken(grace, DATE, operation, { sendEmail: true });
    const sent = (await acme.service.management.outbox()).map(({ recipient, kind }) => [recipient, kind]);
    expect(sent).toEqual([
      ["grace@acme.example", "seat"],
      ["grace@acme.example", "token"],
    ]);
  });
});

describe("tokens", () => {
  test("a user can have several, and each is revoked by its id", async () => {
    const ada = await add("ada@acme.example");
    const values = [await api.issueToken(ada, DATE, operation), await api.issueToken(ada, DATE, operation)];
    const [first, second] = await api.listTokens(ada, operation);
    expect(await api.revokeToken(ada, operation, first?.id)).toBe("deleted");
    expect(await api.revokeToken(ada, operation, first?.id)).toBe("gone");
    expect(await api.listTokens(ada, operation)).toEqual([
      { id: first?.id, expires_at: DATE, metadata: {}, revoked: true },
      { id: second?.id, expires_at: DATE, metadata: {}, revoked: false },
    ]);
    const { management } = acme.service;
    const live = await Promise.all(values.map(async ({ token }) => (await management.probe(token)).live));
    expect(live).toEqual([false, true]);
  });

  test("a renewal extends the newest to the end of the subscription, or sets a date, also an earlier one", async () => {
    const ada = await add("ada@acme.example");
    await api.issueToken(ada, DATE, operation);
    await api.issueToken(ada, DATE, operation);
    const dates = async () => (await api.listTokens(ada, operation)).map((token) => token.expires_at);
    await api.renewToken(ada, operation);
    expect(await dates()).toEqual([DATE, END]);
    await api.renewToken(ada, operation, { expiresAt: "2026-03-31T23:59:59Z" });
    expect(await dates()).toEqual([DATE, "2026-03-31T23:59:59Z"]);
  });

  test("the tolerance is part of the expiry", async () => {
    const ada = await add("ada@acme.example");
    await api.issueToken(ada, DATE, operation, { toleranceMonths: 2 });
    expect(await api.listTokens(ada, operation)).toMatchObject([{ expires_at: "2026-08-30T23:59:59Z" }]);
  });

  test("answer 422 for a missing user", async () => {
    const nobody = "00000000-0000-4000-8000-000000000000";
    expect(await refused(api.issueToken(nobody, DATE, operation))).toBe(422);
    expect(await refused(api.renewToken(nobody, operation))).toBe(422);
    expect(await refused(api.listTokens(nobody, operation))).toBe(422);
  });

  test("changes behind the client's back show in the lists", async () => {
    const ada = await add("ada@acme.example");
    await api.issueToken(ada, DATE, operation);
    const [token] = await api.listTokens(ada, operation);
    const { management } = acme.service;
    await management.changeToken(token?.id ?? "", { expiresAt: END, revoked: true });
    await management.changeUser(ada, { firstName: "Ada", role: "billing_manager" });
    expect(await api.listTokens(ada, operation)).toMatchObject([{ expires_at: END, revoked: true }]);
    const [user] = await api.listUsers(operation);
    expect(user).toMatchObject({ first_name: "Ada", role: "billing_manager" });
    await management.removeUser(ada);
    expect(await api.listUsers(operation)).toHaveLength(1);
  });
});

describe("headers", () => {
  test.each([
    ["x-org-name", undefined],
    ["x-org-name", "another"],
    ["x-api-version", "v2"],
  ])("a request with %s %s is refused with 422 where headers are required", async (name, value) => {
    const dialect = { ...dialects.anaconda, headers: changed(name, value) };
    const client = createClient({ ...acme.service, dialect });
    onTestFinished(() => client.close());
    const serviceAccount = await makeServiceAccount(acme);
    const other = client.organization(acme.organizationId, { serviceAccount });
    await acme.service.management.setSwitches({ dialectHeaders: "required" });
    expect(await refused(other.listUsers(operation))).toBe(422);
  });

  function changed(name: string, value: string | undefined) {
    return dialects.anaconda.headers.flatMap(([own, text]) => {
      if (own !== name) return [[own, text] as const];
      return value === undefined ? [] : [[own, value] as const];
    });
  }
});

test("both dialects serve the same database", async () => {
  const dataFolder = temporaryFolder();
  const seed = { subscriptionExpiresAt: "2099-12-31T23:59:59Z" };
  const first = await startService({ dataFolder, seed });
  const documented = { service: first, organizationId: first.seed.organizationId } as const;
  const account = await makeServiceAccount({
    ...documented,
    calls: async () => [],
    requests: async () => [],
  });
  const client = createClient({ ...first, dialect: dialects.documented });
  const before = client.organization(first.seed.organizationId, { serviceAccount: account });
  const { id } = await before.createUser({ email: "ada@acme.example" }, operation);
  await before.issueToken(id, "2099-06-30T23:59:59Z", operation);
  await client.close();
  await first.close();
  const now = apiOf(await sandbox({}, dataFolder, "anaconda"), account);
  expect(await now.listUsers(operation)).toMatchObject([{ id }, { role: "admin" }]);
  expect(await now.listTokens(id, operation)).toMatchObject([{ expires_at: "2099-06-30T23:59:59Z" }]);
});
