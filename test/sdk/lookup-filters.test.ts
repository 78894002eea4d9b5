/** Lookups against a service that ignores their filters: nothing is returned that is not known to match. */

import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Server } from "../../provider/api/schemas/anaconda-model-schemas.ts";
import { type ServerFilter, serverStatuses } from "../../provider/api/schemas/model-types.ts";
import {
  modelFilters,
  requireFiltered,
  requireModel,
  serverFilters,
} from "../../provider/direct/lookup-filters.ts";
import { getModelServers, getModels } from "../../sdk/index.ts";
import { modelArea } from "../setup/model-area.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import { configured, failureOf } from "./mocked.ts";

const server = {
  ...{ id: "s1", tag: "chat", status: "running", server: { host: "localhost", port: 8080 } },
  modelFile: { id: "f1", name: "f" },
};

type Refused = readonly [what: string, filter: ServerFilter, change: object, message: string];
const OMIT = "and select by what the items have";
const refused: readonly Refused[] = [
  [
    "another tag",
    { tag: "embed" },
    {},
    `server s1 (tag "chat") with tag: "chat" for the filter tag: "embed"`,
  ],
  ["another port", { port: 9 }, {}, `server s1 (tag "chat") with port: 8080 for the filter port: 9`],
  [
    "another host",
    { host: "b" },
    {},
    `server s1 (tag "chat") with host: "localhost" for the filter host: "b"`,
  ],
  [
    "another file",
    { fileId: "f2" },
    {},
    `server s1 (tag "chat") with fileId: "f1" for the filter fileId: "f2"`,
  ],
  [
    "another status",
    { status: "stopped" },
    {},
    `server s1 (tag "chat") with status: "running" for the filter status: "stopped"`,
  ],
  ["one wrong of two", { tag: "chat", port: 9 }, {}, `with port: 8080 for the filter port: 9`],
];

/** Without another list, which nothing may ask for. */
const requireServers = (filter: ServerFilter, found: readonly Server[]) =>
  requireFiltered(serverFilters, filter, found, () => Promise.reject(new Error("another list")));

describe("the filters of servers", () => {
  test.each(refused)("refuse a server with %s", async (_, filter, change, message) => {
    const refusal = expect(requireServers(filter, [{ ...server, ...change }])).rejects;
    await refusal.toThrow(`${message}: it ignores the filter. Omit `);
    await expect(requireServers(filter, [{ ...server, ...change }])).rejects.toThrow(OMIT);
  });

  test.each([
    ["tag", { tag: "chat" }, { tag: null }],
    ["port", { port: 8080 }, { server: null }],
    ["host", { host: "localhost" }, { server: { port: 8080 } }],
    ["fileId", { fileId: "f1" }, { modelFile: undefined }],
    ["status", { status: "running" }, { status: undefined }],
  ] as const)(
    "need another list for a server without %s, which must lack it",
    async (name, filter, change) => {
      const found = [server, { ...server, id: "s2", ...change }];
      const asked: ServerFilter[] = [];
      const check = (others: readonly Server[]) =>
        requireFiltered(serverFilters, filter, found, async (other) => {
          asked.push(other);
          return others;
        });
      // The first one has the field.
      await check([server, { id: "s3" }]);
      await expect(check(found)).rejects.toThrow(
        new RegExp(
          `^the service returned server s2.* for ${name}: .* and for ${name}: .*: it ignores the filter`,
        ),
      );
      expect(asked.map(Object.keys)).toEqual([[name], [name]]);
      expect(asked[0]?.[name]).not.toBe(Reflect.get(filter, name));
    },
  );

  test("accept all that match, in any letter case, and every server without a filter", async () => {
    await requireServers({}, [{ id: "s2" }, server]);
    const all = { tag: "CHAT", host: "LocalHost", port: 8080, fileId: "f1", status: "running" } as const;
    await requireServers(all, [server]);
    await requireServers({ status: "unavailable" }, [{ ...server, status: "errored" }]);
  });

  test("accept servers only if each has every field of the filter", async () => {
    const some = fc.constantFrom("a", "b");
    const filterArbitrary = fc.record(
      { tag: some, host: some, status: fc.constantFrom(...serverStatuses.slice(0, 2)) },
      { requiredKeys: [] },
    );
    const serverArbitrary = fc.record({
      tag: some,
      host: some,
      status: fc.constantFrom(...serverStatuses.slice(0, 2)),
    });
    await fc.assert(
      fc.asyncProperty(filterArbitrary, fc.array(serverArbitrary), async (filter, found) => {
        const servers = found.map(({ host, ...rest }, index) => ({
          id: `s${index}`,
          ...rest,
          server: { host },
        }));
        const fits = found.every((one) =>
          Object.entries(filter).every(([name, wanted]) => Reflect.get(one, name) === wanted),
        );
        const check = requireServers(filter, servers);
        if (fits) await check;
        else await expect(check).rejects.toThrow("it ignores the filter");
      }),
    );
  });
});

test("the filter of models refuses a model that the opposite filter returns too", async () => {
  const check = (...others: string[]) =>
    requireFiltered(modelFilters, { downloaded: true }, [{ id: "m1" }], async (other) => {
      expect(other).toEqual({ downloaded: false });
      return others.map((id) => ({ id }));
    });
  await check("m2");
  await expect(check("m2", "m1")).rejects.toThrow(
    "the service returned model m1 for downloaded: true and for downloaded: false: it ignores the filter",
  );
});

test("requireModel refuses another model than the requested one", () => {
  requireModel("m1", { id: "m1" });
  requireModel("m1", {});
  expect(() => requireModel("m1", { id: "m2" })).toThrow("the service returned model m2 for modelId m1");
});

/** Starts a service that ignores filters, which is what is configured. */
async function begin(platform: Sandbox["service"]["platform"]) {
  const organization = await configured(platform);
  const { fileId } = await modelArea(organization);
  const { management } = organization.service;
  const add = (tag: string, port: number) =>
    management.models.addServer({ tag, fileId, host: "localhost", port, status: "running" });
  await add("chat", 8001);
  await add("embed", 8002);
  return management;
}
beforeEach(() => pulumi.runtime.setAllConfig({}));
afterEach(() => vi.unstubAllEnvs());

test.each(["basic", "anaconda"] as const)(
  "a lookup on %s fails for a filter that the service ignores",
  async (platform) => {
    const management = await begin(platform);
    expect(await getModelServers({ tag: "chat" })).toMatchObject([{ tag: "chat" }]);
    await management.setSwitches({ listFilters: "ignored" });
    expect(await failureOf(getModelServers({ tag: "chat" }))).toMatch(
      /^getModelServers: the service returned server \S+ \(tag "embed"\) with tag: "embed" for the filter tag: "chat": it ignores the filter\. Omit tag, and select by what the items have \[bad-answer\]$/,
    );
    expect(await getModelServers({ status: "running" })).toHaveLength(2);
    // Without the field, only the answer to another value shows it.
    await management.setSwitches({ serverStatus: "none", optionalFields: "omitted" });
    expect(await failureOf(getModelServers({ status: "running" }))).toMatch(
      /the service returned server \S+( \(tag "\w+"\))? for status: "running" and for status: "stopped": it ignores the filter\. Omit status/,
    );
    await management.setSwitches({ listFilters: "applied" });
    expect(await getModelServers({ status: "running" })).toHaveLength(2);
    await management.setSwitches({ listFilters: "ignored", serverStatus: "upper", optionalFields: "sent" });
    if (platform === "basic") return;
    expect(await failureOf(getModels({ downloaded: true }))).toContain(
      "for downloaded: true and for downloaded: false: it ignores the filter. Omit downloaded, and select by getModelFiles",
    );
  },
);
