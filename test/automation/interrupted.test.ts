import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killTree } from "../setup/process-tree.ts";
import { onEachEngine } from "../setup/project.ts";
import { peopleRows, type RunningCommand, type TestOrganization, testOrganization } from "./organization.ts";

const PEOPLE = 6;

onEachEngine("an interrupted run", (engine) => {
  test("Ctrl-C, to the process group and to the process alone, says what is done and what is not; the next up finishes, nobody twice and nobody lost", async () => {
    const acme = await testOrganization(engine);
    acme.write(peopleRows(PEOPLE));
    let doneBefore = 0;
    for (const [call, target] of [
      [5, (pid: number) => -pid],
      [6, (pid: number) => pid],
    ] as const) {
      const running = await underWay(acme, call);
      process.kill(target(running.pid), "SIGINT");
      const { code, stdout, stderr } = await running.ended;
      expect(stderr).toContain("Stopping: what has been sent is waited for and kept.");
      expect(code).toBe(1);
      expect(stdout).toContain("It was stopped; run `orgseat up` again, which goes on from here.");
      const done = [...stdout.matchAll(/^(\S+): done: /gm)].map(([, who = ""]) => who);
      const left = [...stdout.matchAll(/^(\S+) \(people\.csv, line \d+\): skipped: /gm)].map(
        ([, who = ""]) => who,
      );
      expect(left.length).toBeGreaterThan(0);
      expect(done.length + left.length + doneBefore).toBe(PEOPLE);
      const members = await acme.members();
      for (const who of done) expect(members[who], who).toEqual({ seat: true, token: expect.any(String) });
      doneBefore += done.length;
    }
    await expectFinished(acme);
  });

  test("kill -9 of everything: the next up finishes, nobody twice and nobody lost", async () => {
    const acme = await testOrganization(engine);
    acme.write(peopleRows(PEOPLE));
    // All seats are under way: the answer of a token would be lost with its value.
    const { pid } = await underWay(acme, 6, { fast: 0, asked: PEOPLE });
    await killTree(pid);
    await letGo(acme);
    await expectFinished(acme);
  });

  test("kill -9 of the command alone: what it began goes on to its end, and the next up finds it done", async () => {
    const acme = await testOrganization(engine);
    acme.write(peopleRows(PEOPLE));
    const { pid, ended } = await underWay(acme, 7);
    process.kill(pid, "SIGKILL");
    await ended;
    const locks = join(acme.folder, "state/.pulumi/locks/organization/orgseat/people");
    while (existsSync(locks) && readdirSync(locks).length > 0) await acme.sandbox.service.management.clock();
    await expectFinished(acme);
  });
});

/** An `up` of which all but the first requests of a call are slow, and so many of them have come. */
async function underWay(
  acme: TestOrganization,
  call: number,
  { fast, asked } = { fast: 1, asked: 3 },
): Promise<RunningCommand> {
  const { management } = acme.sandbox.service;
  await management.clearFaults();
  const slow = { kind: "delay", ms: 5000 } as const;
  await management.addFaults({ match: { call }, after: fast, times: "always", fault: slow });
  const before = (await management.requests()).at(-1)?.number ?? 0;
  const running = acme.start("up", "--yes");
  let seen = 0;
  while (seen < asked) {
    seen = (await management.requests(before)).filter((one) => one.call === call).length;
  }
  return running;
}

/** Does what a run says that finds the lock of a dead one. The stand-in lets go of it by itself. */
async function letGo(acme: TestOrganization): Promise<void> {
  const { stdout } = await acme.orgseat("up", "--yes");
  if (!stdout.includes("another run holds the stack")) return;
  expect(stdout).toContain("let go of the stack by `pulumi cancel --stack people --cwd .orgseat/pulumi`");
  expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
}

async function expectFinished(acme: TestOrganization): Promise<void> {
  const { management } = acme.sandbox.service;
  await management.clearFaults();
  expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
  const members = await acme.members();
  expect(Object.keys(members)).toEqual(peopleRows(PEOPLE).map(({ email }) => email));
  for (const member of Object.values(members))
    expect(member).toEqual({ seat: true, token: expect.any(String) });
  const made = (await management.requests()).filter(
    ({ call, status }) => call === 5 && status !== null && status < 300,
  );
  expect(made).toHaveLength(PEOPLE);
  acme.expectNoSecrets();
}
