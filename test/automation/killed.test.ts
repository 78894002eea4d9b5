// @module-tag ci
/** Runs of a service that lists users and tokens, killed while they create: the next run needs no decision. */
import { expect, test } from "vitest";
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

onEachEngine("a run killed where users are listed", (engine) => {
  test.each([
    ["users", 5],
    ["seats", 6],
    ["tokens", 7],
  ] as const)(
    "kill -9 of everything after %s were made: the next up finishes, each exactly once",
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

      const said = await acme.orgseat("up", "--yes");
      if (said.stdout.includes("another run holds the lock of the stack")) {
        expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
        expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
      } else expect(said).toMatchObject({ code: 0 });
      const count = fourPeople.length;
      expect(await madeOf(acme)).toEqual({ users: count, seats: count, tokens: count });
      expect((await acme.orgseat("preview", "--refresh")).stdout).toContain("No changes.");
    },
  );
});
