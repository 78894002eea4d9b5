// @module-tag ci
/** Runs of a service that lists users and tokens, killed while they create: the next runs say what to decide, and create nothing twice. */
import { expect, test } from "vitest";
import { z } from "zod";
import { killTree } from "../setup/process-tree.ts";
import { onEachEngine } from "../setup/project.ts";
import { fourPeople, type TestOrganization, testOrganization } from "./organization.ts";

/** What the service has of the people of the roster. */
async function madeOf({ sandbox }: TestOrganization) {
  const { users, tokens } = await sandbox.service.management.snapshot();
  const own = users.filter(({ role }) => role === "member");
  return {
    users: own.length,
    seats: own.filter(({ seat }) => seat).length,
    tokens: tokens.filter(({ revoked }) => !revoked).length,
  };
}

const runSchema = z.object({
  failures: z.array(z.object({ text: z.string() })),
  results: z
    .array(z.object({ who: z.string(), code: z.string().nullish(), text: z.string().nullish() }))
    .default([]),
});

/** Follows the results: adopts the people whom they name, and revokes the tokens whose value is lost. */
async function untilDecided(acme: TestOrganization): Promise<void> {
  let rows = fourPeople;
  for (let runs = 0; runs < 4; runs++) {
    const { code, failures, results } = await acme.json(runSchema, "up", "--yes");
    if (code === 0) return;
    if (failures.some(({ text }) => text.includes("another run holds the lock of the stack")))
      expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
    for (const { who, code, text } of results) {
      const [, userId = ""] = /on the list of users, as user (\S+)/.exec(text ?? "") ?? [];
      if (code === "user-exists")
        rows = rows.map((row) => (row.email === who ? { ...row, user_id: userId } : row));
      const [, holder = "", tokenId] = /\(user (\S+)\) has (\S+) \(expires/.exec(text ?? "") ?? [];
      if (code === "token-undecided")
        await acme.behindOurBack((api, operation) => api.revokeToken(holder, operation, tokenId));
    }
    acme.write(rows.map(({ user_id = "", ...row }) => ({ ...row, user_id })));
  }
  throw new Error("no end of decisions");
}

onEachEngine("a run killed where users are listed", (engine) => {
  test.each([
    ["users", 5],
    ["seats", 6],
    ["tokens", 7],
  ] as const)(
    "kill -9 of everything after %s were made: the next runs finish, each exactly once",
    async (what, call) => {
      const acme = await testOrganization(engine, {}, undefined, "anaconda");
      acme.write(fourPeople);
      const { management } = acme.sandbox.service;
      const late = { kind: "delay", ms: 60_000, phase: "after" } as const;
      await management.addFaults({ match: { call }, after: 1, times: "always", fault: late });
      const { pid } = acme.start("up", "--yes");
      while ((await madeOf(acme))[what] < 2);
      await killTree(pid);
      await management.clearFaults();

      await untilDecided(acme);
      const count = fourPeople.length;
      expect(await madeOf(acme)).toEqual({ users: count, seats: count, tokens: count });
      expect((await acme.orgseat("preview", "--refresh")).stdout).toContain("No changes.");
    },
  );
});
