import { describe, expect, test } from "vitest";
import { environmentName, rawValues } from "../../provider/config/setting-values.ts";
import { missingKeys, readSettings } from "../../provider/config/settings.ts";

const settings = (config: Record<string, string>, environment: Record<string, string> = {}) =>
  readSettings((key) => config[key.replace("orgseat:", "")], environment);
const remote = { orgUrl: "https://service.example/api", tokenUrl: "https://service.example/token" };
const local = { orgUrl: "http://127.0.0.1:8080/api", tokenUrl: "http://127.0.0.1:8080/token" };

describe("configuration", () => {
  test("takes the organization's id from the stack first", () => {
    const read = settings({ organizationId: "of-stack" }, { ORGSEAT_ORGANIZATION_ID: "of-environment" });
    expect(read.organizationId).toBe("of-stack");
    expect(settings({}, { ORGSEAT_ORGANIZATION_ID: "of-environment" }).organizationId).toBe("of-environment");
  });

  test("requires the platform of a service that is not on this machine", () => {
    expect(settings(remote).issues.join()).toContain("orgseat:platform is required");
    expect(settings({ ...remote, platform: "basic" }).issues).toEqual([]);
    expect(settings(local)).toMatchObject({ platform: "basic", issues: [] });
  });

  test("keeps the sealing of tokens that the environment requires, or gives an issue", () => {
    const environment = { ORGSEAT_REQUIRE_SEALED_TOKENS: "true" };
    expect(settings({}, environment)).toMatchObject({ requireSealedTokens: true, issues: [] });
    for (const requireSealedTokens of ["optional", "no", "false", ""]) {
      const { issues, requireSealedTokens: isSealed } = settings({ requireSealedTokens }, environment);
      expect([issues.length > 0, isSealed], requireSealedTokens).not.toEqual([false, false]);
    }
    expect(settings({ requireSealedTokens: "false" })).toMatchObject({
      requireSealedTokens: false,
      issues: [],
    });
  });

  test("takes http:// for the loopback address only", () => {
    const { issues, orgUrl } = settings({ orgUrl: "http://service.example", platform: "basic" });
    expect(issues.join()).toContain("orgseat:orgUrl is not an https:// address");
    expect(orgUrl).toBeUndefined();
  });

  test("sets no removal limit by default, whatever the address: behind a tunnel a real service is local", () => {
    expect(settings(remote).maxRemovals).toBeUndefined();
    expect(settings(local).maxRemovals).toBeUndefined();
    expect(settings({ ...local, maxRemovals: "3" }).maxRemovals).toBe(3);
  });

  test("reads spans of time with their unit, and an override with its organization", () => {
    const read = settings({ timeout: "5s", operationTimeout: "2m" }, { ORGSEAT_ALLOW_REMOVALS: "o1:40" });
    expect(read).toMatchObject({ timeoutMs: 5_000, operationTimeoutMs: 120_000 });
    expect(read.allowedRemovals).toEqual({ organizationId: "o1", people: 40 });
    const withColon = settings({}, { ORGSEAT_ALLOW_REMOVALS: "acme:data:40" });
    expect(withColon.allowedRemovals).toEqual({ organizationId: "acme:data", people: 40 });
    const wrong = settings({ timeout: "5" }, { ORGSEAT_ALLOW_REMOVALS: "40" });
    expect(wrong.issues).toHaveLength(2);
  });

  test("rejects an administrator's token beside a password, names both, and uses neither", () => {
    const password = { username: "admin", password: "password-0815" };
    const both = settings({ ...local, ...password, adminToken: "token-0815" });
    expect(both.issues).toEqual([
      "orgseat:adminToken and orgseat:password are both set, but orgseat acts as one administrator. Remove one",
    ]);
    expect(both.admin).toBeUndefined();
    expect(settings({ ...local, ...password }).admin).toEqual(password);
    expect(settings({ ...local, adminToken: "token-0815" })).toMatchObject({
      admin: { adminToken: "token-0815" },
      issues: [],
    });
  });

  test("takes no administrator token that a header cannot contain, and does not show it", () => {
    const { issues } = settings(local, { ORGSEAT_ADMIN_TOKEN: "Bearer 0815" });
    expect(issues.join()).not.toContain("0815");
    const environment = { ORGSEAT_ORG_URL: local.orgUrl, ORGSEAT_TOKEN_URL: local.tokenUrl };
    expect(settings({}, { ...environment, ORGSEAT_ADMIN_TOKEN: "Bearer 0815" }).issues).toEqual([
      "ORGSEAT_ADMIN_TOKEN is not an access token",
    ]);
  });

  test("counts as missing if empty", () => {
    const read = settings({ ...local, orgUrl: "" }, { ORGSEAT_TOKEN_URL: "" });
    expect(read.issues).toEqual([]);
    expect(missingKeys(read, "organization")).toEqual([
      "orgseat:organizationId (or ORGSEAT_ORGANIZATION_ID)",
      "orgseat:orgUrl (or ORGSEAT_ORG_URL)",
    ]);
    expect(missingKeys(read, "model")).toEqual(["orgseat:modelUrl (or ORGSEAT_MODEL_URL)"]);
  });
});

const organizationKeys = [
  "orgUrl",
  "tokenUrl",
  "clientId",
  "clientSecret",
  "username",
  "password",
  "adminToken",
] as const;
const modelKeys = ["modelUrl", "apiKey"] as const;
const subsetsOf = (keys: readonly string[]) =>
  Array.from({ length: 2 ** keys.length }, (_, bits) => keys.filter((_key, index) => bits & (1 << index)));

describe.each([
  ["organization", organizationKeys],
  ["model", modelKeys],
] as const)("the addresses and credentials of the %s area", (_, keys) => {
  const isWhole = (has: readonly string[]) =>
    [
      ["orgUrl", "tokenUrl", "clientId", "clientSecret"],
      ["orgUrl", "tokenUrl", "username", "password"],
      ["orgUrl", "tokenUrl", "adminToken"],
      ["modelUrl", "apiKey"],
    ].some((whole) => whole.every((key) => has.includes(key)));

  test.each([false, true])("come from one source, for every pair of sources (Provider: %s)", (isProvider) => {
    let refused = 0;
    for (const inConfig of subsetsOf(keys)) {
      for (const inEnvironment of subsetsOf(keys)) {
        const config = new Map(inConfig.map((key) => [`orgseat:${key}`, `config ${key}`]));
        const environment = Object.fromEntries(
          inEnvironment.map((key) => [environmentName(key), `environment ${key}`]),
        );
        const { values, issues } = rawValues((key) => config.get(key), environment, { isProvider });
        const found = [...values.values()].map(({ value }) => value.split(" ")[0]);
        const name = `${inConfig} / ${inEnvironment}`;
        expect(new Set(found).size, name).toBeLessThanOrEqual(1);
        const [preferred, other] = isProvider ? [inConfig, inEnvironment] : [inEnvironment, inConfig];
        const counts =
          preferred.length === 0 && other.length > 0
            ? other
            : isWhole(preferred) || other.every((key) => preferred.includes(key))
              ? preferred
              : undefined;
        expect([...values.keys()].toSorted(), name).toEqual((counts ?? []).toSorted());
        const source = counts === inConfig ? "config" : "environment";
        expect(
          found.every((one) => one === source),
          name,
        ).toBe(true);
        expect(issues, name).toHaveLength(counts === undefined ? 1 : 0);
        expect(issues.join()).not.toMatch(/config (orgUrl|client|apiKey)|environment (orgUrl|client|apiKey)/);
        if (counts === undefined) refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});
