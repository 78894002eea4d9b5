/** What the classes hand to the engine, seen by Pulumi's own mocks: inputs, secret marks, chains. */
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  ModelServer,
  Onboarding,
  OrgMember,
  OrgUser,
  SeatAssignment,
  ServiceAccount,
  UserToken,
  VectorTable,
} from "../../sdk/index.ts";
import { type Registered, recordRegistrations, run } from "./mocked.ts";

const registered = new Map<string, Registered>();
beforeEach(() => recordRegistrations(registered));

const inputsOf = (name: string) => registered.get(name)?.inputs ?? {};

describe("what is registered", () => {
  test("stays one constant text a class, and the outputs that are secrets are marked", async () => {
    await run(() => {
      new ServiceAccount("bot", { name: "bot" });
      const user = new OrgUser("user", { email: "ada@acme.example" });
      const seat = new SeatAssignment("seat", { userId: user.id });
      new UserToken("token", { seat });
      new Onboarding("team", { emails: ["grace@acme.example"] });
      new ModelServer("server", { serverId: "s1", onDelete: "retain" });
      new VectorTable("table", { name: "docs" });
      new OrgMember("member", { email: "eve@acme.example", seat: true });
    });
    const rows = ["bot", "user", "seat", "token", "team", "server", "table", "member"].map((name) => {
      const { type, inputs, secretOutputs } = registered.get(name) ?? {};
      return [type, inputs?.__provider, secretOutputs];
    });
    const text = (name: string) => `exports.handler=()=>require("orgseat/provider").${name}`;
    expect(rows).toEqual([
      ["pulumi-nodejs:orgseat:ServiceAccount", text("serviceAccount"), ["clientSecret"]],
      ["pulumi-nodejs:orgseat:OrgUser", text("orgUser"), []],
      ["pulumi-nodejs:orgseat:SeatAssignment", text("seatAssignment"), []],
      ["pulumi-nodejs:orgseat:UserToken", text("userToken"), ["value"]],
      ["pulumi-nodejs:orgseat:Onboarding", text("onboarding"), []],
      ["pulumi-nodejs:orgseat:ModelServer", text("modelServer"), []],
      ["pulumi-nodejs:orgseat:VectorTable", text("vectorTable"), []],
      ["pulumi-nodejs:orgseat:OrgMember", text("orgMember"), ["tokenValue"]],
    ]);
  });

  test("keeps credentials secret, and of a ServiceAccount its id and secret alone", async () => {
    await run(() => {
      new OrgUser("plain", { email: "a@acme.example", credentials: { clientId: "i", clientSecret: "s" } });
      const bot = new ServiceAccount("bot", { name: "bot" });
      new OrgUser("by-account", { email: "b@acme.example", credentials: bot });
    });
    expect(pulumi.runtime.isRpcSecret(inputsOf("plain").credentials)).toBe(true);
    expect(registered.get("plain")?.secretOutputs).toEqual(["credentials"]);
    expect(pulumi.runtime.unwrapRpcSecret(inputsOf("plain").credentials)).toEqual({
      clientId: "i",
      clientSecret: "s",
    });
    const byAccount: object = pulumi.runtime.unwrapRpcSecret(inputsOf("by-account").credentials);
    expect(Object.keys(byAccount).filter((key) => !["clientId", "clientSecret"].includes(key))).toEqual([]);
    expect(pulumi.runtime.isRpcSecret(inputsOf("by-account").credentials)).toBe(true);
  });
});

describe("what is registered for the plugin", () => {
  test("names its type and version, no text, and the dynamic type as an alias", async () => {
    vi.resetModules();
    onTestFinished(() => void vi.resetModules());
    const { registerPluginTypes } = await import("../../sdk/base/registration.ts");
    const classes = await import("../../sdk/index.ts");
    registerPluginTypes("1.2.3");
    await run(() => {
      new classes.OrgMember("ada", { email: "ada@acme.example", seat: true, token: {} });
      new classes.ServiceAccount("bot", { name: "bot" });
    });
    expect(registered.get("ada")).toMatchObject({
      needed: [],
      type: "orgseat:index:OrgMember",
      inputs: { email: "ada@acme.example", seat: true, token: {} },
      secretOutputs: ["tokenValue"],
      version: "1.2.3",
      aliases: ["pulumi-nodejs:orgseat:OrgMember"],
    });
    expect(registered.get("bot")).toMatchObject({
      inputs: { name: "bot" },
      aliases: ["pulumi-nodejs:orgseat:ServiceAccount"],
    });
  });
});

describe("the chain", () => {
  test("leads from a seat to its token by the seat's user, and makes the token depend on the seat of its user", async () => {
    await run(() => {
      const seat = new SeatAssignment("seat", { userId: "u1" });
      new UserToken("token", { seat });
      const user = new OrgUser("user", { email: "ada@acme.example" });
      new OrgUser("other", { email: "eve@acme.example" });
      new SeatAssignment("by-user", { userId: user.userId });
      new UserToken("token-by-user", { userId: user.id.apply((id) => id) });
      new SeatAssignment("plain", { userId: "u2" });
      new UserToken("token-of-plain", { userId: "u2" });
    });
    expect(inputsOf("token").userId).toBe("u1");
    expect(registered.get("token")?.needed).toEqual(["seat"]);
    expect(registered.get("token-by-user")?.needed.toSorted()).toEqual(["by-user", "user"]);
    expect(registered.get("token-of-plain")?.needed).toEqual(["plain"]);
  });

  test("goes through the id, which the preview of an update knows: userId is the id itself", async () => {
    let ids: unknown;
    await run(() => {
      const user = new OrgUser("user", { email: "ada@acme.example" });
      pulumi.all([user.id, user.userId]).apply((both) => {
        ids = both;
      });
    });
    expect(ids).toEqual(["id-of-user", "id-of-user"]);
  });
});

describe("two resources that declare one person", () => {
  test("fail before anything of the second one is registered", async () => {
    const failures = await run(() => {
      new OrgUser("ada", { email: "ada@acme.example" });
      new Onboarding("team", { emails: ["eve@acme.example", "Ada@Acme.example"] });
    });
    expect(failures.join()).toContain('OrgUser "ada" and Onboarding "team" declare the same person (emails)');
    expect(registered.has("team")).toBe(false);
  });

  test("fail where an email is an output", async () => {
    const failures = await run(() => {
      new Onboarding("team", { emails: ["ada@acme.example", pulumi.output("eve@acme.example")] });
      new Onboarding("others", { emails: pulumi.output(["grace@acme.example", "eve@acme.example"]) });
    });
    expect(failures.join()).toMatch(
      /Onboarding "(team|others)" and Onboarding "(team|others)" declare the same person \(emails\)\. Each person can be in one list only/,
    );
  });

  test("pass if it is one list, of plain values and an output", async () => {
    const [ada, output] = ["ada@acme.example", pulumi.output("ADA@acme.example")];
    expect(await run(() => void new Onboarding("team", { emails: [ada, output] }))).toEqual([]);
    expect(registered.has("team")).toBe(true);
  });
});

describe("a resource of the model area", () => {
  test("registers the key as a secret, and no organization", async () => {
    await run(() => {
      new ModelServer("chat", { serverId: "s1", onDelete: "retain", credentials: { apiKey: "k" } });
    });
    const { credentials, ...others } = inputsOf("chat");
    expect(pulumi.runtime.isRpcSecret(credentials)).toBe(true);
    expect(Object.keys(others).toSorted()).toEqual(["__provider", "onDelete", "serverId"]);
  });
});

test.each([
  ["OrgUser", () => new OrgUser("ada", { email: "ada@acme.example" }, { replaceOnChanges: ["firstName"] })],
  [
    "OrgMember",
    () => new OrgMember("ada", { email: "ada@acme.example", seat: true }, { replaceOnChanges: ["email"] }),
  ],
] as const)("refuses the option replaceOnChanges of an %s, and registers nothing", async (type, make) => {
  const failures = await run(() => void make());
  expect(failures.join()).toContain(`${type} "ada": cannot use replaceOnChanges, because orgseat decides`);
  expect(registered.has("ada")).toBe(false);
});
