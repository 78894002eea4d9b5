// @module-tag ci
/** Whose stacks they are: two rosters, one backend; another program's stack; a renamed project; a state that was restored. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { MARKER_TYPE } from "../../sdk/automation/roster/roster.ts";
import { entriesOf, readState } from "../../sdk/automation/stacks/stack-state.ts";
import { type Row, type TestOrganization, testOrganization } from "./organization.ts";

const people = (...names: string[]): Row[] => names.map((name) => ({ email: `${name}@acme.example` }));
const three = people("ada", "grace", "edsger");

const PROJECT = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";

/** The file of another roster, in its own folder beside the organization's. */
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

describe("owners of stacks", () => {
  test("the first up writes the roster's id and marks the stack; another roster is refused, with an id and without, and removes nobody", async () => {
    const acme = await testOrganization();
    acme.write(three);
    const first = await acme.orgseat("up", "--yes");
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Commit this roster change:[\s\S]*\n\+# roster: /),
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

  test("nobody joins again after a rename of the project, or in another backend, unless a new stack is meant", async () => {
    const acme = await testOrganization();
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
          /was applied before \(roster \S+\), but stack people of project acme-people does not have this id: the run would add 4 people again/,
        ),
      });
    }
    expect(await acme.orgseat("preview", "--new-stack")).toMatchObject({ code: 0 });
    expect(await acme.sandbox.requests()).toEqual([]);
    writeFileSync(project, `name: acme\n${PROJECT}`);
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });
    expect(await acme.members()).toEqual(before);
  });
});
