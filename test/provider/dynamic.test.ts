/** What dynamic resources have besides the table of both doors. */
import { describe, expect, test } from "vitest";
import { markOf } from "../../provider/member/held.ts";
import { orgUserDefinition } from "../../provider/member/primitives/user.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import type { Clock } from "../../provider/util/instants.ts";
import { common, failure, scripted } from "../resources/scripted.ts";

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
