import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { exampleStack } from "../examples/example.ts";
import { checkEach, seed } from "../setup/cases.ts";
import { markedCredentials, markedSandbox, prepareCopies, routeThrough } from "../setup/copies.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { killBelow } from "../setup/process-tree.ts";
import { findSecrets, marked, markedSecrets } from "../setup/secrets.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { echoes } from "./echoes.ts";
import {
  isCall,
  loud,
  program,
  type Scenario,
  secretsOnWire,
  secretsShown,
  type Tools,
  troubled,
  type Watched,
  withoutDebugEvents,
} from "./scenario.ts";

const scenarios: Readonly<Record<string, Scenario>> = {
  ...Object.fromEntries(
    ["org-basic", "org-members", "bootstrap"].map((name) => [`the example ${name}`, lifeOf(name)]),
  ),
  "credentials removed from a program": credentialsRemoved,
  ...failures(),
  ...crashes(),
  ...echoes(),
};
const names = Object.keys(scenarios);

describe("secrets", () => {
  const suite = { name: "secrets", level: "E", cases: names.length } as const;

  test("stand in no state, history, backup, preview, event, output or log, whatever happens", async () => {
    const copies = {
      basic: await prepareCopies(program, "basic"),
      anaconda: await prepareCopies(program, "anaconda"),
    };
    await checkEach(suite, names, async (name) => {
      const scenario = scenarios[name];
      if (!scenario) throw new Error("no such scenario");
      // The platforms take turns, so both share the cases.
      const platform = platformNames[(names.indexOf(name) + seed) % platformNames.length] ?? "basic";
      const copy: Tools["copy"] = (full, only = platform) => copies[only](full);
      const { stack, proxy } = await scenario({ platform, copy });
      withoutDebugEvents(stack);
      const texts = Object.fromEntries(stack.printed.map((text, index) => [`output ${index}`, text]));
      expect(findSecrets(markedSecrets, { texts, folders: [stack.folder] })).toEqual([]);
      expect(secretsOnWire(proxy), "what the search would have found").toContain("accessToken");
    });
  });
});

/** All that people do with an example, with a new secret for the account if it has one. */
function lifeOf(name: string): Scenario {
  return async ({ platform }) => {
    const organization = await markedSandbox({}, temporaryFolder(), platform);
    const proxy = await InterceptingProxy.before(organization.service.orgUrl);
    const environment = {
      ORGSEAT_USERNAME: organization.service.seed.username,
      ...markedCredentials,
      // org-members destroys five people.
      ORGSEAT_MAX_REMOVALS: "5",
    };
    const stack = await exampleStack(organization, name, environment);
    routeThrough(proxy, stack);
    if (name === "org-basic") {
      const contractEnd = formatInstant(Date.now() + 90 * 86_400_000).slice(0, 10);
      await stack.pulumi("config", "set", "contractEnd", contractEnd);
    }
    await stack.preview(...loud(stack));
    expect(await stack.up(...loud(stack))).toMatchObject({ code: 0 });
    if (name === "bootstrap") {
      await stack.pulumi("config", "set", "rotation", "2");
      await stack.preview(...loud(stack));
      expect(await stack.up(...loud(stack))).toMatchObject({ code: 0 });
    }
    await stack.preview("--json");
    await stack.refresh(...loud(stack));
    for (const args of [["output", "--json"], ["export"], ["history", "--json"]]) {
      expect(await stack.pulumi("stack", ...args)).toMatchObject({ code: 0 });
    }
    // Where they belong they are, and the same search finds them.
    expect(secretsShown(JSON.stringify(await stack.outputs()))).toEqual(["minted"]);
    const { output } = await stack.pulumi("stack", "export", "--show-secrets");
    expect(secretsShown(output)).toEqual(["minted"]);
    const account = name === "org-members" ? ["clientSecret"] : ["password"];
    expect(secretsOnWire(proxy).toSorted()).toEqual(["accessToken", "minted", ...account].toSorted());
    expect(await stack.destroy(...loud(stack))).toMatchObject({ code: 0 });
    return { stack, proxy };
  };
}

const WITH_CREDENTIALS = `import * as pulumi from "@pulumi/pulumi";
import { OrgMember, ServiceAccount } from "orgseat";

const config = new pulumi.Config();
const own = config.require("credentials") === "own";
const username = config.require("username");
const password = config.requireSecret("password");
const bot = new ServiceAccount("bot", { name: "build-bot", ...(own ? { credentials: { username, password } } : {}) });
new OrgMember("ada", { email: "ada@acme.example", seat: true, token: {}, ...(own ? { credentials: bot } : {}) });
`;

async function credentialsRemoved({ copy }: Tools): Promise<Watched> {
  const { stack, proxy, organization } = await copy(false);
  writeFileSync(join(stack.folder, "index.mjs"), WITH_CREDENTIALS);
  const set = (...args: string[]) => stack.pulumi("config", "set", ...args);
  await set("username", organization.service.seed.username);
  await set("--secret", "password", marked.password);
  await set("credentials", "own");
  expect(await stack.up(...loud(stack))).toMatchObject({ code: 0 });
  const { output } = await stack.pulumi("stack", "export", "--show-secrets");
  expect(secretsShown(output).toSorted()).toEqual(["minted", "password"]);
  await set("credentials", "none");
  await stack.preview(...loud(stack));
  await stack.preview("--json");
  expect(await stack.up(...loud(stack))).toMatchObject({ code: 0 });
  await stack.pulumi("stack", "export");
  await stack.pulumi("stack", "history", "--json");
  expect(await stack.destroy(...loud(stack))).toMatchObject({ code: 0 });
  return { stack, proxy };
}

function failures(): Record<string, Scenario> {
  const html = {
    kind: "refuse",
    status: 500,
    headers: { "content-type": "text/html" },
    body: "<html>Oops</html>",
  } as const;
  const invalid = { detail: [{ loc: ["body", "email"], msg: "not an email", type: "value_error" }] };
  const refuse = (status: number, body?: unknown) => ({ kind: "refuse", status, body }) as const;
  const faults: [string, number | "token", FaultRule["fault"]][] = [
    ...([1, 5, 6, 7] as const).flatMap((call): [string, number, FaultRule["fault"]][] => [
      [`no answer to call ${call}`, call, { kind: "cut-after" }],
      [`half an answer to call ${call}`, call, { kind: "cut-middle" }],
    ]),
    ...([1, 5, 6, 7] as const).map((call): [string, number, FaultRule["fault"]] => [
      `an HTML page of call ${call}`,
      call,
      html,
    ]),
    ...([5, 6, 7] as const).map((call): [string, number, FaultRule["fault"]] => [
      `409 of call ${call}`,
      call,
      refuse(409),
    ]),
    ["402 of call 6", 6, refuse(402)],
    ["422 of call 5", 5, refuse(422, invalid)],
    ["half an answer of the token endpoint", "token", { kind: "cut-middle" }],
    ["403 of call 1", 1, refuse(403)],
  ];
  const played = faults.map(([name, call, fault]): [string, Scenario] => [
    name,
    async ({ copy }) => {
      const made = await copy(false);
      const { management } = made.organization.service;
      await management.addFaults({ match: { call }, fault });
      const watched = await troubled(made, program);
      expect(
        (await management.faults()).map(({ hits }) => hits),
        "the fault was played",
      ).toEqual([1]);
      return watched;
    },
  ]);
  const wrong = (["PASSWORD", "CLIENT_SECRET"] as const).map((key): [string, Scenario] => [
    `a wrong ${key}`,
    async ({ copy }) => {
      const made = await copy(false);
      made.stack.environment[`ORGSEAT_${key}`] = `${markedCredentials[`ORGSEAT_${key}`]}, mistyped`;
      const watched = await troubled(made, program);
      expect(watched.stack.printed.join("\n")).toMatch(/wrong username or password|wrong client_secret/);
      return watched;
    },
  ]);
  return Object.fromEntries([...played, ...wrong]);
}

/** The provider process alone is killed while a write is under way; the engine tells of it. */
function crashes(): Record<string, Scenario> {
  const writes = { 1: "/service-accounts", 5: "/users", 6: "/seats", 7: "/token" } as const;
  const one = (path: string): Scenario => {
    return async ({ copy }) => {
      const { stack, proxy } = await copy(false);
      stack.declare(program);
      const caught = proxy.hold("answer", (passed) => isCall(passed, "POST", path));
      const engine = stack.start("up", "--yes", "--skip-preview", ...loud(stack));
      await Promise.race([caught, engine.ended]);
      await killBelow(engine.pid, /dynamic-provider/);
      expect((await engine.ended).code).not.toBe(0);
      stack.programs = "inline";
      await stack.preview(...loud(stack));
      return { stack, proxy };
    };
  };
  return Object.fromEntries(
    Object.entries(writes).map(([call, path]) => [`the provider process killed in call ${call}`, one(path)]),
  );
}
