// @module-tag ci
/** Whose stacks they are: two rosters, one backend; another program's stack; a renamed project; a state that was restored. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { parseRoster } from "../../sdk/automation/roster/read.ts";
import { MARKER_TYPE } from "../../sdk/automation/roster/roster.ts";
import { entriesOf, readState } from "../../sdk/automation/stack-state.ts";
import { onEachEngine } from "../setup/project.ts";
import { type Row, runningOrganization, type TestOrganization, testOrganization } from "./organization.ts";

const people = (...names: string[]): Row[] => names.map((name) => ({ email: `${name}@acme.example` }));
const three = people("ada", "grace", "edsger");

const PROJECT = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";

/** The file of another roster, in a folder of its own beside the organization's. */
function otherRoster(acme: TestOrganization, rows: readonly Row[], rosterId?: string): string {
  const folder = join(acme.folder, "other");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "people.csv");
  const header = [
    `# organization: ${acme.sandbox.organizationId}`,
    ...(rosterId ? [`# roster: ${rosterId}`] : []),
  ];
  writeFileSync(file, [...header, "email", ...rows.map(({ email }) => email), ""].join("\n"));
  return file;
}

/** The types of what a stack has, and the names of its markers. */
async function stateOf(acme: TestOrganization, stack: string) {
  const engine = new PulumiEngine({ folder: acme.folder, environment: acme.variables() });
  const entries = entriesOf(readState(stack, await engine.exportStack(stack)));
  const markers = entries.filter(({ type }) => type === MARKER_TYPE).map(({ urn }) => urn.split("::").at(-1));
  return { entries, markers };
}

onEachEngine("owners of stacks", (engine) => {
  test("the first up writes the roster's id and marks the stack; another roster is refused, with an id and without, and removes nobody", async () => {
    const acme = await testOrganization(engine);
    acme.write(three);
    const first = await acme.orgseat("up", "--yes");
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Commit this change[\s\S]*\n\+# roster: /),
    });
    const id = acme.rosterId() ?? "";
    expect((await stateOf(acme, "people")).markers).toEqual([id]);
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });
    await acme.sandbox.requests();

    const other = otherRoster(acme, people("barbara", "donald"));
    const refused = await acme.orgseat("up", "--yes", "--roster", other);
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain(`stack people belongs to roster ${id}, and ${other} has no id`);
    expect(refused.stdout).toContain(`${other} lists none of the 3 people in the state`);
    otherRoster(acme, three, "00000000-0000-4000-8000-00000000000f");
    const another = await acme.orgseat("up", "--yes", "--roster", other);
    expect(another.code).toBe(3);
    expect(another.stdout).toContain(`stack people belongs to roster ${id}, but ${other} is roster 0000`);

    expect(await acme.writes()).toEqual([]);
    expect(Object.keys(await acme.members())).toHaveLength(3);
    expect((await stateOf(acme, "people")).markers).toEqual([id]);
    expect(readFileSync(other, "utf8")).toContain("00000000-0000-4000-8000-00000000000f");
  });

  test("where nobody commits the id people join, nobody leaves, and the line to add is named; destroy leaves an empty stack and no id", async () => {
    const acme = await runningOrganization(engine, three);
    const id = acme.rosterId() ?? "";
    const uncommitted = (rows: readonly Row[]): void => {
      rmSync(acme.file);
      acme.write(rows);
    };
    uncommitted([...three, ...people("barbara")]);
    expect(await acme.orgseat("preview")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `has no roster id: \`orgseat up\` adds the id of its stacks (# roster: ${id})`,
      ),
    });
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(acme.rosterId()).toBe(id);
    expect(await acme.writes()).toEqual([5, 6, 7]);
    uncommitted(three);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(`add the line \`# roster: ${id}\` to its header`),
    });
    expect(await acme.writes()).toEqual([]);

    writeFileSync(acme.file, acme.read().replace("\n", `\n# roster: ${id}\n`));
    const stopped = await acme.orgseat("destroy", "--yes");
    const [, pass = ""] = /--allow-removals (\S+)/.exec(stopped.stdout) ?? [];
    const destroyed = await acme.orgseat("destroy", "--yes", "--allow-removals", pass);
    expect(destroyed).toMatchObject({ code: 0, stdout: expect.stringContaining(`-# roster: ${id}`) });
    expect(await acme.members()).toEqual({});
    expect(acme.rosterId()).toBeUndefined();
    expect(await acme.pulumi("stack", "rm", "--yes", "people")).toMatchObject({ code: 0 });
  });

  test("a stack of somebody else with the name of a shard is left alone, and refused where a shard needs the name", async () => {
    const acme = await testOrganization(engine);
    const other = otherRoster(acme, people("barbara", "donald"));
    expect(await acme.orgseat("up", "--yes", "--roster", other, "--stack", "eng-02")).toMatchObject({
      code: 0,
    });
    acme.write(three);
    expect(await acme.orgseat("up", "--yes", "--stack", "eng")).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toHaveLength(5);
    await acme.sandbox.requests();

    acme.write(three, { stacks: 2 });
    const refused = await acme.orgseat("up", "--yes", "--stack", "eng");
    expect(refused).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("stack eng-02 belongs to roster"),
    });
    await withoutMarker(acme, "eng-02", other);
    const unmarked = await acme.orgseat("up", "--yes", "--stack", "eng");
    expect(unmarked).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("stack eng-02 is not marked as a stack of"),
    });
    acme.write(three);
    expect(await acme.orgseat("preview", "--exit-code", "--stack", "eng")).toMatchObject({ code: 0 });
    expect(await acme.writes()).toEqual([]);
    expect(Object.keys(await acme.members())).toHaveLength(5);
  });

  test("after the project was renamed, or in another backend, nobody joins again unless a new stack is meant", async () => {
    const acme = await testOrganization(engine);
    const project = join(acme.folder, "Pulumi.yaml");
    writeFileSync(project, `name: acme\n${PROJECT}`);
    acme.write([...three, { key: "builds", purpose: "Nightly builds" }]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    const before = await acme.members();
    await acme.sandbox.requests();

    writeFileSync(project, `name: acme-people\n${PROJECT}`);
    for (const verb of [["preview"], ["up", "--yes"], ["up", "--yes"]]) {
      expect(await acme.orgseat(...verb)).toMatchObject({
        code: 3,
        stdout: expect.stringMatching(
          /was applied before \(roster \S+\), but stack people of project acme-people does not know it: the run would add 4 people again/,
        ),
      });
    }
    expect(await acme.orgseat("preview", "--new-stack")).toMatchObject({ code: 0 });
    expect(await acme.sandbox.requests()).toEqual([]);
    writeFileSync(project, `name: acme\n${PROJECT}`);
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });
    expect(await acme.members()).toEqual(before);
  });

  test("a state from before the last writes gives a warning in preview and up, and the newest state gives none", async () => {
    const acme = await runningOrganization(engine, three);
    const state = join(acme.folder, "state/.pulumi/stacks/orgseat/people.json");
    copyFileSync(state, `${state}.old`);
    acme.write([...three, ...people("barbara")]);
    expect((await acme.orgseat("up", "--yes")).stdout).not.toContain("older state");
    expect((await acme.orgseat("preview")).stdout).not.toContain("older state");
    const aged = readFileSync(`${state}.old`, "utf8").replace(/("time":\s*")\d{4}/, "$12020");
    writeFileSync(state, aged);
    const warning =
      /the state of stack people was written at 2020-\S+, and \S+ has \d+ writes after that, .*add user: 4/;
    expect((await acme.orgseat("preview")).stdout).toMatch(warning);
    acme.write(three);
    expect((await acme.orgseat("up", "--yes")).stdout).toMatch(warning);
  });
});

/** Makes of a stack one of a program that knows no markers. */
async function withoutMarker(acme: TestOrganization, stack: string, file: string): Promise<void> {
  const engine = new PulumiEngine({ folder: join(acme.folder, "other"), environment: acme.variables() });
  const roster = { ...parseRoster(readFileSync(file, "utf8"), file), id: undefined };
  const { failure } = await engine.run({
    operation: "up",
    stack,
    program: { kind: "roster", roster, leavers: [] },
  });
  expect(failure).toBeUndefined();
}
