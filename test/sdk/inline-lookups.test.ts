/** Where a lookup has its settings from, in an inline program of Pulumi's Automation API and by its own options. */
import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { environmentName, type Key } from "../../provider/config/setting-values.ts";
import { getModelServers, getModels, getServiceAccounts, getUsers, OrgUser } from "../../sdk/index.ts";
import { page } from "../docs/pages.ts";
import { configurationOf } from "../setup/direct.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { failureOf, run } from "./mocked.ts";

const state: { withLocalStorage: <Result>(run: () => Result) => Result } = createRequire(import.meta.url)(
  "@pulumi/pulumi/runtime/state.js",
);
const group: Key[] = ["orgUrl", "tokenUrl", "username", "password", "clientId", "clientSecret"];

let organization: Sandbox;
let values: Record<string, string>;

beforeEach(async () => {
  organization = await sandbox({ seats: 2 }, temporaryFolder(), "anaconda");
  values = configurationOf(organization, await makeServiceAccount(organization));
  for (const name of Object.keys(process.env)) if (name.startsWith("ORGSEAT_")) vi.stubEnv(name, undefined);
  await organization.requests();
});
afterEach(() => {
  vi.unstubAllEnvs();
  const stacks: unknown = Reflect.get(globalThis, Symbol.for("orgseat.stacks"));
  if (stacks instanceof Set) stacks.clear();
});

function settingOf(key: Key): string {
  return values[environmentName(key)] ?? "";
}

/** Sets variables of this process. */
function setVariables(keys: readonly Key[], from: (key: Key) => string): void {
  for (const key of keys) vi.stubEnv(environmentName(key), from(key));
}

/** What a lookup finds in the inline program of a stack. @param configured the keys in its configuration */
function inline<Found>(lookup: () => Promise<Found>, configured: readonly Key[], stack = "acme") {
  return state.withLocalStorage(() => {
    pulumi.runtime.resetOptions("people", stack, 1, "", "", false, "organization");
    pulumi.runtime.setAllConfig(
      Object.fromEntries(configured.map((key) => [`orgseat:${key}`, settingOf(key)])),
    );
    return lookup();
  });
}

const other = (key: Key) => (key.endsWith("Url") ? "http://127.0.0.1:9/other" : `other-${key}`);

describe("a lookup of an inline program", () => {
  test("reads the configuration of its stack, or the environment of a process for one organization", async () => {
    const all: Key[] = ["organizationId", "platform", ...group];
    const byConfiguration = await inline(getUsers, all);
    setVariables(all, settingOf);
    expect(await inline(getUsers, [])).toEqual(byConfiguration);
    expect(await inline(getUsers, all), "equal values").toEqual(byConfiguration);
    expect(await organization.calls()).toEqual(["token", 17, 17, 17]);
  });

  test("lists the missing settings, and says that it doesn't see envVars", async () => {
    const missing = await failureOf(inline(getServiceAccounts, []));
    expect(missing).toBe(
      "getServiceAccounts: missing orgseat configuration: orgseat:organizationId (or ORGSEAT_ORGANIZATION_ID), orgseat:orgUrl (or ORGSEAT_ORG_URL), orgseat:tokenUrl (or ORGSEAT_TOKEN_URL). In an inline program, set them in the stack's configuration (`stack.setAllConfig`, with `secret: true` for secrets), or in the options of the lookup, which doesn't see the workspace's `envVars` [invalid-configuration]",
    );
    const addresses: Key[] = ["organizationId", "platform", "orgUrl", "tokenUrl"];
    expect(await failureOf(inline(getUsers, addresses))).toMatch(
      /the service account is missing\. .*doesn't see the workspace's `envVars` \[missing-credentials\]$/,
    );
    expect(await failureOf(inline(getUsers, addresses.slice(1)))).toContain("doesn't see the workspace's");
  });

  test.each<[what: string, configured: Key[], variables: Key[], says: string]>([
    [
      "the whole organization is in both",
      ["organizationId", "platform", ...group],
      ["organizationId", ...group],
      "sets ORGSEAT_ORG_URL, ORGSEAT_TOKEN_URL, ORGSEAT_USERNAME, ORGSEAT_PASSWORD, ORGSEAT_CLIENT_ID, ORGSEAT_CLIENT_SECRET, which can be of another organization. Remove these variables from it. If the environment is right, set everything there, and remove orgseat:organizationId, ",
    ],
    [
      "the configuration has the ID alone",
      ["organizationId"],
      ["platform", "orgUrl", "tokenUrl", "clientId", "clientSecret"],
      "In an inline program, set orgseat:orgUrl, orgseat:tokenUrl, orgseat:platform, orgseat:clientId, orgseat:clientSecret in the stack's configuration",
    ],
    [
      "the configuration lacks the ID",
      ["platform", ...group],
      ["organizationId"],
      "sets ORGSEAT_ORGANIZATION_ID, which can",
    ],
    [
      "the configuration lacks the product",
      ["organizationId", "platform", ...group],
      ["product"],
      "sets ORGSEAT_PRODUCT, which can",
    ],
  ])("fails if %s", async (_, configured, variables, says) => {
    setVariables(variables, other);
    const failure = await failureOf(inline(getUsers, configured));
    expect(failure).toContain(says);
    expect(failure).not.toContain("other-");
    expect(await organization.calls()).toEqual([]);
  });

  test("takes no model area of the process beside a configured organization", async () => {
    setVariables(["modelUrl", "apiKey"], settingOf);
    expect(await failureOf(inline(getModels, ["organizationId", "platform"]))).toContain(
      "getModels: the stack's configuration has orgseat:organizationId, but the environment of this process sets ORGSEAT_MODEL_URL, ORGSEAT_API_KEY, ",
    );
    const all: Key[] = ["organizationId", "platform", ...group];
    expect(await inline(getUsers, all), "which getUsers doesn't need").toHaveLength(1);
  });

  test("takes no organization of the process if it runs the programs of several stacks", async () => {
    setVariables(["organizationId", "platform", ...group], settingOf);
    expect(await inline(getUsers, [], "acme")).toHaveLength(1);
    for (const stack of ["globex", "acme"])
      expect(await failureOf(inline(getUsers, [], stack))).toContain(
        "getUsers: this process runs the programs of 2 stacks (people/acme, people/globex), but the environment of this process sets ORGSEAT_ORGANIZATION_ID, ORGSEAT_ORG_URL, ",
      );
  });

  test("explains its errors in docs/troubleshooting.md", () => {
    const text = page("docs/troubleshooting.md");
    expect(text).toContain("doesn't see the workspace's `envVars`");
    expect(text).toContain("but the environment of this process sets ORGSEAT_ORG_URL");
  });
});

describe("a resource of an inline program", () => {
  const failuresWith = (configured: readonly Key[]) =>
    inline(async () => {
      const mocks: pulumi.runtime.Mocks = {
        call: () => ({}),
        newResource: ({ name }) => ({ id: name, state: {} }),
      };
      await pulumi.runtime.setMocks(mocks, "people", "acme");
      return new Set(await run(() => void new OrgUser("ada", { email: "ada@acme.example" })));
    }, configured);

  test("fails if the environment of the process has another address or credential than its stack", async () => {
    setVariables(["orgUrl", "clientSecret"], other);
    const all: Key[] = ["organizationId", "platform", ...group];
    expect([...(await failuresWith(all))]).toEqual([
      expect.stringContaining(
        'OrgUser "ada": the stack\'s configuration has orgseat:organizationId, orgseat:orgUrl, orgseat:tokenUrl, orgseat:clientId, orgseat:clientSecret, orgseat:username, orgseat:password, but the environment of this process sets ORGSEAT_ORG_URL, ORGSEAT_CLIENT_SECRET, which can be of another organization. Remove these variables from it. ',
      ),
    ]);
    setVariables(group, settingOf);
    expect(await failuresWith(all), "equal values").toEqual(new Set());
    setVariables(group, other);
    const id: Key[] = ["organizationId"];
    expect(await failuresWith(id), "envVars can have the others").toEqual(new Set());
  });
});

describe("the options of a lookup", () => {
  const address = () => ({ orgUrl: settingOf("orgUrl"), tokenUrl: settingOf("tokenUrl") });
  const whole = () => ({
    ...{ ...address(), platform: "anaconda" as const, organizationId: settingOf("organizationId") },
    credentials: { clientId: settingOf("clientId"), clientSecret: settingOf("clientSecret") },
  });

  test("replace configuration and environment if they have an address", async () => {
    setVariables(["organizationId", "platform", ...group, "product"], other);
    expect(await inline(() => getUsers(whole()), ["organizationId"])).toHaveLength(1);
    const [admin] = await getUsers({ ...whole(), product: "another-product" });
    expect(admin?.hasSeat).toBe(false);
    const { apiKey, modelUrl } = { apiKey: settingOf("apiKey"), modelUrl: settingOf("modelUrl") };
    const models = { modelUrl, platform: "anaconda", credentials: { apiKey } } as const;
    expect(await getModelServers({}, models)).toEqual([]);
  });

  test("need everything that belongs to an address", async () => {
    setVariables(["organizationId", "platform", ...group], settingOf);
    expect(await failureOf(getUsers(address()))).toBe(
      "getUsers: orgUrl, tokenUrl without organizationId, platform, credentials: an address and all that belongs to it come from one place. Add organizationId, platform, credentials to the options, or remove orgUrl, tokenUrl. Nothing was sent. [invalid-input]",
    );
    const { credentials: _, ...rest } = whole();
    expect(await failureOf(getUsers(rest))).toContain("without credentials: ");
    expect(await failureOf(getUsers({ ...whole(), orgUrl: "http://acme.example" }))).toContain(
      "getUsers: orgUrl: not an https:// address",
    );
    expect(await organization.calls()).toEqual([]);
  });
});
