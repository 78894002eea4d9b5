import { describe, expect, test } from "vitest";
import { markOf } from "../../provider/member/held.ts";
import { orgUserDefinition } from "../../provider/member/primitives/user.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import type { Clock } from "../../provider/util/instants.ts";
import { common, failure, scripted } from "../resources/scripted.ts";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const ada = { ...common, email: "ada@acme.example" };
const address = markOf("user-1", ada.email);
const own = { id: "u1", address, adopted: false, seat: "none", seatAdopted: false, tokens: [] } as const;
const state = {
  ...ada,
  stateVersion: 1,
  userId: "u1",
  serviceEmail: null,
  isMachineUser: false,
  adopted: false,
  held: { ref: "user-1", users: [own], agreed: {} },
};

describe("check", () => {
  test("keeps what is not known yet as it came, and adds the organization", async () => {
    const run = await scripted(() => ({}));
    const { organizationId } = common;
    const news = { __provider: "its text", email: unknown, credentials: { clientId: unknown } };
    const checked = await run.orgUser.check({}, news);
    expect(checked).toEqual({
      inputs: { email: unknown, credentials: { clientId: unknown }, organizationId },
      failures: [],
    });
  });

  test("refuses an input that the resource does not have, and says every fault at once", async () => {
    const run = await scripted(() => ({}));
    const { failures = [] } = await run.orgUser.check({}, { ...common, email: "nobody", mail: "x" });
    expect(failures.map(({ property }) => property).sort()).toEqual(["email", "mail"]);
  });
});

describe("what is stored", () => {
  test("holds no undefined, which Pulumi would refuse after the fact", async () => {
    const run = await scripted(() => ({ body: { id: "u1" } }));
    const outs = { ...state, stateVersion: 1, firstName: undefined } as const;
    const careless = { ...orgUserDefinition, create: async () => ({ id: "u1", outs }) };
    const created = await new DynamicProvider(careless, run.process).create(ada);
    expect(Object.keys(created.outs ?? {})).not.toContain("firstName");
    expect(created.outs).toMatchObject({ userId: "u1" });
    const { inputs = {} } = await run.orgUser.check({}, { ...ada, firstName: undefined });
    expect(Object.keys(inputs)).not.toContain("firstName");
  });

  test("fails with the way on if a newer release stored it, before anything is sent", async () => {
    const run = await scripted(() => ({}));
    const error = await failure(run.orgUser.delete("u1", { ...state, stateVersion: 3 }));
    expect(error.message).toContain("newer release of orgseat");
    expect(run.sent()).toEqual([]);
  });

  test("fails before anything is sent if it cannot be read", async () => {
    const run = await scripted(() => ({}));
    const error = await failure(run.orgUser.delete("u1", { ...state, adopted: "perhaps" }));
    expect(error.message).toContain("cannot read the state of OrgUser with the id u1: adopted:");
    expect(run.sent()).toEqual([]);
  });

  test("holds null for an input that was left out", async () => {
    const run = await scripted(() => ({ status: 204 }));
    await run.orgUser.delete("u1", { ...state, firstName: null, onDelete: null });
    expect(run.sent()).toEqual(["DELETE /users/u1"]);
  });
});

describe("diff", () => {
  test("finds an update that sends nothing if the state lacks the provider's text", async () => {
    const run = await scripted(() => ({}));
    const news = { ...ada, __provider: "its text" };
    const diff = (olds: object) => run.orgUser.diff("u1", { ...olds }, news);
    expect(await diff({ ...state, __provider: "its text" })).toMatchObject({ changes: false, replaces: [] });
    expect(await diff(state)).toMatchObject({ changes: true, replaces: [] });
    const { outs } = await run.orgUser.update("u1", state, news);
    expect(outs).toEqual(state);
    expect(run.sent()).toEqual([]);
  });
});

describe("a real run", () => {
  test("sends nothing if an input is not known", async () => {
    const run = await scripted(() => ({ body: { id: "u1" } }));
    const error = await failure(run.orgUser.create({ ...common, email: unknown }));
    expect(error.message).toContain("email has no value outside a preview");
    expect(run.sent()).toEqual([]);
  });
});

describe("configuration that is wrong", () => {
  test.each([
    ["missing orgseat configuration:", { ORGSEAT_ORG_URL: "" }],
    ["orgseat:clientSecret", { ORGSEAT_CLIENT_ID: "", ORGSEAT_CLIENT_SECRET: "" }],
  ])("appears in full once, and short in all other errors: %s", async (words, environment) => {
    const run = await scripted(() => ({}), environment);
    const said = [];
    for (let i = 0; i < 3; i++) said.push((await failure(run.orgUser.create(ada))).message);
    expect(said.map((text) => text.includes(words))).toEqual([true, false, false]);
  });
});

test("a method answers when its messages have arrived, and not before", async () => {
  const order: string[] = [];
  const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  const process = new ProviderProcess({
    environment: { ORGSEAT_ORGANIZATION_ID: common.organizationId },
    clock,
    log: () => ({
      write: () => void order.push("written"),
      flush: async () => {
        await new Promise(setImmediate);
        order.push("arrived");
      },
    }),
  });
  await new DynamicProvider(orgUserDefinition, process).delete("u1", { ...state, adopted: true });
  order.push("answered");
  expect(order).toEqual(["written", "arrived", "answered"]);
});

test("an error has no stack to print", async () => {
  const run = await scripted(() => ({ status: 403, body: { error: { message: "no" } } }));
  const error = await failure(run.orgUser.create(ada));
  expect(error.message).toContain("403");
  expect(error.stack).toBe("");
});
