/** The data set: an organization to look at, the same each time. */
import { describe, expect, it } from "vitest";
import { serverStatuses } from "../../../provider/api/schemas/model-types.ts";
import { type Sandbox, START, shareSandbox, startSandbox, temporaryFolder } from "./harness.ts";

const seed = { dataSet: "lanternfield", seats: 50 } as const;
const shared = shareSandbox({ seed });

/** The content of a sandbox, without the hashes of secrets, which are random. */
async function contentOf({ management }: Sandbox) {
  const { tokens, ...rest } = await management.snapshot();
  return { ...rest, tokens: tokens.map(({ userId, expiresAt }) => ({ userId, expiresAt })) };
}

describe("the data set lanternfield", () => {
  it("contains people with and without seats and tokens, and machines", async () => {
    const { organizations, users, tokens, admins, serviceAccounts } = await contentOf(shared());
    const count = (part: readonly unknown[]) => part.length;
    const managed = users.filter((user) => user.managed);
    expect(organizations).toMatchObject([{ seats: 50, seatsHeld: 46 }]);
    expect([count(users), count(managed), count(tokens), count(admins)]).toEqual([55, 5, 36, 2]);
    expect(users.filter(({ seat }) => !seat)).toHaveLength(9);
    expect(serviceAccounts.map(({ name }) => name)).toEqual([
      "builds",
      "directory_sync",
      "token-renewal",
      "ci",
    ]);
    expect(new Set(users.flatMap(({ email }) => email ?? [])).size).toBe(50);
    expect(managed.map(({ firstName, lastName }) => `${firstName} (${lastName})`)).toContain(
      "Linux builds (platform)",
    );
    for (const { email } of users)
      expect(email ?? "@x.lanternfield.example").toMatch(/@\w+\.lanternfield\.example$/);
  });

  it("contains tokens that are valid, expire soon, or have expired, servers in every status, and vector tables with rows", async () => {
    const { tokens, servers } = await contentOf(shared());
    const days = tokens.map(({ expiresAt }) => (Date.parse(expiresAt) - START) / 86_400_000);
    const has = (isMeant: (left: number) => boolean) => days.some(isMeant);
    expect([has((left) => left < 0), has((left) => left > 0 && left < 30), has((left) => left > 30)]).toEqual(
      [true, true, true],
    );
    expect(new Set(servers.map(({ status }) => status))).toEqual(new Set(serverStatuses));
    const tables = [
      ["archive", 0],
      ["documents", 60],
      ["glossary", 9],
      ["support_tickets", 25],
    ] as const;
    const { body } = await shared().send("listTables");
    expect(body).toMatchObject(tables.map(([name, numRows]) => ({ name, numRows })));
  });

  it("stays the same each time, and a reset brings it back", async () => {
    const first = await startSandbox({ seed });
    const second = await startSandbox({ seed });
    const content = await contentOf(first);
    expect(await contentOf(second)).toEqual({ ...content, serviceAccounts: expect.any(Array) });
    await first.addUser();
    await first.management.reset();
    expect(await contentOf(first)).toEqual({
      ...content,
      serviceAccounts: content.serviceAccounts.slice(0, 3),
    });
  });

  it("goes only into a fresh folder", async () => {
    const dataFolder = temporaryFolder();
    const { service } = await startSandbox({ dataFolder });
    await service.close();
    const again = await startSandbox({ dataFolder, seed });
    expect((await contentOf(again)).users).toEqual([]);
  });
});
