// @module-tag ci
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import { markedCredentials } from "../setup/copies.ts";
import { hangMs } from "../setup/limits.ts";
import { killTree } from "../setup/process-tree.ts";
import {
  type CommandOutput,
  peopleRows,
  type RunningCommand,
  runningOrganization,
  type TestOrganization,
  testOrganization,
} from "./organization.ts";

const PEOPLE = 6;
/** As many as a run may always take something from. */
const PEOPLE_ROTATED = 3;

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

  test("kill -9 between revoking and issuing of a rotation: the next up gives everybody a token, despite a token that was issued by hand", async () => {
    const rows = peopleRows(PEOPLE_ROTATED);
    const acme = await runningOrganization(rows);
    const { management, seed } = acme.sandbox.service;
    const rotation = "2026-11-21T12:00:00Z";
    acme.write(rows.map((row) => ({ ...row, rotation })));
    await management.addFaults({ match: { call: 7 }, times: "always", fault: { kind: "hang" } });
    const before = (await management.requests()).at(-1)?.number ?? 0;
    const { pid } = acme.start("up", "--yes");
    while (!(await management.requests(before)).some(({ call }) => call === 7));
    await killTree(pid);
    await management.clearFaults();
    const { users, tokens } = await management.snapshot();
    const [without, ...more] = users.filter(({ userId }) => !tokens.some((token) => token.userId === userId));
    expect(more, "one token at a time").toEqual([]);

    const client = createClient({ ...acme.sandbox.service, platform: platforms.basic });
    onTestFinished(() => client.close());
    const { ORGSEAT_CLIENT_ID: clientId, ORGSEAT_CLIENT_SECRET: clientSecret } = markedCredentials;
    const api = client.organization(acme.sandbox.organizationId, {
      serviceAccount: { clientId, clientSecret },
    });
    const first = without?.userId ?? "";
    await api.issueToken(first, seed.subscriptionExpiresAt, { deadline: performance.now() + hangMs });

    const again = await upPastLock(acme);
    expect(again.stdout).toContain(`Write ${first} into \`user_id\` of the row and run \`orgseat up\` again`);
    expect(again).toMatchObject({ code: 1, stdout: expect.not.stringContaining("pulumi up") });
    for (const member of Object.values(await acme.members()))
      expect(member).toEqual({ seat: true, token: expect.any(String) });
    acme.write(
      rows.map((row) => ({ ...row, rotation, ...(row.email === without?.email && { user_id: first }) })),
    );
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });
    acme.expectNoSecrets();
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

/** Does what a run says that finds the lock of a dead one. */
async function upPastLock(acme: TestOrganization): Promise<CommandOutput> {
  const said = await acme.orgseat("up", "--yes");
  if (!said.stdout.includes("another run holds the lock of the stack")) return said;
  expect(said.stdout).toContain("remove its lock with `pulumi cancel --stack people --cwd .orgseat/pulumi`");
  expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
  return acme.orgseat("up", "--yes");
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
