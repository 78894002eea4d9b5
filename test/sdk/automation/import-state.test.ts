/** The entries of an import file from states as they can be: nested, unfinished, of other providers, with equal names. */
import { expect, test } from "vitest";
import { readState } from "../../../sdk/automation/stacks/stack-state.ts";
import { hasSecrets, importedFrom, importFileOf } from "../../../sdk/automation/verbs/import-file.ts";

const STACK = "urn:pulumi:dev::app::pulumi:pulumi:Stack::app-dev";
const secret = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  plaintext: '"a-token"',
};

const urn = (types: string, name: string) => `urn:pulumi:dev::app::${types}::${name}`;

function custom(type: string, name: string, more: Record<string, unknown> = {}) {
  const token = `pulumi-nodejs:orgseat:${type}`;
  const place = { urn: urn(token, name), type: token, custom: true, id: `id of ${name}`, parent: STACK };
  return { ...place, inputs: { __provider: "old text" }, outputs: { stateVersion: 1 }, ...more };
}

function component(type: string, name: string, parent = STACK) {
  return { urn: urn(type, name), type, custom: false, parent };
}

function fileOf(resources: readonly object[], more: object = {}) {
  const root = { urn: STACK, type: "pulumi:pulumi:Stack", custom: false };
  const state = readState("dev", { version: 3, deployment: { resources: [root, ...resources], ...more } });
  return importFileOf(importedFrom("dev", state), "dynamic");
}

test("a state: components around a resource are in the file, those without resources and other providers are not", () => {
  const team = component("acme:index:Team", "team");
  const member = component("orgseat:index:OrgMember", "ada", team.urn);
  const { resources } = fileOf([
    team,
    member,
    component("acme:index:Empty", "empty"),
    { ...custom("OrgUser", "bucket"), type: "aws:s3:Bucket" },
    custom("OrgUser", "ada-user", { parent: member.urn }),
    custom("OrgUser", "looked-up", { external: true }),
    component("orgseat:index:OrgMember", "ended"),
  ]);
  expect(resources).toEqual([
    { type: "acme:index:Team", name: "team", component: true },
    { type: "orgseat:index:OrgMember", name: "ada", parent: "team", component: true },
    {
      ...{ type: "pulumi-nodejs:orgseat:OrgUser", name: "ada-user", parent: "ada", id: "id of ada-user" },
      inputs: { __provider: 'exports.handler=()=>require("orgseat/provider").orgUser' },
      outputs: { stateVersion: 1, __provider: 'exports.handler=()=>require("orgseat/provider").orgUser' },
    },
    { type: "orgseat:index:OrgMember", name: "ended", component: true },
  ]);
});

test("a state: equal names get numbers, and the parent's is the right one", () => {
  const one = component("orgseat:index:OrgMember", "ada");
  const { resources } = fileOf([
    custom("OrgUser", "ada"),
    one,
    custom("SeatAssignment", "ada", { parent: one.urn }),
  ]);
  expect(resources.map(({ name, logicalName, parent }) => ({ name, logicalName, parent }))).toEqual([
    { name: "ada", logicalName: undefined, parent: undefined },
    { name: "ada (2)", logicalName: "ada", parent: undefined },
    { name: "ada (3)", logicalName: "ada", parent: "ada (2)" },
  ]);
});

test("a state: secrets stay marked, in plain text", () => {
  const file = fileOf([custom("UserToken", "ada", { outputs: { stateVersion: 1, value: secret } })]);
  expect(file.resources[0]?.outputs?.value).toEqual(secret);
  expect(hasSecrets(file)).toBe(true);
  expect(hasSecrets(fileOf([custom("OrgUser", "ada")]))).toBe(false);
});

const unfinished = "left unfinished operations on ada";
const pending = { pending_operations: [{ type: "creating", resource: custom("OrgUser", "ada") }] };
const bucket = urn("aws:s3:Bucket", "bucket");
const foreign = { ...custom("OrgUser", "bucket"), type: "aws:s3:Bucket", urn: bucket };
test.each([
  ["a replaced resource", [custom("UserToken", "ada", { delete: true })], {}, unfinished],
  ["a half-done replacement", [custom("UserToken", "ada", { pendingReplacement: true })], {}, unfinished],
  ["a pending operation", [custom("OrgUser", "bo")], pending, unfinished],
  ["no resources of orgseat", [component("acme:index:Team", "team")], {}, "contains no orgseat resources"],
  [
    "another provider's parent",
    [foreign, custom("OrgUser", "ada", { parent: bucket })],
    {},
    "ada has the parent bucket, a resource of another provider",
  ],
])("a state with %s is refused", (_case, resources, more, text) => {
  expect(() => fileOf(resources, more)).toThrow(text);
});
