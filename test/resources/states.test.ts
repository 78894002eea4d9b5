/** What every release has written into states is read by this one, unchanged: exports lie in test/states/<release>/. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { definitions } from "../../provider/definitions.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import { systemClock } from "../../provider/util/instants.ts";
import { packageRoot } from "../../sandbox/start/package-root.ts";

const props = z.record(z.string(), z.unknown());
const stateSchema = z.object({
  resources: z.array(
    z.object({
      type: z.enum(["ServiceAccount", "OrgUser", "SeatAssignment", "UserToken"]),
      id: z.string(),
      inputs: props,
      outputs: props,
    }),
  ),
});
const folder = join(packageRoot, "test", "states");
const process = new ProviderProcess({
  environment: {},
  clock: { ...systemClock, now: () => Date.parse("2029-01-01T00:00:00Z") },
  log: () => ({ write: () => {}, flush: () => Promise.resolve() }),
});
const providers = {
  ServiceAccount: new DynamicProvider(definitions.ServiceAccount, process),
  OrgUser: new DynamicProvider(definitions.OrgUser, process),
  SeatAssignment: new DynamicProvider(definitions.SeatAssignment, process),
  UserToken: new DynamicProvider(definitions.UserToken, process),
};

describe.each(readdirSync(folder))("a state of release %s", (release) => {
  const { resources } = stateSchema.parse(
    JSON.parse(readFileSync(join(folder, release, "stack.json"), "utf8")),
  );

  test("contains every resource", () => {
    expect(resources.map(({ type }) => type)).toEqual(Object.keys(providers));
  });

  test.each(resources)("makes no change for the same $type", async ({ type, id, inputs, outputs }) => {
    const checked = await providers[type].check(inputs, inputs);
    expect(checked).toEqual({ inputs, failures: [] });
    expect(await providers[type].diff(id, outputs, inputs)).toMatchObject({ changes: false, replaces: [] });
    expect(await providers[type].update(id, outputs, inputs), "an update that no diff asked for").toEqual({
      outs: outputs,
    });
  });
});
