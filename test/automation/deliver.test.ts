// @module-tag ci
/** A roster with a module: what it registers is planned, applied, reported and removed with its member. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { planSchema } from "../setup/plan-schema.ts";
import { killBelow } from "../setup/process-tree.ts";
import { pulumiCommand } from "../setup/project.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { deliveringOrganization, lastStored, moduleWith, storeWrites, writeModule } from "./delivering.ts";
import { appears, type Row, type TestOrganization } from "./organization.ts";

const people: readonly Row[] = [
  { key: "ada", email: "ada@acme.example", team: "Engines" },
  { key: "bob", email: "bob@acme.example" },
];
const resultsSchema = z.looseObject({
  results: z.array(z.looseObject({ key: z.string(), status: z.string(), text: z.string().nullable() })),
});
/** Without that of the roster, whose module is a setting of it. */
const ofPeople = ({ results }: z.output<typeof resultsSchema>) =>
  results.filter(({ key }) => people.some((one) => one.key === key) || ["cy", "di"].includes(key));
const onlyBob = `if (email === "bob@acme.example") throw new Error("no folder for bob");`;

describe("deliver", () => {
  test("a module: each member's token goes into the store, is rotated there, and leaves with its member", async () => {
    const acme = await deliveringOrganization(people);
    const planned = await acme.json(planSchema.loose(), "preview");
    expect(planned.counts).toMatchObject({ joining: 2, deliveredCreated: 2, deliveredDeleted: 0 });
    expect(planned.people.map(({ actions }) => actions.at(-1))).toEqual([
      "createDelivered",
      "createDelivered",
    ]);
    const first = await acme.orgseat("up", "--yes");
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain("2 delivered resources to create");
    expect(first.stdout).toMatch(/ok {7}ada@acme.example .*token issued, 1 delivered resource created/);
    expect(storeWrites(acme)).toEqual(["create ada-secret value=*", "create bob-secret value=*"]);
    expect((await acme.orgseat("up", "--yes")).stdout).toContain("No changes.");

    await acme.succeed("rotate", "ada@acme.example", "--yes");
    await acme.succeed("token", "ada@acme.example", "--out", "ada.txt");
    const token = readFileSync(join(acme.folder, "ada.txt"), "utf8").trim();
    expect(lastStored(acme, "ada-secret")).toMatchObject({ value: { value: token }, team: "Engines" });
    expect(storeWrites(acme)).toEqual(["update ada-secret ada-secret-1 value=*"]);

    acme.write(people.slice(0, 1), { deliver: "./stores/deliver.ts" });
    await acme.succeed("up", "--yes");
    expect(storeWrites(acme)).toEqual(["delete bob-secret bob-secret-1 value=*"]);
    await acme.succeed("offboard", "ada@acme.example", "--yes");
    expect(storeWrites(acme)).toEqual(["delete ada-secret ada-secret-1 value=*"]);
    expect(Object.keys(await acme.members())).not.toContain("ada@acme.example");
  });

  test("a function that throws for one person: the others get everything, and what that person has stays", async () => {
    const acme = await deliveringOrganization(people);
    await acme.succeed("up", "--yes");
    storeWrites(acme);
    writeModule(acme, moduleWith(onlyBob));
    acme.write([...people.slice(1), { key: "cy", email: "cy@acme.example" }], {
      deliver: "./stores/deliver.ts",
    });
    const preview = await acme.orgseat("preview");
    expect(preview.stdout).toMatch(
      /cannot deliver to bob@acme.example: no folder for bob \(deliver.ts:\d+:\d+\)/,
    );
    const run = await acme.json(resultsSchema, "up", "--yes");
    expect(run.code).toBe(1);
    expect(
      ofPeople(run)
        .map(({ key, status }) => `${key} ${status}`)
        .toSorted(),
    ).toEqual(["ada succeeded", "bob failed", "cy succeeded"]);
    expect(run.results.find(({ key }) => key === "bob")?.text).toMatch(
      /^cannot deliver to bob@acme.example: /,
    );
    expect(storeWrites(acme)).toEqual(["create cy-secret value=*", "delete ada-secret ada-secret-1 value=*"]);

    // In the preview it works, in the run it does not.
    writeModule(acme, moduleWith(`if (!runtime.isDryRun()) { ${onlyBob} }`));
    acme.write([...people.slice(1), { key: "di", email: "di@acme.example" }], {
      deliver: "./stores/deliver.ts",
    });
    const late = await acme.json(resultsSchema, "up", "--yes");
    expect(
      ofPeople(late)
        .map(({ key, status }) => `${key} ${status}`)
        .toSorted(),
    ).toEqual([...["bob failed", "cy succeeded", "di succeeded"]]);
    expect(storeWrites(acme)).toEqual(["create di-secret value=*", "delete cy-secret cy-secret-1 value=*"]);
  });

  test("a resource that its provider refuses: one sentence with the person, and the others get theirs", async () => {
    const acme = await deliveringOrganization(people);
    refuse(acme, { "create bob-secret": "plain" });
    const run = await acme.json(resultsSchema, "up", "--yes");
    expect(run.code).toBe(1);
    expect(ofPeople(run)).toMatchObject([
      {
        key: "bob",
        status: "failed",
        text: "cannot deliver bob-secret (plug:index:Part): create bob-secret refused",
      },
      { key: "ada", status: "succeeded", text: null },
    ]);
    refuse(acme, {});
    const again = await acme.orgseat("up", "--yes");
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/bob@acme.example .*1 delivered resource created/);
  });

  test("masks tokens and the credentials of the environment in the errors of a module and of a store", async () => {
    const throwing = `member.token?.value.apply((value) => {
      if (key === "bob" && !runtime.isDryRun()) throw new Error("bob has " + value + ", " + process.env.ORGSEAT_PASSWORD);
    });`;
    const acme = await deliveringOrganization(people, moduleWith(throwing));
    const issued = await acme.json(z.looseObject({}), "up", "--yes");
    expect(issued.code).toBe(1);
    expect(JSON.stringify(issued)).toContain("bob has [removed], [removed]");
    writeModule(acme, moduleWith(throwing.replace(" && !runtime.isDryRun()", "")));
    const read = await acme.orgseat("preview");
    expect(`${read.stdout}${read.stderr}`).toContain("bob has [removed], [removed]");
    writeModule(acme, moduleWith());
    await acme.succeed("up", "--yes");
    refuse(acme, { "delete bob-secret": "echo" });
    acme.write(people.slice(0, 1), { deliver: "./stores/deliver.ts" });
    const removed = await acme.orgseat("up", "--yes");
    expect(`${removed.stdout}${removed.stderr}`).toContain('"value":"[removed]"');
    acme.expectNoSecrets();
  });

  test("masks a value that a warning has and no state", async () => {
    const warned = join(temporaryFolder(), "warned");
    const warning = `const { existsSync, writeFileSync } = process.getBuiltinModule("node:fs");
    const warned = ${JSON.stringify(warned)};
    if (!runtime.isDryRun() && !existsSync(warned)) {
      put("late", { value: new Promise(() => undefined) });
      member.token?.value.apply((value) => {
        log.warn("the store got " + value);
        setTimeout(() => writeFileSync(warned, ""), 500);
      });
    }`;
    const acme = await deliveringOrganization(people.slice(0, 1), moduleWith(warning));
    const script = join(temporaryFolder(), "pulumi");
    const command = `PULUMI_SKIP_CHECKPOINTS=true exec ${pulumiCommand} "$@"`;
    writeFileSync(script, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
    acme.environment.ORGSEAT_PULUMI_PATH = script;
    const running = acme.start("up", "--yes");
    await appears(warned, running);
    await killBelow(running.pid, /(^|\/)pulumi up /);
    const { stdout } = await running.ended;
    expect(stdout).toContain("the store got [removed]");
    acme.expectNoSecrets();
  });

  test("a resource without its member as parent, and a module that cannot be loaded, are named", async () => {
    const acme = await deliveringOrganization(people, moduleWith(`put("loose", {}, false);`));
    const loose = await acme.orgseat("preview");
    expect(loose.stdout).toContain("loose (plug:index:Part) has no parent. Pass { parent: member }");
    writeModule(acme, "export const nothing = 1;");
    const empty = await acme.orgseat("preview");
    expect(empty.code).toBe(1);
    expect(`${empty.stdout}${empty.stderr}`).toContain("deliver.ts exports no function");
    writeModule(acme, `throw new Error("no store for " + process.env.ORGSEAT_CLIENT_SECRET);`);
    const thrown = await acme.orgseat("preview");
    const said = `${thrown.stdout}${thrown.stderr}`;
    expect(said).toContain("cannot load deliver.ts: no store for [removed]");
    expect(storeWrites(acme)).toEqual([]);
    acme.expectNoSecrets();
  });
});

function refuse(acme: TestOrganization, faults: Readonly<Record<string, string>>): void {
  writeFileSync(join(acme.folder, "faults.json"), JSON.stringify(faults));
}
