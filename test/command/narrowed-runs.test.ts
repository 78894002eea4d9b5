/** About whom a preview asks Pulumi: about no one whom nothing changes, and about everybody if a state is not as usual. */
import { describe, expect, test, vi } from "vitest";
import { planToText } from "../../command/plan/texts/text.ts";
import { previewAll } from "../../command/preview/preview.ts";
import { MARKER_TYPE } from "../../command/roster/roster.ts";
import { upAll } from "../../command/verbs/up.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { DAY_MS, formatInstant } from "../../provider/util/instants.ts";
import { directFixture } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";
import {
  askedAbout,
  changing,
  type EditableState,
  editableState,
  entryOf,
  everybody,
  open,
  WatchedEngine,
  watched,
} from "./watched-engine.ts";

const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" };

function urnOf(type: string, key: string): string {
  return `urn:pulumi:people::orgseat::orgseat:index:RosterMember$pulumi-nodejs:orgseat:${type}::${key}-user`;
}

function without(part: string): (state: EditableState) => void {
  return ({ deployment }) => {
    deployment.resources = deployment.resources.filter(({ urn }) => !String(urn).includes(part));
  };
}

/** Changes inputs or outputs of a resource. */
function within(name: string, where: "inputs" | "outputs", fields: object): (state: EditableState) => void {
  return (state) => {
    const entry = entryOf(state, name);
    entry[where] = JSON.parse(JSON.stringify({ ...Object(entry[where]), ...fields }));
  };
}

/** The preview of an edited state. It can fail, because the edit makes no sense. */
async function askedAfter(edit: (state: EditableState) => void) {
  const { fixture, engine } = await watched();
  engine.edit = edit;
  await previewAll(await open(fixture, engine, everybody), {}).catch(() => undefined);
  return askedAbout(engine);
}

const justAda = { people: ["ada"], isNarrow: true };
const everyone = { people: ["ada", "bob", "eve"], isNarrow: false };

describe("a preview", () => {
  test("asks Pulumi about nobody if nothing changes", async () => {
    const { fixture, engine } = await watched();
    const { plan } = await previewAll(await open(fixture, engine, everybody), {});
    expect(plan).toMatchObject({ hasChanges: false, managed: 3 });
    expect(engine.runs).toEqual([]);
  });

  test("fails with a wrong passphrase even if nothing changes, so that Pulumi does not run", async () => {
    const { fixture, engine } = await watched();
    const text = "cannot read the state of stack people: failed to decrypt: incorrect passphrase";
    vi.spyOn(engine, "exportWithSecrets").mockRejectedValue(new CodedError("pulumi-failed", text));
    const { failures, plan } = await previewAll(await open(fixture, engine, everybody), {});
    expect(failures).toMatchObject([{ stack: "people", code: "pulumi-failed", text }]);
    expect({ isComplete: plan.isComplete, runs: engine.runs }).toEqual({ isComplete: false, runs: [] });
    expect((await upAll(await open(fixture, engine, everybody), {})).status).toBe("failed");
  });

  test("asks Pulumi about nobody in stacks without people", async () => {
    const fixture = await directFixture(50);
    const engine = new WatchedEngine(fixture.environment);
    const openAll = (people: readonly NewPerson[]) =>
      fixture.open(fixture.rosterOf(people, { stacks: 8 }), { engine });
    await upAll(await openAll(everybody), {});
    expect(new Set(engine.runs.map(({ stack }) => stack))).toHaveProperty("size", 3);
    await upAll(await openAll([person("ada")]), {});
    engine.runs.length = 0;
    expect((await previewAll(await openAll([person("ada")]), {})).plan.hasChanges).toBe(false);
    expect(engine.runs).toEqual([]);
  });

  test("and its run ask Pulumi about a joiner, a leaver and a changed row alone", async () => {
    const { fixture, engine } = await watched();
    const people = [person("ada", { protected: true }), person("eve"), person("zoe")];
    const { status } = await upAll(await open(fixture, engine, people), {});
    expect(status).toBe("succeeded");
    const some = { people: ["ada", "zoe"], isNarrow: true };
    // Seats could run short, so the leaver goes in its own pass.
    expect(askedAbout(engine)).toEqual([some, some, some]);
    expect(engine.runs.map(({ operation }) => operation)).toEqual(["preview", "up", "up"]);
    engine.runs.length = 0;
    expect((await previewAll(await open(fixture, engine, people), {})).plan.hasChanges).toBe(false);
    expect(engine.runs).toEqual([]);
  });

  test("asks about a person whose token is past half of its period, and says when it ends then", async () => {
    const people = [person("ada", { expires: "90d" }), person("bob")];
    let days = 0;
    const now = () => Date.now() + days * DAY_MS;
    const { fixture, engine } = await watched(people, now);
    days = 44;
    const before = await previewAll(await open(fixture, engine, people, { now }), {});
    expect({ changes: before.plan.hasChanges, runs: engine.runs }).toEqual({ changes: false, runs: [] });
    days = 46;
    const after = await previewAll(await open(fixture, engine, people, { now }), {});
    expect(askedAbout(engine)).toEqual([justAda]);
    const until = formatInstant(now() + 90 * DAY_MS).slice(0, 10);
    expect(after.plan.entries).toMatchObject([
      { key: "ada", operation: "renew token", facts: { expiresAt: "90d" } },
    ]);
    expect(planToText(after.plan, [])).toContain(`expires in 90d: ${until}`);
  });

  test("asks about everybody with --full", async () => {
    const { fixture, engine } = await watched();
    await previewAll({ ...(await open(fixture, engine, everybody)), isFull: true }, {});
    expect(askedAbout(engine)).toEqual([everyone]);
  });

  test("asks about no one with --refresh if the platform has no lists to read", async () => {
    const { fixture, engine } = await watched();
    const { plan } = await previewAll(await open(fixture, engine, everybody), { refresh: true });
    expect(plan.hasChanges).toBe(false);
    const { status } = await upAll(await open(fixture, engine, [...everybody, person("zoe")]), {
      refresh: true,
    });
    expect(status).toBe("succeeded");
    expect(askedAbout(engine).filter(({ isNarrow }) => !isNarrow)).toEqual([]);
  });

  test("asks about everybody if a run has settings that the command cannot see", async () => {
    const { fixture, engine } = await watched();
    engine.hasHiddenSettings = () => true;
    await previewAll(await open(fixture, engine, everybody), {});
    expect(askedAbout(engine)).toEqual([everyone]);
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
      "a component that depends on another resource",
      changing("ada", { dependencies: [urnOf("OrgUser", "bob")] }),
    ],
    ["a component that is no component", changing("ada", { custom: true })],
    ["a resource that is a component", changing("ada-seat", { custom: false })],
    [
      "a name that would be a pattern as a target",
      (state) => {
        const text = JSON.stringify(state).replaceAll("::ada", "::*");
        state.deployment = editableState(JSON.parse(text)).deployment;
      },
    ],
    ["a component elsewhere", changing("ada", { parent: urnOf("OrgUser", "bob") })],
    ["a resource outside of a component", changing("ada-seat", { parent: urnOf("OrgUser", "bob") })],
    [
      "a provider of another name",
      changing("default", {
        urn: "urn:pulumi:people::orgseat::pulumi:providers:pulumi-nodejs::default_3_0_0",
      }),
    ],
    ["no provider", without(":providers:")],
    ["no marker", without("index:Roster::")],
    [
      "a second marker",
      ({ deployment: { resources } }) => {
        const marker = resources.find(({ type }) => type === MARKER_TYPE);
        resources.push({ ...marker, urn: `${marker?.urn}2` });
      },
    ],
    [
      "the marker of another roster",
      ({ deployment: { resources } }) => {
        const marker = resources.find(({ type }) => type === MARKER_TYPE);
        Object.assign(marker ?? {}, { urn: `${marker?.urn}2` });
      },
    ],
    [
      "two resources of one user",
      (state) => {
        Object.assign(entryOf(state, "ada-user"), { id: entryOf(state, "bob-user").id });
      },
    ],
  ])("asks about everybody if the state has %s", async (_, edit) => {
    expect(await askedAfter(edit)).toEqual([everyone]);
  });

  test.each<[what: string, edit: (state: EditableState) => void]>([
    [
      "another provider",
      changing("ada-user", { provider: "urn:pulumi:people::orgseat::pulumi:providers:x::y::z" }),
    ],
    ["another dependency", changing("ada-seat", { dependencies: [] })],
    ["no secret output", changing("ada-token", { additionalSecretOutputs: [] })],
    ["a protection that the row does not have", changing("ada-seat", { protect: true })],
    ["a protected component", changing("ada", { protect: true })],
    ["inputs of another form", changing("ada-user", { inputs: {} })],
    ["outputs of another form", changing("ada-token", { outputs: { stateVersion: 3 } })],
    ["a component with inputs", changing("ada", { inputs: { x: 1 } })],
    [
      "an input that depends on others",
      changing("ada-seat", { propertyDependencies: { x: [urnOf("OrgUser", "bob")] } }),
    ],
    ["a secret input", within("ada-user", "inputs", { email: SECRET })],
    ["an input that no program declares", within("ada-user", "inputs", { credentials: SECRET })],
    ["a secret date", within("ada-token", "outputs", { validUntil: SECRET })],
    ["the text of another provider", within("ada-user", "inputs", { __provider: "exports.handler=()=>0" })],
    ["no text of a provider", within("ada-user", "outputs", { __provider: undefined })],
    ["the shape of an older release", within("ada-token", "outputs", { stateVersion: 0 })],
    ["the shape of a newer release", within("ada-token", "outputs", { stateVersion: 3 })],
    ["a seat whose response was lost", within("ada-seat", "outputs", { confirmed: false })],
    ["a token whose response was lost", within("ada-token", "outputs", { isLost: true })],
    ["a token that expires early", within("ada-token", "outputs", { validUntil: "2026-01-01T00:00:00Z" })],
    ["a component without resources", without("::ada-")],
    [
      "two components",
      ({ deployment: { resources } }) => {
        const component = resources.find(({ urn }) => String(urn).endsWith("::ada"));
        resources.push({ ...component, urn: String(component?.urn).replace("::ada", "$x::ada") });
      },
    ],
  ])("asks about a person whose state has %s", async (_, edit) => {
    expect(await askedAfter(edit)).toEqual([justAda]);
  });

  test("asks about a person whose row the provider refuses", async () => {
    const { fixture, engine } = await watched();
    const people = [person("ada", { expires: "2999-01-01" }), person("bob"), person("eve")];
    await previewAll(await open(fixture, engine, people), {});
    expect(askedAbout(engine)).toEqual([justAda]);
  });
});
