import { describe, expect, test } from "vitest";
import { missingKeys, readSettings } from "../../provider/settings.ts";

const settings = (config: Record<string, string>, environment: Record<string, string> = {}) =>
  readSettings((key) => config[key.replace("orgseat:", "")], environment);
const remote = { orgUrl: "https://service.example/api", tokenUrl: "https://service.example/token" };
const local = { orgUrl: "http://127.0.0.1:8080/api", tokenUrl: "http://127.0.0.1:8080/token" };

describe("configuration", () => {
  test("of addresses comes from the environment first, of the organization from the stack first", () => {
    const read = settings(
      { ...remote, organizationId: "of-stack" },
      { ORGSEAT_ORG_URL: "https://newer.example", ORGSEAT_ORGANIZATION_ID: "of-environment" },
    );
    expect(read).toMatchObject({ orgUrl: "https://newer.example", organizationId: "of-stack" });
    expect(settings({}, { ORGSEAT_ORGANIZATION_ID: "of-environment" }).organizationId).toBe("of-environment");
  });

  test("never joins a user name of one place with a password of the other", () => {
    const read = settings({ username: "old", password: "old password" }, { ORGSEAT_USERNAME: "new" });
    expect(read.admin).toBeUndefined();
    expect(read.issues.join()).toContain("ORGSEAT_USERNAME is set without password");
    const whole = { ORGSEAT_USERNAME: "new", ORGSEAT_PASSWORD: "new password" };
    expect(settings({ username: "old", password: "old password" }, whole).admin).toEqual({
      username: "new",
      password: "new password",
    });
  });

  test("of a service that is not on this machine names the dialect", () => {
    expect(settings(remote).issues.join()).toContain("orgseat:dialect is required");
    expect(settings({ ...remote, dialect: "documented" }).issues).toEqual([]);
    expect(settings(local)).toMatchObject({ dialect: "documented", issues: [] });
  });

  test("takes http:// for the loopback address only", () => {
    const { issues, orgUrl } = settings({ orgUrl: "http://service.example", dialect: "documented" });
    expect(issues.join()).toContain("orgseat:orgUrl is not an https:// address");
    expect(orgUrl).toBeUndefined();
  });

  test("has no removal limit of its own, whatever the address: behind a tunnel a real service is local", () => {
    expect(settings(remote).maxRemovals).toBeUndefined();
    expect(settings(local).maxRemovals).toBeUndefined();
    expect(settings({ ...local, maxRemovals: "3" }).maxRemovals).toBe(3);
  });

  test("reads spans of time with their unit, and an override with its organization", () => {
    const read = settings({ timeout: "5s", operationTimeout: "2m" }, { ORGSEAT_ALLOW_REMOVALS: "o1:40" });
    expect(read).toMatchObject({ timeoutMs: 5_000, operationTimeoutMs: 120_000 });
    expect(read.allowedRemovals).toEqual({ organizationId: "o1", people: 40 });
    const wrong = settings({ timeout: "5" }, { ORGSEAT_ALLOW_REMOVALS: "40" });
    expect(wrong.issues).toHaveLength(2);
  });

  test("that is empty counts as missing", () => {
    const read = settings({ ...local, orgUrl: "" }, { ORGSEAT_TOKEN_URL: "" });
    expect(read.issues).toEqual([]);
    expect(missingKeys(read, "organization")).toEqual([
      "orgseat:organizationId (or ORGSEAT_ORGANIZATION_ID)",
      "orgseat:orgUrl (or ORGSEAT_ORG_URL)",
    ]);
    expect(missingKeys(read, "model")).toEqual(["orgseat:modelUrl (or ORGSEAT_MODEL_URL)"]);
  });
});
