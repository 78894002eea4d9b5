// @module-tag ci
/** Commands that are stopped while Pulumi's engine hangs. */
import { describe, expect, test } from "vitest";
import { gone, halt, pidBelow, pidsBelow } from "../setup/process-tree.ts";
import {
  type CommandOutput,
  peopleRows,
  type RunningCommand,
  type TestOrganization,
  testOrganization,
} from "./organization.ts";

const LIMIT_MS = 10_000;

describe("a command that is stopped", () => {
  test("ends within ten seconds though the engine hangs, says what is done, and the next up finishes", async () => {
    // A list shows the users whom the state lacks.
    const acme = await testOrganization({}, undefined, "anaconda");
    acme.write(peopleRows(4));
    const { management } = acme.sandbox.service;
    await management.addFaults({ match: { call: 6 }, times: "always", fault: { kind: "hang" } });
    const running = acme.start("up", "--yes");
    while ((await management.requests()).filter(({ call }) => call === 6).length < 4);
    await halt(await pidBelow(running.pid, /(^|\/)pulumi up /));
    const { stdout } = await stopped(running);
    expect(stdout).toMatch(/^failed .* added; unknown: assign seat; not sent: issue token$/m);
    expect(stdout).toContain("remove it with `pulumi cancel --stack people --cwd .orgseat/pulumi`");
    await management.clearFaults();
    await expectFinished(acme, 4);
  });
});

/** After SIGTERM, with all its processes. */
async function stopped({ pid, ended }: RunningCommand): Promise<CommandOutput> {
  const below = await pidsBelow(pid);
  const begun = performance.now();
  process.kill(pid, "SIGTERM");
  const output = await ended;
  expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
  expect(output.code).toBe(1);
  for (const one of below) await gone(one);
  expect(output.stdout).toContain("stack people failed: interrupted");
  expect(output.stdout).toContain("Interrupted. Run `orgseat up` again; it resumes where it stopped.");
  return output;
}

async function expectFinished(acme: TestOrganization, people: number): Promise<void> {
  const again = await acme.orgseat("up", "--yes");
  if (again.stdout.includes("another run holds the lock of the stack")) {
    expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
    await acme.succeed("up", "--yes");
  } else expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 });
  const { users, tokens } = await acme.sandbox.service.management.snapshot();
  const members = users.filter(({ role }) => role === "member");
  expect(members.map(({ seat }) => Boolean(seat))).toEqual(Array(people).fill(true));
  expect(tokens.filter(({ revoked }) => !revoked)).toHaveLength(people);
  acme.expectNoSecrets();
}
