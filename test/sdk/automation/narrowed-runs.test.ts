/** About whom a preview asks Pulumi: about nobody whom nothing changes, and about everybody where a state is not as usual. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Deployment, StackRun } from "../../../sdk/automation/engine/engine.ts";
import { previewAll } from "../../../sdk/automation/preview/preview.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { DirectEngine } from "../../setup/direct-engine.ts";
import { directFixture, type Fixture, type Opening } from "./fixture.ts";
import type { NewPerson } from "./people.ts";

const stateSchema = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(z.record(z.string(), z.unknown())),
    pending_operations: z.array(z.unknown()).optional(),
  }),
});
type EditableState = z.output<typeof stateSchema>;

/** Remembers the runs, and shows a state that somebody has edited. */
class WatchedEngine extends DirectEngine {
  readonly runs: StackRun[] = [];
  edit: (state: EditableState) => void = () => undefined;

  override run(...[run, listener, signal]: Parameters<DirectEngine["run"]>): ReturnType<DirectEngine["run"]> {
    this.runs.push(run);
    return super.run(run, listener, signal);
  }

  override async exportStack(stack: string): Promise<Deployment | undefined> {
    const exported = await super.exportStack(stack);
    if (exported === undefined) return undefined;
    const state = stateSchema.parse(structuredClone(exported));
    this.edit(state);
    return state;
  }
}

const person = (key: string, more: Partial<NewPerson> = {}): NewPerson => ({
  ...{ key, email: `${key}@acme.example`, seat: true, token: true, protected: false },
  ...more,
});
const everybody = ["ada", "bob", "eve"].map((key) => person(key));

async function watched(): Promise<{ fixture: Fixture; engine: WatchedEngine }> {
  const fixture = await directFixture(50);
  const engine = new WatchedEngine(fixture.environment);
  await upAll(await open(fixture, engine, everybody), {});
  engine.runs.length = 0;
  return { fixture, engine };
}

function open(fixture: Fixture, engine: WatchedEngine, people: readonly NewPerson[], options: Opening = {}) {
  const { organizationId } = fixture;
  return fixture.open({ organizationId, stacks: 1, people }, { engine, ...options });
}

/** The people of each run's program, and whether it has targets. */
function askedAbout({ runs }: WatchedEngine): { people: string[]; isNarrow: boolean }[] {
  return runs.map(({ program, targets }) => ({
    people: program.kind === "roster" ? program.roster.people.map(({ key }) => key) : [],
    isNarrow: targets !== undefined,
  }));
}

function entryOf({ deployment }: EditableState, name: string): Record<string, unknown> {
  const found = deployment.resources.find(({ urn }) => String(urn).endsWith(`::${name}`));
  if (found === undefined) throw new Error(`the state has no ${name}`);
  return found;
}

function changing(name: string, fields: object): (state: EditableState) => void {
  return (state) => {
    Object.assign(entryOf(state, name), fields);
  };
}

const everyone = { people: ["ada", "bob", "eve"], isNarrow: false };

describe("a preview", () => {
  test("asks Pulumi about nobody if nothing changes", async () => {
    const { fixture, engine } = await watched();
    const { plan } = await previewAll(await open(fixture, engine, everybody), {});
    expect(plan).toMatchObject({ hasChanges: false, managed: 3 });
    expect(engine.runs).toEqual([]);
  });

  test("asks Pulumi about nobody in stacks without people", async () => {
    const fixture = await directFixture(50);
    const engine = new WatchedEngine(fixture.environment);
    const { organizationId } = fixture;
    const roster = { organizationId, stacks: 8, people: everybody };
    await upAll(await fixture.open(roster, { engine }), {});
    expect(new Set(engine.runs.map(({ stack }) => stack))).toHaveProperty("size", 3);
    await upAll(await fixture.open({ ...roster, people: [person("ada")] }, { engine }), {});
    engine.runs.length = 0;
    const open = () => fixture.open({ ...roster, people: [person("ada")] }, { engine });
    expect((await previewAll(await open(), {})).plan.hasChanges).toBe(false);
    expect(engine.runs).toEqual([]);
  });

  test("and its run ask Pulumi about a joiner, a leaver and a changed row alone", async () => {
    const { fixture, engine } = await watched();
    const people = [person("ada", { protected: true }), person("eve"), person("zoe")];
    const { status } = await upAll(await open(fixture, engine, people), {});
    expect(status).toBe("succeeded");
    const some = { people: ["ada", "zoe"], isNarrow: true };
    // Seats could run short, so the leaver goes in a pass of its own.
    expect(askedAbout(engine)).toEqual([some, some, some]);
    expect(engine.runs.map(({ operation }) => operation)).toEqual(["preview", "up", "up"]);
    engine.runs.length = 0;
    expect((await previewAll(await open(fixture, engine, people), {})).plan.hasChanges).toBe(false);
    expect(engine.runs).toEqual([]);
  });

  test("asks about everybody with --full, and with --refresh", async () => {
    const { fixture, engine } = await watched();
    await previewAll(await open(fixture, engine, everybody, { full: true }), {});
    await previewAll(await open(fixture, engine, everybody), { refresh: true });
    expect(askedAbout(engine)).toEqual([everyone, everyone]);
  });

  test("asks about everybody if a row has the user id of another member", async () => {
    const { fixture, engine } = await watched();
    const ids = await fixture.userIds(await open(fixture, engine, everybody));
    const people = [...everybody, person("zoe", { userId: ids.get("ada") })];
    await previewAll(await open(fixture, engine, people), {});
    expect(askedAbout(engine)).toEqual([{ people: ["ada", "bob", "eve", "zoe"], isNarrow: false }]);
  });

  test.each<[what: string, edit: (state: EditableState) => void]>([
    [
      "an operation that was not finished",
      ({ deployment }) => {
        const resource = { urn: "urn:pulumi:people::orgseat::x::y", type: "x" };
        deployment.pending_operations = [{ type: "creating", resource }];
      },
    ],
    ["a replaced object that is still there", changing("ada-token", { delete: true })],
    ["a creation that was not finished", changing("ada-seat", { initErrors: ["x"] })],
    ["a key that this release does not know", changing("ada", { newKey: 1 })],
    [
      "a second provider",
      ({ deployment }) => {
        const urn = "urn:pulumi:people::orgseat::pulumi:providers:pulumi-nodejs::other";
        deployment.resources.push({ urn, type: "pulumi:providers:pulumi-nodejs", id: "x", custom: true });
      },
    ],
    [
      "a resource of another type",
      ({ deployment }) => {
        const urn = "urn:pulumi:people::orgseat::aws:s3/bucket:Bucket::b";
        deployment.resources.push({ urn, type: "aws:s3/bucket:Bucket", id: "x", custom: true });
      },
    ],
    [
      "two resources of one user",
      (state) => {
        Object.assign(entryOf(state, "ada-user"), { id: entryOf(state, "bob-user").id });
      },
    ],
  ])("asks about everybody if the state has %s", async (_, edit) => {
    const { fixture, engine } = await watched();
    engine.edit = edit;
    await previewAll(await open(fixture, engine, everybody), {});
    expect(askedAbout(engine)).toEqual([everyone]);
  });

  test.each<[what: string, name: string, field: string, value: unknown]>([
    ["another provider", "ada-user", "provider", "urn:pulumi:people::orgseat::pulumi:providers:x::y::z"],
    ["another dependency", "ada-seat", "dependencies", []],
    ["no secret output", "ada-token", "additionalSecretOutputs", []],
    ["a protection that the row does not have", "ada-seat", "protect", true],
    ["a protected component", "ada", "protect", true],
    ["inputs of another form", "ada-user", "inputs", {}],
    ["outputs of another form", "ada-token", "outputs", { stateVersion: 1 }],
    ["outputs of another release", "ada-user", "outputs", { stateVersion: 0 }],
  ])("asks about a person whose state has %s", async (_, name, field, value) => {
    const { fixture, engine } = await watched();
    engine.edit = changing(name, { [field]: value });
    await previewAll(await open(fixture, engine, everybody), {}).catch(() => undefined);
    expect(askedAbout(engine)).toEqual([{ people: ["ada"], isNarrow: true }]);
  });
});
