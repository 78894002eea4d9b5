// @module-tag ci
import { describe, expect, test } from "vitest";
import { peopleRows, type RunningCommand, type TestOrganization, testOrganization } from "./organization.ts";

const PEOPLE = 6;

describe("an interrupted run", () => {
  test("Ctrl-C, to the process group and to the process alone, says what is done and what is not; the next up finishes, nobody twice and nobody lost", async () => {
    const acme = await testOrganization();
    acme.write(peopleRows(PEOPLE));
    let doneBefore = 0;
    for (const [call, target] of [
      [5, (pid: number) => -pid],
      [6, (pid: number) => pid],
    ] as const) {
      const running = await underWay(acme, call);
      process.kill(target(running.pid), "SIGINT");
      const { code, stdout, stderr } = await running.ended;
      expect(stderr).toContain("Interrupted: waiting for the requests in progress");
      expect(code).toBe(1);
      expect(stdout).toContain("Interrupted. Run `orgseat up` again; it resumes where it stopped.");
      const done = [...stdout.matchAll(/^ok +(\S+) /gm)].map(([, who = ""]) => who);
      // Skipped is whom nothing was done for; of the others the result says, once, that the run ended before all was done.
      const left = [...stdout.matchAll(/^(?:skipped|failed) +(\S+) \(people\.csv, line \d+\) /gm)].map(
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

async function expectFinished(acme: TestOrganization): Promise<void> {
  const { management } = acme.sandbox.service;
  await management.clearFaults();
  await acme.succeed("up", "--yes");
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
