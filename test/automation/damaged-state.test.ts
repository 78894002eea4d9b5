// @module-tag ci
/** A state that a kill inside Pulumi's own write has damaged: what each verb says, and who still loses access. */
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fourPeople, type Row, runningOrganization, type TestOrganization } from "./organization.ts";

const [ada, grace] = ["ada@acme.example", "grace@acme.example"];

/** A file of the only stack. */
function stateFile({ folder }: TestOrganization, suffix: string): string {
  return join(folder, "state", ".pulumi", "stacks", "orgseat", `people.json${suffix}`);
}

/** What the service has of a person; undefined of a user who is no member. */
async function heldBy({ sandbox }: TestOrganization, who: string) {
  const { users, tokens } = await sandbox.service.management.snapshot();
  const user = users.find(({ email }) => email === who);
  if (user === undefined) return undefined;
  const { seat, userId } = user;
  return { seat, tokens: tokens.filter((one) => one.userId === userId && !one.revoked).length };
}

const usersSchema = z.object({ status: z.string() });

/** Rows with the user ids that the service has. */
async function rowsWithIds(acme: TestOrganization): Promise<Row[]> {
  const { users } = await acme.sandbox.service.management.snapshot();
  return fourPeople.map((row) => {
    const user = users.find(({ email, firstName }) => (email ?? firstName) === (row.email ?? row.purpose));
    return { ...row, user_id: user?.userId ?? "" };
  });
}

describe("a state with empty attributes", () => {
  test("stops preview, up, and doctor with the file and the step that heals it", async () => {
    const acme = await runningOrganization(fourPeople);
    const attributes = stateFile(acme, ".attrs");
    truncateSync(attributes);
    const step = `remove it (\`rm ${attributes}\`)`;
    for (const verb of [["preview"], ["up", "--yes"]]) {
      const { code, stderr } = await acme.orgseat(...verb);
      expect(code).toBe(1);
      expect(stderr).toContain(`failed to load checkpoint: EOF: ${attributes} is empty.`);
      expect(stderr).toContain(`To go on, ${step}, then run the command again [invalid-state]`);
    }
    expect(await acme.orgseat("report", "--due", "400d")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(step),
    });
    const doctor = await acme.orgseat("doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`${attributes} is empty.`);
    expect(doctor.stdout).toContain(`next: ${step}`);
    rmSync(attributes);
    expect(await acme.succeed("preview")).toContain("No changes.");
    expect(await acme.orgseat("report", "--due", "400d", "--stack", "other")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "cannot tell what is due: stack other of 4 people of people.csv does not exist",
      ),
    });
  });
});

/** What makes a state unreadable, and undoes it. */
const damages: readonly (readonly [string, (acme: TestOrganization) => () => void])[] = [
  [
    "a state that is no JSON",
    (acme) => {
      const [file, text] = [stateFile(acme, ""), readFileSync(stateFile(acme, ""))];
      writeFileSync(file, "garbage");
      return () => writeFileSync(file, text);
    },
  ],
  [
    "a backend out of reach",
    ({ environment }) => {
      environment.PULUMI_BACKEND_URL = "file:///nowhere/at/all";
      return () => void delete environment.PULUMI_BACKEND_URL;
    },
  ],
  [
    "another passphrase",
    ({ environment }) => {
      environment.PULUMI_CONFIG_PASSPHRASE = "another";
      return () => void delete environment.PULUMI_CONFIG_PASSPHRASE;
    },
  ],
];

test.each(damages)(
  "offboard revokes the tokens of a listed person, and the next up goes on: %s",
  async (_, damage) => {
    const acme = await runningOrganization(fourPeople, {}, {}, "anaconda");
    const heal = damage(acme);
    const { code, status } = await acme.json(usersSchema, "offboard", grace, "--yes");
    expect({ code, status }).toEqual({ code: 1, status: "failed" });
    expect(await heldBy(acme, grace)).toEqual({ seat: true, tokens: 0 });
    expect(existsSync(join(acme.folder, "people.offboarded.csv"))).toBe(true);
    heal();
    await acme.succeed("up", "--yes");
    expect(await heldBy(acme, grace)).toBeUndefined();
    expect(await heldBy(acme, ada)).toEqual({ seat: true, tokens: 1 });
  },
);

test("offboard reads the configuration of a stack from its file while the state cannot be read, secrets too", async () => {
  const acme = await runningOrganization(fourPeople);
  acme.write(await rowsWithIds(acme));
  const names = {
    ORG_URL: "orgUrl",
    TOKEN_URL: "tokenUrl",
    CLIENT_ID: "clientId",
    CLIENT_SECRET: "clientSecret",
  };
  const before = acme.variables();
  for (const [name, key] of Object.entries(names)) {
    const secret = key === "clientSecret" ? "--secret" : "--plaintext";
    const args = ["config", "set", "--stack", "people", secret, `orgseat:${key}`];
    expect(await acme.pulumi(...args, before[`ORGSEAT_${name}`] ?? "")).toMatchObject({ code: 0 });
  }
  const gone = new Set([...Object.keys(names), "USERNAME", "PASSWORD"].map((name) => `ORGSEAT_${name}`));
  acme.variables = () => Object.fromEntries(Object.entries(before).filter(([name]) => !gone.has(name)));
  truncateSync(stateFile(acme, ".attrs"));
  const { code, stdout, stderr } = await acme.orgseat("offboard", grace, "--yes");
  expect(stdout, stderr).toContain(`${grace}: token revoked`);
  expect(code).toBe(1);
  expect(await heldBy(acme, grace)).toEqual({ seat: true, tokens: 0 });
});

test("a lock whose file a kill has cut off is one that `pulumi cancel` removes", async () => {
  const acme = await runningOrganization(fourPeople);
  const locks = join(acme.folder, "state", ".pulumi", "locks", "organization", "orgseat", "people");
  mkdirSync(locks, { recursive: true });
  writeFileSync(join(locks, "4711.json"), '{"pid":12');
  acme.write(fourPeople.slice(0, 3));
  const { code, stdout, stderr } = await acme.orgseat("up", "--yes");
  expect(code, stderr).toBe(1);
  expect(stdout + stderr).toContain(
    "another run holds the lock of the stack, or was killed while it wrote the lock. If that run was killed, remove its lock with `",
  );
  expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
  await acme.succeed("up", "--yes");
});

test("a salt that a kill has cut off in the settings of the stack stops no later run", async () => {
  const acme = await runningOrganization(fourPeople);
  const settings = join(acme.folder, ".orgseat", "pulumi", "Pulumi.people.yaml");
  const whole = readFileSync(settings);
  truncateSync(settings, Math.floor(whole.length / 2));
  acme.write(fourPeople.slice(0, 3));
  await acme.succeed("up", "--yes");
  // Pulumi has written that of the state.
  expect(readFileSync(settings)).toEqual(whole);
});
