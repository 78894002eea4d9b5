/** About whom a preview asks Pulumi: about nobody whom nothing changes, and about everybody where a state is not as usual. */
import { describe, expect, test } from "vitest";
import { previewAll } from "../../../sdk/automation/preview/preview.ts";
import { MARKER_TYPE } from "../../../sdk/automation/roster/roster.ts";
import { stored } from "../../../sdk/automation/stacks/usual-state.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { directFixture } from "./fixture.ts";
import {
  askedAbout,
  changing,
  type EditableState,
  entryOf,
  everybody,
  open,
  person,
  WatchedEngine,
  watched,
} from "./watched-engine.ts";

const everyone = { people: ["ada", "bob", "eve"], isNarrow: false };

function indexOfMarker(resources: EditableState["deployment"]["resources"]): number {
  return resources.findIndex(({ type }) => type === MARKER_TYPE);
}

function renaming(name: string, to: string): (state: EditableState) => void {
  return (state) => {
    const entry = entryOf(state, name);
    entry.urn = String(entry.urn).replace(/[^:]*$/, to);
  };
}

/** @param properties undefined removes a key */
function editing(name: string, field: "inputs" | "outputs", properties: object) {
  return (state: EditableState): void => {
    const entry = entryOf(state, name);
    entry[field] = stored({ ...Object(entry[field]), ...properties });
  };
}

/** As Pulumi exports a secret. */
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" };

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
    ["a provider with another name", renaming("default", "default_1_0_0")],
    [
      "no marker",
      ({ deployment }) => void deployment.resources.splice(indexOfMarker(deployment.resources), 1),
    ],
    [
      "the marker of another roster",
      ({ deployment: { resources } }) => {
        const marker = resources[indexOfMarker(resources)];
        Object.assign(marker ?? {}, { urn: String(marker?.urn).replace(/[^:]*$/, "other") });
      },
    ],
    [
      "two markers",
      ({ deployment: { resources } }) => {
        const marker = resources[indexOfMarker(resources)];
        resources.push({ ...marker, urn: `${String(marker?.urn)}2` });
      },
    ],
    [
      "a marker inside of a person",
      (state) => {
        const { resources } = state.deployment;
        Object.assign(resources[indexOfMarker(resources)] ?? {}, { parent: entryOf(state, "ada").urn });
      },
    ],
    [
      "a person inside of a person",
      (state) => {
        Object.assign(entryOf(state, "ada"), { parent: entryOf(state, "bob").urn });
      },
    ],
    ["a seat outside of a person", changing("ada-seat", { parent: "urn:pulumi:people::orgseat::x::y" })],
    ["a resource of another project", changing("ada", { urn: "urn:pulumi:people::other::x::ada" })],
    ["a seat that is no resource of a provider", changing("ada-seat", { custom: false })],
    ["a component that is a resource of a provider", changing("ada", { custom: true })],
    ["a resource that the program only reads", changing("ada-user", { external: true })],
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
    ["another id of the seat", "ada-seat", "id", "other-id"],
    ["another id of the token", "ada-token", "id", "other-id"],
    ["no id", "ada-token", "id", ""],
    ["an input of a component", "ada", "inputs", { key: "x" }],
    ["outputs of another form", "ada-token", "outputs", { stateVersion: 1 }],
    ["outputs of another release", "ada-user", "outputs", { stateVersion: 0 }],
  ])("asks about a person whose state has %s", async (_, name, field, value) => {
    const { fixture, engine } = await watched();
    engine.edit = changing(name, { [field]: value });
    await previewAll(await open(fixture, engine, everybody), {}).catch(() => undefined);
    expect(askedAbout(engine)).toEqual([{ people: ["ada"], isNarrow: true }]);
  });

  test.each<[what: string, edit: (state: EditableState) => void]>([
    ["an encrypted input", editing("ada-user", "inputs", { credentials: secret })],
    ["an encrypted output that is no secret", editing("ada-token", "outputs", { tokenId: secret })],
    ["the provider of another release", editing("ada-seat", "inputs", { __provider: "other" })],
    ["no provider in the outputs", editing("ada-seat", "outputs", { __provider: undefined })],
    ["an additional input", editing("ada-token", "inputs", { rotation: "1" })],
    ["a missing input", editing("ada-token", "inputs", { subscriptionExpiresAt: undefined })],
    ["an additional output", editing("ada-token", "outputs", { rotation: "1" })],
    [
      "a component without resources",
      ({ deployment }) => {
        const kept = deployment.resources.filter(({ urn }) => !/::ada-(user|seat|token)$/.test(String(urn)));
        deployment.resources.splice(0, Infinity, ...kept);
      },
    ],
  ])("asks about a person whose state has %s", async (_, edit) => {
    const { fixture, engine } = await watched();
    engine.edit = edit;
    await previewAll(await open(fixture, engine, everybody), {}).catch(() => undefined);
    expect(askedAbout(engine)).toEqual([{ people: ["ada"], isNarrow: true }]);
  });

  test("asks about both people if the state has the token of one inside of the other", async () => {
    const { fixture, engine } = await watched();
    engine.edit = (state) => {
      Object.assign(entryOf(state, "ada-token"), { parent: entryOf(state, "bob").urn });
    };
    await previewAll(await open(fixture, engine, everybody), {});
    expect(askedAbout(engine)).toEqual([{ people: ["ada", "bob"], isNarrow: true }]);
  });

  test("asks about nobody if the value of a token is encrypted", async () => {
    const { fixture, engine } = await watched();
    engine.edit = editing("ada-token", "outputs", { token: secret });
    const { plan } = await previewAll(await open(fixture, engine, everybody), {});
    expect(plan.hasChanges).toBe(false);
    expect(engine.runs).toEqual([]);
    const step = plan.steps.find(({ name }) => name === "ada-token");
    expect(JSON.stringify(step)).not.toContain(secret.ciphertext);
  });

  test("removes a component that has no resources and no row", async () => {
    const { fixture, engine } = await watched();
    engine.edit = ({ deployment }) => {
      const parent = "urn:pulumi:people::orgseat::pulumi:pulumi:Stack::orgseat-people";
      const urn = "urn:pulumi:people::orgseat::orgseat:index:OrgMember::zoe";
      deployment.resources.push({ urn, type: "orgseat:index:OrgMember", custom: false, parent });
    };
    await previewAll(await open(fixture, engine, everybody), {});
    expect(engine.runs.map(({ targets }) => targets)).toEqual([
      ["urn:pulumi:people::orgseat::orgseat:index:OrgMember::zoe"],
    ]);
  });

  test("asks about everybody in a new stack, with a module, and with a custom program", async () => {
    const fixture = await directFixture(50);
    const engine = new WatchedEngine(fixture.environment);
    await upAll(await open(fixture, engine, everybody), {});
    expect(askedAbout(engine).every(({ isNarrow }) => !isNarrow)).toBe(true);
    engine.runs.length = 0;
    const organization = await open(fixture, engine, everybody);
    const roster = { ...organization.roster, deliver: "/deliver.ts" };
    await previewAll({ ...organization, roster }, {});
    await previewAll({ ...organization, program: new URL("file:///program.ts") }, {}).catch(() => undefined);
    expect(askedAbout(engine)).toEqual([everyone, { people: [], isNarrow: false }]);
  });
});
