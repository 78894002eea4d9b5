import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isPulumisProcess, reportErrorsOnce } from "../../provider/runtime/pulumi-values.ts";

describe("the provider's module", () => {
  test("leaves the console of the importing process alone", async () => {
    const { error } = console;
    await import("../../provider/index.ts");
    expect(console.error).toBe(error);
  });

  test("reads the clock of the machine, whatever the environment says", async () => {
    vi.stubEnv("ORGSEAT_TEST_CLOCK", "2029-12-02T00:00:00Z");
    vi.stubEnv("ORGSEAT_SUBSCRIPTION_EXPIRES_AT", "2031-01-31");
    vi.useFakeTimers({ now: Date.parse("2026-01-01"), toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers().unstubAllEnvs().resetModules());
    vi.resetModules();
    const { userToken } = await import("../../provider/index.ts");
    const expiresAt = "2029-12-31T23:59:59Z";
    const inputs = { organizationId: "o1", userId: "u1", expiresAt, renewBefore: "30d" };
    const news = { ...inputs, subscriptionExpiresAt: "2031-01-31T23:59:59Z" };
    const known = { reportedExpiresAt: expiresAt, validUntil: expiresAt, expirySource: "service" };
    const dates = { issuedAt: "2026-01-01T00:00:00Z", declaredEnd: expiresAt, reportedEnd: expiresAt };
    const user = { id: "u1", adopted: true, seat: "left", seatAdopted: false };
    const users = [{ ...user, tokens: [{ adopted: false, value: "kept", ...dates }] }];
    const { organizationId: _, userId: _user, ...agreed } = news;
    const held = { ref: "token-1", users, agreed };
    const state = { ...news, ...known, stateVersion: 1, value: "t1", held };
    const asked = async () => await userToken.diff("token-1", state, news);
    expect(await asked()).toMatchObject({ changes: false });
    vi.setSystemTime(Date.parse("2029-12-02"));
    expect(await asked(), "the clock counts").toMatchObject({ changes: true });
  });
});

describe("the process in which Pulumi runs dynamic providers", () => {
  test.each([
    ["/p/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js", true],
    ["C:\\p\\node_modules\\@pulumi\\pulumi\\cmd\\dynamic-provider\\index.js", true],
    ["/p/node_modules/@pulumi/pulumi/cmd/run/index.js", false],
    ["/p/scripts/up.ts", false],
  ])("identifies itself by what it runs: %s", (main, is) => {
    expect(isPulumisProcess(["/usr/bin/node", main])).toBe(is);
  });

  test("prints no line for an error that Pulumi shows by itself, and every other one", () => {
    const printed: unknown[] = [];
    const console = { error: (...values: unknown[]) => void printed.push(values) };
    reportErrorsOnce(console);
    console.error(": ");
    console.error("a warning", 1);
    expect(printed).toEqual([["a warning", 1]]);
  });
});
