// @module-tag ci
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PulumiEngine } from "../../command/engine/pulumi.ts";
import { stackNames } from "../../command/engine/stack-names.ts";
import { shardOf, shardStackOf } from "../../command/stacks/shards.ts";
import { entriesOf, readState } from "../../command/stacks/stack-state.ts";
import { fourPeople, type Row, runningOrganization, type TestOrganization } from "./organization.ts";

const header = { stacks: 3 };
/** Two people for each of the three stacks, by their own key. */
const [first, second] = [0, 1].map((place) =>
  [0, 1, 2].map((shard): Row => {
    const fitting = Array.from({ length: 40 }, (_, index) => `m${index}`).filter(
      (key) => shardOf(key, 3) === shard,
    );
    return { key: fitting[place] ?? "", email: `${fitting[place]}@acme.example` };
  }),
) as [Row[], Row[]];

describe("several stacks", () => {
  test("one that is locked and one that cannot be read stop nobody else; the end says who was left out and why, and the next up goes on", async () => {
    const acme = await runningOrganization(first, header);
    const state = join(acme.folder, "state/.pulumi/stacks/orgseat/people-01.json");
    const sound = readFileSync(state, "utf8");
    // The root is gone that everything lies in.
    writeFileSync(
      state,
      sound.replace(
        /"urn":\s*"urn:pulumi:people-01::orgseat::pulumi:pulumi:Stack::[^"]*"/,
        '"urn": "urn:pulumi:people-01::orgseat::a:b:C::d"',
      ),
    );
    const lock = await lockStack(acme, "people-03");
    acme.write([...first, ...second], header);

    const up = await acme.orgseat("up", "--yes");

    expect(up.code).toBe(1);
    const [, end = ""] = up.stdout.split("Drift: ");
    expect(end).toMatch(new RegExp(`^ok +${second[1]?.email} +added, seat assigned, token issued$`, "m"));
    expect(end).toContain(`skipped  ${second[2]?.email} (people.csv, line 10)  add`);
    expect(end).toMatch(
      /stack people-03 failed: another run holds the lock of the stack \(somebody@\S+ \(pid \d+\), since \S+\)\. If that run was killed, remove its lock with `pulumi cancel --stack people-03 --cwd \.orgseat\/pulumi` \[stack-locked\]\n/,
    );
    expect(end).toMatch(/stack people-01 failed: (?!Command failed)\S+/);
    expect(end).toContain(`Skipped: ${first[0]?.email}, ${second[0]?.email}`);
    expect(end).toContain("1 succeeded, 0 failed, 1 skipped");
    expect(await acme.writes()).toEqual([5, 6, 7]);

    writeFileSync(state, sound);
    rmSync(lock);
    await acme.succeed("up", "--yes");
    const everybody = [...first, ...second].map(({ email }) => email).toSorted();
    expect(Object.keys(await acme.members())).toEqual(everybody);
    expect(await acme.writes()).toHaveLength(6);
    acme.expectNoSecrets();
  });

  test("move people's states from 1 to 3 to 2 stacks without a call; the next preview is empty, and values stay", async () => {
    const acme = await runningOrganization(fourPeople);
    const before = await tokens(acme, ["people"]);
    expect(Object.keys(before)).toHaveLength(4);
    for (const stacks of [3, 2]) {
      const all = stackNames("people", stacks);
      // A stack without people is not created.
      const names = all.filter((name) =>
        fourPeople.some(({ key, email = "" }) => shardStackOf(key || email, all) === name),
      );
      acme.write(fourPeople, { stacks });
      expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({
        code: 2,
        stdout: expect.stringMatching(
          /No changes\.[\s\S]*`orgseat up` first moves the states of \d people[^\n]*\n {2}\S/,
        ),
      });
      const up = await acme.orgseat("up", "--yes");

      expect(up).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/Moved the states of \d people/),
      });
      expect(up.stdout).toContain("No changes.");
      await acme.succeed("preview", "--exit-code");
      expect(await tokens(acme, names)).toEqual(before);
      const listed = z.array(z.object({ name: z.string() }));
      const { stdout } = await acme.pulumi("stack", "ls", "--json");
      expect(listed.parse(JSON.parse(stdout)).map(({ name }) => name)).toEqual(names);
    }
    expect(await acme.sandbox.requests()).toEqual([]);
    acme.expectNoSecrets();
  });

  test("a configuration that one stack has counts for all, with its secrets, and goes along to another number of stacks", async () => {
    const acme = await runningOrganization(first, header);
    const { ORGSEAT_ORG_URL: url = "", ORGSEAT_CLIENT_ID: id = "", ...others } = acme.variables();
    const { ORGSEAT_CLIENT_SECRET: secret = "", ORGSEAT_TOKEN_URL: tokenUrl = "" } = others;
    const unset = ["ORG_URL", "TOKEN_URL", "CLIENT_ID", "CLIENT_SECRET", "USERNAME", "PASSWORD"];
    for (const name of unset) acme.environment[`ORGSEAT_${name}`] = "";
    const set = (stack: string, ...args: string[]) => acme.pulumi("config", "set", "--stack", stack, ...args);
    expect(await set("people-02", "orgseat:orgUrl", url)).toMatchObject({ code: 0 });
    expect(await set("people-02", "--plaintext", "orgseat:tokenUrl", tokenUrl)).toMatchObject({ code: 0 });
    expect(await set("people-02", "orgseat:clientId", id)).toMatchObject({ code: 0 });
    expect(await set("people-02", "orgseat:clientSecret", secret, "--secret")).toMatchObject({ code: 0 });

    acme.write([...first, ...second], header);
    await acme.succeed("up", "--yes");
    expect(await acme.writes()).toHaveLength(9);

    acme.write(second, { stacks: 1 });
    const up = await acme.orgseat("up", "--yes");
    expect(up).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Commit its file Pulumi.people.yaml"),
    });
    expect(Object.keys(await acme.members())).toEqual(second.map(({ email }) => email).toSorted());
    expect(await acme.pulumi("config", "get", "orgseat:clientSecret", "--stack", "people")).toMatchObject({
      stdout: `${secret}\n`,
    });
    // What the last command printed on both streams was asked for.
    acme.printed.splice(-2);
    acme.expectNoSecrets();
  });
});

/** Holds a stack as another living process would. @returns the lock's file */
async function lockStack({ folder }: TestOrganization, stack: string): Promise<string> {
  const locks = join(folder, "state/.pulumi/locks/organization/orgseat", stack);
  await mkdir(locks, { recursive: true });
  const file = join(locks, "11111111-1111-4111-8111-111111111111.json");
  const owner = { pid: process.pid, username: "somebody", hostname: hostname() };
  writeFileSync(file, JSON.stringify({ ...owner, timestamp: new Date().toISOString() }));
  return file;
}

/** The values of tokens in the states, by user id. */
async function tokens(acme: TestOrganization, stacks: readonly string[]): Promise<Record<string, string>> {
  const engine = new PulumiEngine({ folder: acme.folder, environment: acme.variables() });
  const opened = z.object({ plaintext: z.string() });
  const found: Record<string, string> = {};
  for (const stack of stacks) {
    for (const { id, type, outputs } of entriesOf(readState(stack, await engine.exportWithSecrets(stack)))) {
      if (!type.endsWith(":RosterToken") || id === undefined) continue;
      expect(found[id], "nobody is in two stacks").toBeUndefined();
      found[id] = opened.parse(outputs?.value).plaintext;
    }
  }
  return found;
}
