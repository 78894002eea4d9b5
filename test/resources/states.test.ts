/** What every release has written into states is read by this one: exports are in test/states/<release>/. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { definitions } from "../../provider/definitions.ts";
import {
  currentProps,
  refreshedProps,
  STATE_VERSION,
  secretNames,
} from "../../provider/resources/resource-types.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import { systemClock } from "../../provider/util/instants.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

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

  test.each(resources)(
    "updates the outputs of the same $type, and sends nothing",
    async ({ type, id, inputs, outputs }) => {
      const provider = providers[type];
      const news = currentProps(type, inputs);
      expect(await provider.check(inputs, news)).toEqual({ inputs: news, failures: [] });
      expect(await provider.diff(id, outputs, news)).toMatchObject({ changes: true, replaces: [] });
      expect(await provider.diff(id, outputs, inputs), "as a refresh").toMatchObject({ replaces: [] });
      const { outs } = await provider.update(id, outputs, news);
      expect(outs).toEqual({ ...currentProps(type, outputs), stateVersion: STATE_VERSION });
      expect(await provider.diff(id, outs ?? {}, news)).toMatchObject({ changes: false, replaces: [] });
    },
  );
});

describe("refreshedProps of a token of release 0.1.0", () => {
  test("leaves the secret under the name that Pulumi encrypts, and asks for the update again", () => {
    const olds = { token: "the value", stateVersion: 1, validUntil: "2030-01-31T23:59:59Z" };
    const read = { value: "the value", stateVersion: STATE_VERSION, validUntil: "2031-01-31T23:59:59Z" };
    expect(refreshedProps("UserToken", olds, read, ["value"])).toEqual({
      ...olds,
      validUntil: read.validUntil,
    });
    expect(refreshedProps("UserToken", { ...read }, read, ["value"])).toEqual(read);
    const moved = { ...read, stateVersion: 1 };
    expect(refreshedProps("UserToken", moved, read, ["value"])).toEqual(moved);
    expect(secretNames("UserToken", ["value"])).toEqual(["value", "token"]);
  });
});

describe("currentProps", () => {
  test.each([
    ["OrgUser", { firstName: "Builds", onDelete: "keep" }, { purpose: "Builds", onDelete: "retain" }],
    ["OrgUser", { email: "a@b.example", firstName: "Ada" }, { email: "a@b.example", firstName: "Ada" }],
    ["SeatAssignment", { onDelete: "remove" }, { onDelete: "delete" }],
    ["UserToken", { recipient: "age1x", keepToken: false }, { recipients: ["age1x"], keepValue: false }],
    ["UserToken", { recipient: ["age1x", "age1y"] }, { recipients: ["age1x", "age1y"] }],
    ["Onboarding", { retry: "1" }, { resend: "1" }],
    ["ModelServer", { onDelete: "keep", server: null }, { onDelete: "retain", endpoint: null }],
    ["VectorTable", { onDelete: "delete" }, { onDelete: "delete" }],
  ] as const)("%s: reads %o as %o", (type, former, today) => {
    expect(currentProps(type, former)).toEqual(today);
    expect(currentProps(type, today)).toEqual(today);
  });

  test("leaves the former input of a program, which a check refuses with the new name", async () => {
    const { failures } = await providers.UserToken.check({}, { userId: "u1", recipient: "age1x" });
    expect(failures).toContainEqual({
      property: "recipient",
      reason: "this input is now recipients: rename it [invalid-input]",
    });
  });
});
