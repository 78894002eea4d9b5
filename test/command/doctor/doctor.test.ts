import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { diagnose } from "../../../command/doctor/doctor.ts";
import type { DoctorOptions } from "../../../command/doctor/facts.ts";
import { type DoctorReport, doctorReportSchema, formatReport } from "../../../command/doctor/report.ts";
import { RosterError } from "../../../command/roster/formats/validation.ts";
import type { Roster } from "../../../command/roster/roster.ts";
import { OLDEST_TESTED } from "../../../provider/util/search-path.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import type { PlatformName } from "../../../sandbox/service/index.ts";
import { isolatedEnvironment } from "../../../sandbox/start/isolated-environment.ts";
import { Service } from "../../provider/api/service.ts";
import { makeCertificate } from "../../setup/certificate.ts";
import { InterceptingProxy } from "../../setup/intercepting-proxy.ts";
import { listenOnLoopback } from "../../setup/loopback.ts";
import { npmPulumi } from "../../setup/npm-pulumi.ts";
import { pulumiCommand, pulumiReady } from "../../setup/project.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../../setup/sandbox.ts";

type Environment = Record<string, string>;

interface Given {
  /** In which all of the organization area is right. */
  readonly environment: Environment;
  /** The same of the model area alone. */
  readonly model: Environment;
  readonly service: Sandbox["service"];
  readonly secrets: readonly string[];
}

/** What is no credential of the service. */
const WRONG = "not-the-credential";

async function allGood(platform?: PlatformName): Promise<Given> {
  const made = await sandbox({}, temporaryFolder(), platform);
  const account = await makeServiceAccount(made);
  const { service } = made;
  const { organizationId, username, password, subscriptionExpiresAt, apiKey = "" } = service.seed;
  const engine = engineVariables();
  const environment = {
    ORGSEAT_ORGANIZATION_ID: organizationId,
    ORGSEAT_ORG_URL: service.orgUrl,
    ORGSEAT_TOKEN_URL: service.tokenUrl,
    ORGSEAT_USERNAME: username,
    ORGSEAT_PASSWORD: password,
    ORGSEAT_CLIENT_ID: account.clientId,
    ORGSEAT_CLIENT_SECRET: account.clientSecret,
    ORGSEAT_SUBSCRIPTION_EXPIRES_AT: subscriptionExpiresAt,
    ...(platform !== undefined && { ORGSEAT_PLATFORM: platform }),
    ...engine,
  };
  const { ORGSEAT_PULUMI_PATH } = engine;
  const model = { ORGSEAT_MODEL_URL: service.modelUrl, ORGSEAT_API_KEY: apiKey, ORGSEAT_PULUMI_PATH };
  return { environment, model, service, secrets: [password, account.clientSecret, apiKey, WRONG] };
}

/** A Pulumi CLI that works, with an empty backend. */
function engineVariables(): Environment & { readonly ORGSEAT_PULUMI_PATH: string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "state"));
  const options = { folder, passphrase: "for tests", compileCache: "", configuration: {} };
  return { ...isolatedEnvironment({}, options), ORGSEAT_PULUMI_PATH: pulumiCommand };
}

function without(environment: Environment, ...names: string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}
const withoutAdministrator = (environment: Environment) =>
  without(environment, "ORGSEAT_USERNAME", "ORGSEAT_PASSWORD");
const NOBODY = "00000000-0000-4000-8000-0000000000ff";

/** The report, in whose words and JSON no secret stands. */
async function reportOn(
  environment: Environment,
  secrets: readonly string[],
  options: Partial<DoctorOptions> = {},
): Promise<DoctorReport> {
  // A machine that is busy is no service that hangs.
  const report = await diagnose({ environment, folder: temporaryFolder(), totalMs: 120_000, ...options });
  for (const secret of [...secrets, ...secrets.map((secret) => encodeURIComponent(secret))]) {
    expect(formatReport(report) + JSON.stringify(report)).not.toContain(secret);
  }
  return report;
}

/** The report on an environment that differs from the right one. */
async function diagnosed(
  environmentOf: (given: Given) => Environment | Promise<Environment>,
  platform?: PlatformName,
): Promise<DoctorReport> {
  const given = await allGood(platform);
  return reportOn(await environmentOf(given), given.secrets);
}

/** Status by check; of several of one name the last. */
function statuses({ checks }: DoctorReport): Record<string, string> {
  return Object.fromEntries(checks.map(({ check, status }) => [check, status]));
}

function find({ checks }: DoctorReport, name: string) {
  const found = checks.find(({ check }) => check === name);
  if (found === undefined) throw new Error(`no check ${name}`);
  return found;
}

/** A server that answers everything with the same, and its address. */
async function answering(status: number, type: string, body: string): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(status, { "content-type": type }).end(body));
  return listenOnLoopback(server);
}

describe("doctor", () => {
  test("says that all works, what the platform shows, and what nobody can check; by GETs and token requests only", async () => {
    const { environment, service, secrets } = await allGood();
    const proxy = await InterceptingProxy.before(service.orgUrl);
    const seen = () => new Set(proxy.passed.map(({ method, path }) => `${method} ${path}`));
    const before = await service.management.snapshot();
    const proxied = {
      ...environment,
      ORGSEAT_ORG_URL: proxy.through(service.orgUrl),
      ORGSEAT_TOKEN_URL: proxy.through(service.tokenUrl),
    };
    const report = await reportOn(proxied, secrets);
    expect(report.ok, formatReport(report)).toBe(true);
    expect(statuses(report)).toEqual({
      "Pulumi CLI": "ok",
      "stack configuration": "ok",
      sources: "ok",
      organizationId: "ok",
      orgUrl: "ok",
      tokenUrl: "ok",
      platform: "ok",
      subscriptionExpiresAt: "ok",
      "token endpoint": "ok",
      administrator: "ok",
      "service account": "ok",
      "service account's rights": "cannot be checked",
      organization: "ok",
      clock: "ok",
      "model area": "missing",
    });
    expect(find(report, "platform").text).toContain("cannot list users, seats, tokens");
    expect(find(report, "administrator").text).toContain("manages service accounts");
    expect(find(report, "service account").text).toContain("manages onboarding, users, seats, and tokens");
    expect(find(report, "organization").text).toContain("1 service account");
    const list = `GET /api/v1/organizations/${environment.ORGSEAT_ORGANIZATION_ID}/service-accounts`;
    expect(seen()).toEqual(new Set(["POST /api/iam/token", list]));
    await reportOn(withoutAdministrator(proxied), secrets);
    await reportOn(
      without(withoutAdministrator(proxied), "ORGSEAT_CLIENT_ID", "ORGSEAT_CLIENT_SECRET"),
      secrets,
    );
    await reportOn({ ...proxied, ORGSEAT_PASSWORD: WRONG }, secrets);
    expect(seen()).toEqual(new Set(["POST /api/iam/token", "GET /api/iam/token", list]));
    expect(await service.management.snapshot()).toEqual(before);
  });

  test("counts the users that the service lists by the rights of the service account alone", async () => {
    const { environment, service, secrets } = await allGood("anaconda");
    const proxy = await InterceptingProxy.before(service.orgUrl);
    const proxied = { ...environment, ORGSEAT_ORG_URL: proxy.through(service.orgUrl) };
    const report = await reportOn(withoutAdministrator(proxied), secrets);
    expect(report.ok, formatReport(report)).toBe(true);
    expect(find(report, "service account's rights")).toMatchObject({
      status: "ok",
      text: "lists 1 user: 0 with a seat, 1 administrator or billing manager",
    });
    expect(statuses(report)).not.toHaveProperty("organization");
    const organization = `/api/v1/organizations/${environment.ORGSEAT_ORGANIZATION_ID}`;
    const sent = proxy.passed.map(({ method, path }) => `${method} ${path}`).toSorted();
    expect(sent).toEqual([`GET ${organization}/service-accounts`, `GET ${organization}/users`]);
  });

  test("fails the rights of the service account if the service lists users and the organization is unknown", async () => {
    const report = await diagnosed(
      ({ environment }) => ({ ...withoutAdministrator(environment), ORGSEAT_ORGANIZATION_ID: NOBODY }),
      "anaconda",
    );
    expect(report.ok).toBe(false);
    expect(find(report, "service account's rights").status).toBe("failed");
  });

  test("names address and platform if the service is of another platform", async () => {
    const report = await diagnosed(({ environment }) => ({ ...environment, ORGSEAT_PLATFORM: "anaconda" }));
    expect(find(report, "service account's rights")).toMatchObject({
      code: "unknown-route",
      text: expect.stringMatching(/check orgseat:orgUrl \(.*\) and orgseat:platform \(anaconda\)/),
      next: "check orgseat:orgUrl with its path, orgseat:platform, and that the service is running",
    });
  });

  test("blames a wrong password, and still checks the service account and the service", async () => {
    const report = await diagnosed(({ environment }) => ({ ...environment, ORGSEAT_PASSWORD: WRONG }));
    expect(report.ok).toBe(false);
    expect(statuses(report)).toMatchObject({
      "token endpoint": "ok",
      administrator: "failed",
      "service account": "ok",
      "organization service": "ok",
      organization: "cannot be checked",
    });
    expect(find(report, "administrator").next).toContain("username and password");
    expect(find(report, "administrator").code).toBe("unauthorized");
    expect(formatReport(report)).toMatch(/administrator: .* \[unauthorized\]$/m);
  });

  test("asks as administrator with a token, and says so; no token request and no password", async () => {
    const { environment, service, secrets } = await allGood();
    const { adminToken = "" } = service.seed;
    const byToken = { ...withoutAdministrator(environment), ORGSEAT_ADMIN_TOKEN: adminToken };
    const report = await reportOn(byToken, [...secrets, adminToken]);
    expect(report.ok, formatReport(report)).toBe(true);
    expect(find(report, "administrator")).toMatchObject({
      status: "ok",
      text: "the service accepts adminToken; manages service accounts",
    });
    expect(find(report, "organization").text).toContain("1 service account");
    const alone = await reportOn(without(byToken, "ORGSEAT_CLIENT_ID", "ORGSEAT_CLIENT_SECRET"), secrets);
    expect(find(alone, "service account")).toMatchObject({
      status: "missing",
      text: "clientId and clientSecret are not set; onboarding, users, seats, and tokens need both",
      next: expect.stringContaining(
        "create one in the service's console, or with the resource ServiceAccount",
      ),
    });
    expect(find(alone, "administrator").status).toBe("ok");
  });

  test("says of an administrator's token that it was refused, that its holder has no rights, or that a password is set too", async () => {
    const { environment, service, secrets } = await allGood();
    const { adminToken = "" } = service.seed;
    const byToken = { ...withoutAdministrator(environment), ORGSEAT_ADMIN_TOKEN: WRONG };
    const refused = await reportOn(byToken, secrets);
    expect(refused.ok).toBe(false);
    expect(find(refused, "administrator")).toMatchObject({ status: "failed", code: "unauthorized" });
    expect(find(refused, "administrator").text).toContain(
      "which has expired or was revoked, so set a new one",
    );
    const unknown = await reportOn(
      { ...byToken, ORGSEAT_ADMIN_TOKEN: adminToken, ORGSEAT_ORGANIZATION_ID: NOBODY },
      secrets,
    );
    expect(statuses(unknown)).toMatchObject({ administrator: "cannot be checked", organization: "failed" });
    await service.management.changeAdmin(service.seed.username, { admin: false });
    const powerless = await reportOn({ ...byToken, ORGSEAT_ADMIN_TOKEN: adminToken }, secrets);
    expect(find(powerless, "administrator").text).toContain("not an admin");
    const both = await reportOn({ ...environment, ORGSEAT_ADMIN_TOKEN: adminToken }, [
      ...secrets,
      adminToken,
    ]);
    expect(both.ok).toBe(false);
    expect(find(both, "configuration").text).toContain(
      "ORGSEAT_ADMIN_TOKEN and ORGSEAT_PASSWORD are both set",
    );
    expect(find(both, "administrator").status).toBe("cannot be checked");
  });

  test("blames a wrong secret of the service account", async () => {
    const report = await diagnosed(({ environment }) => ({ ...environment, ORGSEAT_CLIENT_SECRET: WRONG }));
    expect(report.ok).toBe(false);
    expect(statuses(report)).toMatchObject({ administrator: "ok", "service account": "failed" });
  });

  test("says that nobody listens if the service is down, and blames no credential", async () => {
    // Port 1: another process can take the port of a service that was closed.
    const nowhere = { ORGSEAT_ORG_URL: "http://127.0.0.1:1", ORGSEAT_TOKEN_URL: "http://127.0.0.1:1" };
    const report = await diagnosed(({ environment }) => ({ ...environment, ...nowhere }));
    expect(report.ok).toBe(false);
    expect(statuses(report)).toMatchObject({
      "token endpoint": "failed",
      administrator: "cannot be checked",
      "organization service": "failed",
    });
    expect(find(report, "token endpoint").text).toContain("connection refused");
  });

  test("names NODE_EXTRA_CA_CERTS if the authority of the service's certificate is unknown", async () => {
    const service = await Service.start(() => ({}), undefined, makeCertificate("localhost"));
    onTestFinished(() => service[Symbol.asyncDispose]());
    const address = `https://localhost:${service.port}`;
    const nowhere = { ORGSEAT_ORG_URL: address, ORGSEAT_TOKEN_URL: `${address}/token` };
    const report = await diagnosed(({ environment }) => ({ ...environment, ...nowhere }));
    for (const check of ["token endpoint", "organization service"])
      expect(find(report, check)).toMatchObject({
        ...{ status: "failed", code: "unreachable" },
        text: expect.stringContaining("(DEPTH_ZERO_SELF_SIGNED_CERT)"),
        next: expect.stringMatching(/^set NODE_EXTRA_CA_CERTS in the environment to the path of a PEM file/),
      });
  });

  test("names the variable of a proxy that is not an address, at the configuration and at each request", async () => {
    const nowhere = {
      ORGSEAT_ORG_URL: "https://acme.example/api",
      ORGSEAT_TOKEN_URL: "https://acme.example/token",
    };
    const report = await diagnosed(({ environment }) => ({
      ...{ ...environment, ...nowhere },
      ...{ ORGSEAT_PLATFORM: "basic", HTTPS_PROXY: "a proxy" },
    }));
    expect(find(report, "configuration").text).toContain(
      "HTTPS_PROXY is not the http:// or https:// address",
    );
    for (const check of ["token endpoint", "organization service"])
      expect(find(report, check)).toMatchObject({
        text: expect.stringMatching(/^cannot reach the service: HTTPS_PROXY is not the http:/),
        next: "correct the variable, or unset it",
      });
  });

  test("tells an unknown organization from a user who does not administer it", async () => {
    const { environment, service, secrets } = await allGood();
    const unknown = await reportOn({ ...environment, ORGSEAT_ORGANIZATION_ID: NOBODY }, secrets);
    expect(unknown.ok).toBe(false);
    expect(find(unknown, "organization")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("no such organization: check orgseat:orgUrl ("),
      next: expect.stringMatching(
        /^check orgseat:organizationId, orgseat:orgUrl, and orgseat:platform, and /,
      ),
    });
    await service.management.changeAdmin(service.seed.username, { admin: false });
    const powerless = await reportOn(environment, secrets);
    expect(find(powerless, "organization").text).toContain("not an admin");
  });

  test.each([
    [200, "text/html", "<!doctype html><p>Welcome</p>", "an HTML page"],
    [401, "text/html", "<html>Sign in</html>", "an HTML page"],
    [404, "text/plain", "404 page not found", "text that is not JSON"],
  ])("says that a server is no service of the contract if it answers %i as %s", async (...given) => {
    const [status, type, body, words] = given;
    const { environment, secrets } = await allGood();
    const address = await answering(status, type, body);
    const wrongOrg = await reportOn(
      { ...withoutAdministrator(environment), ORGSEAT_ORG_URL: address },
      secrets,
    );
    expect(wrongOrg.ok).toBe(false);
    expect(statuses(wrongOrg)).toMatchObject({ "service account": "ok", "organization service": "failed" });
    expect(find(wrongOrg, "organization service").text).toContain(words);
    const wrongBoth = await reportOn({ ...environment, ORGSEAT_TOKEN_URL: `${address}/token` }, secrets);
    expect(wrongBoth.ok).toBe(false);
  });

  test("shows no secret if the service repeats what it was sent", async () => {
    const server = createServer(async (request, answer) => {
      let body = "";
      for await (const piece of request) body += piece;
      answer.writeHead(401).end(JSON.stringify({ error: "no", error_description: body }));
    });
    const address = await listenOnLoopback(server);
    const ORGSEAT_TOKEN_URL = `${address}/token`;
    const report = await diagnosed(({ environment }) => ({ ...environment, ORGSEAT_TOKEN_URL }));
    expect(find(report, "administrator").text).toContain("[removed]");
  });

  test("names every key and the calls that need it if nothing is configured, and sends nothing", async () => {
    const report = await reportOn({}, []);
    expect(report.ok).toBe(false);
    const lacking = report.checks.filter(({ status }) => status === "missing").map(({ check }) => check);
    expect(lacking).toEqual([
      "organizationId",
      "orgUrl",
      "tokenUrl",
      "subscriptionExpiresAt",
      "administrator",
      "service account",
      "model area",
    ]);
    expect(find(report, "orgUrl").next).toBe(
      "set ORGSEAT_ORG_URL in the environment, or orgseat:orgUrl in the configuration of a stack",
    );
  });

  test("names the missing half of a pair, and never sends the other", async () => {
    const { environment, service, secrets } = await allGood();
    await service.management.clearRequests();
    const report = await reportOn(without(environment, "ORGSEAT_CLIENT_ID"), secrets);
    expect(report.ok).toBe(false);
    expect(find(report, "configuration").text).toContain("ORGSEAT_CLIENT_SECRET is set without clientId");
    expect(find(report, "service account").status).toBe("missing");
    const askers = (await service.management.requests()).map(({ credential }) => credential);
    expect(askers).not.toContain("serviceAccount");
  });

  test("says which name a misspelt one means, that nothing reads any other, and knows its own", async () => {
    const { environment, secrets } = await allGood();
    const report = await reportOn(
      {
        ...environment,
        ORGSEAT_APIKEY: "not shown 1",
        ORGSEAT_MAX_REMOVAL: "not shown 2",
        ORGSEAT_WEATHER: "not shown 3",
        ORGSEAT_ALLOW_REMOVALS: `${environment.ORGSEAT_ORGANIZATION_ID}:2`,
        ORGSEAT_PULUMI_PATH: "/bin/pulumi",
        ORGSEAT_TEST_SEED: "1",
        ORGSEAT_EMPTY: "",
      },
      [...secrets, "not shown"],
    );
    const said = report.checks.filter(({ check }) => check === "configuration");
    expect(said.map(({ text, status }) => [text, status])).toEqual([
      ["unknown name ORGSEAT_APIKEY, which orgseat ignores; did you mean ORGSEAT_API_KEY?", "failed"],
      [
        "unknown name ORGSEAT_MAX_REMOVAL, which orgseat ignores; did you mean ORGSEAT_MAX_REMOVALS?",
        "failed",
      ],
      ["unknown name ORGSEAT_WEATHER, which orgseat ignores", "cannot be checked"],
    ]);
    expect(report.ok).toBe(false);
  });

  test("names each value that ends in a line break, whatever the service says about it", async () => {
    const { environment } = await allGood();
    for (const name of ["USERNAME", "PASSWORD", "CLIENT_ID", "CLIENT_SECRET", "API_KEY"]) {
      const variable = `ORGSEAT_${name}`;
      const value = `${environment[variable] ?? "key-of-models"}\n`;
      const report = await reportOn({ ...environment, [variable]: value }, [value.trim()]);
      const key = name.toLowerCase().replace(/_(.)/, (_, letter: string) => letter.toUpperCase());
      expect(find(report, key)).toMatchObject({
        status: "failed",
        text: "ends in a line break, which is then a part of the value",
        next: "set the value again, without the line break",
      });
    }
  });

  test("warns about secrets that are too short to be removed from messages, and lets them work", async () => {
    const { environment, service } = await allGood();
    const weak = { ...environment, ORGSEAT_PASSWORD: "wrong", ORGSEAT_CLIENT_SECRET: "xyz" };
    const report = await reportOn(weak, ["xyz"]);
    for (const check of ["password", "clientSecret"]) {
      expect(find(report, check)).toMatchObject({ status: "ok", next: "choose a longer one", blocks: false });
    }
    expect(find(report, "password").text).toMatch(/^fewer than 6 characters/);
    expect(find(report, "administrator").text).toContain("wrong");
    expect(formatReport(report)).not.toContain("[removed]");
    expect(statuses(await reportOn(environment, [service.seed.password]))).not.toHaveProperty("password");
  });

  test("one credential is enough; the other is reported with the operations that need it", async () => {
    const onlyAccount = await diagnosed(({ environment }) =>
      without(withoutAdministrator(environment), "ORGSEAT_SUBSCRIPTION_EXPIRES_AT"),
    );
    expect(onlyAccount.ok, formatReport(onlyAccount)).toBe(true);
    expect(find(onlyAccount, "administrator")).toMatchObject({
      status: "missing",
      text: "username and password are not set; service accounts need both, or adminToken",
      next: expect.stringContaining("as with single sign-on, set ORGSEAT_ADMIN_TOKEN or orgseat:adminToken"),
      blocks: false,
    });
    const none = await diagnosed(({ environment }) =>
      without(withoutAdministrator(environment), "ORGSEAT_CLIENT_ID", "ORGSEAT_CLIENT_SECRET"),
    );
    expect(none.ok).toBe(false);
    expect(statuses(none)).toMatchObject({ "token endpoint": "ok", "organization service": "ok" });
  });

  test("reports a subscription that has ended or ends soon, a wrong clock, and a password in an address", async () => {
    const { environment, service, secrets } = await allGood();
    const end = Date.parse(service.seed.subscriptionExpiresAt);
    const at = (now: number) => ({
      clock: { now: () => now, monotonic: () => performance.now(), sleep: () => Promise.resolve() },
    });
    const soon = await reportOn(environment, secrets, at(end - 3 * 86_400_000));
    expect(find(soon, "subscriptionExpiresAt").text).toContain("in 3 days");
    expect(find(soon, "clock")).toMatchObject({ status: "failed" });
    expect(find(soon, "clock").text).toContain("ahead of");
    const past = await reportOn(environment, secrets, at(end + 86_400_000));
    expect(find(past, "subscriptionExpiresAt")).toMatchObject({ status: "failed" });
    const address = new URL(service.orgUrl);
    address.password = WRONG;
    const held = await reportOn({ ...environment, ORGSEAT_ORG_URL: address.href }, secrets);
    expect(held.ok).toBe(false);
    expect(held.checks.filter(({ check }) => check === "orgUrl").at(-1)?.status).toBe("failed");
  });
});

describe("doctor, of a service that never answers", () => {
  test("ends in its time with what it found, whatever time the configuration gives a request", async () => {
    const { environment, model, secrets } = await allGood();
    const address = await listenOnLoopback(createServer(() => undefined));
    const hanging = {
      ...{ ...environment, ...model },
      ORGSEAT_ORG_URL: `${address}/api/v1`,
      ORGSEAT_TOKEN_URL: `${address}/token`,
      ORGSEAT_MODEL_URL: `${address}/model/v1`,
      ORGSEAT_TIMEOUT: "12h",
      ORGSEAT_OPERATION_TIMEOUT: "24h",
    };
    const report = await reportOn(hanging, secrets, { totalMs: 800 });
    expect(statuses(report)).toMatchObject({
      "token endpoint": "failed",
      "organization service": "failed",
      "model area": "failed",
    });

    const mixed = { ...hanging, ORGSEAT_TOKEN_URL: environment.ORGSEAT_TOKEN_URL ?? "" };
    const half = await reportOn(mixed, secrets, { totalMs: 3000 });
    expect(statuses(half)).toMatchObject({
      "token endpoint": "ok",
      administrator: "ok",
      organization: "failed",
      "model area": "failed",
    });
  });

  test("asks both credentials and the model area side by side", async () => {
    const waiting: (() => void)[] = [];
    const server = createServer((_request, answer) => {
      waiting.push(() => answer.writeHead(503).end());
      // Only when all three are there is any of them answered.
      if (waiting.length === 3) for (const go of waiting) go();
      else if (waiting.length > 3) answer.writeHead(503).end();
    });
    const base = await listenOnLoopback(server);
    const report = await diagnosed(({ environment, model }) => ({
      ...{ ...environment, ...model },
      ORGSEAT_TOKEN_URL: `${base}/token`,
      ORGSEAT_MODEL_URL: `${base}/model/v1`,
    }));
    expect(find(report, "token endpoint").text).toContain("503");
    expect(find(report, "model area").text).toContain("503");
  });

  test("gives a pulumi that hangs its share of the time, and looks at the service by the environment alone", async () => {
    const { environment, secrets } = await allGood();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "Pulumi.yaml"), "name: roster\nruntime: nodejs\n");
    // Its child keeps the pipes open when it is killed.
    writeFileSync(join(folder, "pulumi"), "#!/bin/sh\n/bin/sleep 30 & /bin/sleep 30\n", { mode: 0o755 });
    const report = await reportOn({ ...environment, ORGSEAT_PULUMI_PATH: join(folder, "pulumi") }, secrets, {
      folder,
      totalMs: 5000,
    });
    expect(find(report, "stack configuration")).toMatchObject({
      status: "cannot be checked",
      text: "`pulumi config` failed: pulumi did not finish in time; using environment variables only",
    });
    expect(find(report, "administrator").status).toBe("ok");
  });
});

describe("doctor, of a roster", () => {
  const SUBSCRIPTION = "2030-06-30T23:59:59Z";

  /** 41 people with a seat; the access of one of them has ended. */
  function rosterOf(environment: Environment, more: Partial<Roster> = {}): Roster {
    const people = Array.from({ length: 41 }, (_, index) => ({
      ...{ key: `ada${index}`, email: `ada${index}@acme.example`, place: `people.csv, line ${index + 2}` },
      ...{ seat: true, token: true, protected: false },
      ...(index === 0 && { accessUntil: "2020-01-01T00:00:00Z" }),
    }));
    const { ORGSEAT_ORGANIZATION_ID: organizationId = "" } = environment;
    return {
      ...{ file: "people.csv", organizationId, subscriptionExpiresAt: SUBSCRIPTION, seats: 50, people },
      ...more,
    };
  }
  const ofRoster = (roster: Roster | RosterError) => ({ roster, stack: "people" });
  const rosterChecks = ({ checks }: DoctorReport) => checks.filter(({ check }) => check === "roster");

  test("takes organization and subscription from it, and needs neither in the configuration", async () => {
    const { environment, secrets } = await allGood();
    const bare = without(environment, "ORGSEAT_ORGANIZATION_ID", "ORGSEAT_SUBSCRIPTION_EXPIRES_AT");
    const report = await reportOn(bare, secrets, ofRoster(rosterOf(environment)));
    expect(report.ok, formatReport(report)).toBe(true);
    expect(rosterChecks(report)).toEqual([
      {
        check: "roster",
        status: "ok",
        text: "people.csv: 41 people, stack people",
        code: null,
        next: null,
        blocks: false,
      },
    ]);
    expect(find(report, "organizationId").text).toBe(environment.ORGSEAT_ORGANIZATION_ID);
    expect(find(report, "subscriptionExpiresAt").text).toContain(SUBSCRIPTION);
    expect(find(report, "stack configuration").text).toBe(
      "stack people does not exist yet; `orgseat up` creates it. Using environment variables only",
    );
  });

  test("fails if it is about another organization, or lists other numbers than it says, seats with access alone", async () => {
    const { environment, secrets } = await allGood();
    const organizationId = "7f3a8e52-0000-4000-8000-000000000001";
    const roster = rosterOf(environment, {
      ...{ organizationId, rows: 42, seats: 39 },
    });
    const report = await reportOn(environment, secrets, ofRoster(roster));
    expect(report.ok).toBe(false);
    expect(rosterChecks(report).map(({ status, text }) => [status, text])).toEqual([
      ["ok", "people.csv: 41 people, stack people"],
      ["failed", "people.csv lists 41 people, but `rows` is 42"],
      ["failed", "40 people have a seat, but `seats` is 39"],
      [
        "failed",
        `the roster is for organization ${organizationId}, but the configuration is for ${environment.ORGSEAT_ORGANIZATION_ID}`,
      ],
      [
        "ok",
        `orgseat:subscriptionExpiresAt is ${environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT}, but the roster says ${SUBSCRIPTION}, which takes precedence`,
      ],
    ]);
  });

  test("lists its validation errors, and looks at everything else all the same", async () => {
    const { environment, secrets } = await allGood();
    const issues = Array.from({ length: 23 }, (_, index) => ({
      ...{ line: index + 2, column: 5, field: "email", text: "not a valid email address" },
    }));
    const roster = new RosterError("people.csv", issues);
    const report = await reportOn(environment, secrets, ofRoster(roster));
    expect(report.ok).toBe(false);
    const found = rosterChecks(report).map(({ text }) => text);
    expect(found).toHaveLength(21);
    expect(found[0]).toBe("people.csv, line 2, column 5 (email): not a valid email address");
    expect(found.at(-1)).toBe("people.csv: 3 more errors");
    expect(find(report, "organization").status).toBe("ok");
  });
});

/** Runs the command as a person does. */
function orgseat(args: readonly string[], environment: Environment, folder = temporaryFolder()) {
  const launcher = join(packageRoot, "sdk", "bin", "orgseat.js");
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: { PATH: "", ...environment } };
    const child = execFile(process.execPath, [launcher, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (child.exitCode ?? 1), stdout, stderr }),
    );
    onTestFinished(() => void child.kill("SIGKILL"));
  });
}

describe("doctor, of the model area", () => {
  test("says that address, key and vector database work, by two GETs", async () => {
    const { environment, model, service, secrets } = await allGood();
    const before = await service.management.snapshot();
    await service.management.clearRequests();
    const report = await reportOn({ ...environment, ...model }, secrets);
    expect(report.ok, formatReport(report)).toBe(true);
    expect(find(report, "model area").text).toMatch(/answers, with \d+ servers?$/);
    expect(find(report, "apiKey").text).toContain(
      "accepted; manages servers, model files, and vector tables",
    );
    const requests = await service.management.requests();
    expect(requests.filter(({ credential }) => credential === "apiKey").map(({ call }) => call)).toEqual([
      12, 15,
    ]);
    expect(await service.management.snapshot()).toEqual(before);
  });

  test("alone needs nothing of the organization area, and says so", async () => {
    const report = await diagnosed(({ model }) => model);
    expect(report.ok, formatReport(report)).toBe(true);
    expect(statuses(report)).toEqual({
      "Pulumi CLI": expect.any(String),
      "stack configuration": "ok",
      sources: "ok",
      "organization area": "missing",
      platform: "ok",
      "model area": "ok",
      apiKey: "ok",
      "vector database": "ok",
    });
  });

  test("reports a vector database that is stopped, and blames neither address nor key", async () => {
    const { model, service, secrets } = await allGood();
    await service.management.models.runVectorDatabase(false);
    const report = await reportOn(model, secrets);
    expect(statuses(report)).toMatchObject({
      "model area": "ok",
      apiKey: "ok",
      "vector database": "failed",
    });
    expect(find(report, "vector database").text).toContain(
      "not running (DATABASE_NOT_RUNNING); requests for vector tables fail",
    );
    expect(formatReport(report)).toMatch(/^Problems found: vector database\.$/m);
    await service.management.addFaults({ match: { call: 15 }, fault: { kind: "refuse", status: 500 } });
    const broken = await reportOn(model, secrets);
    expect(find(broken, "vector database").text).toContain("cannot list tables: ");
    expect(find(broken, "vector database").text).not.toContain("not running");
  });

  test("blocks nothing if it is not configured; half of it fails", async () => {
    const neither = await diagnosed(({ environment }) => environment);
    expect(find(neither, "model area")).toMatchObject({ status: "missing", blocks: false });
    expect(find(neither, "model area").next).toContain("ORGSEAT_MODEL_URL and ORGSEAT_API_KEY");
    const keyAlone = await diagnosed((given) => ({
      ...given.environment,
      ...without(given.model, "ORGSEAT_MODEL_URL"),
    }));
    expect(find(keyAlone, "modelUrl")).toMatchObject({ status: "missing", blocks: true });
    const urlAlone = await diagnosed((given) => ({
      ...given.environment,
      ...without(given.model, "ORGSEAT_API_KEY"),
    }));
    expect(find(urlAlone, "apiKey")).toMatchObject({ status: "missing", blocks: true });
    expect(find(urlAlone, "model area")).toMatchObject({ status: "ok" });
  });

  test("blames a wrong key, and never sends one that is no UUID", async () => {
    const { environment, model, service, secrets } = await allGood();
    const other = "11111111-2222-4333-8444-555555555555";
    const wrong = await reportOn({ ...environment, ...model, ORGSEAT_API_KEY: other }, [...secrets, other]);
    expect(statuses(wrong)).toMatchObject({ "model area": "ok", apiKey: "failed" });
    expect(wrong.ok).toBe(false);
    await service.management.clearRequests();
    const noUuid = await reportOn({ ...model, ORGSEAT_API_KEY: WRONG }, secrets);
    expect(find(noUuid, "configuration").text).toBe("ORGSEAT_API_KEY is not a UUID");
    const seen = await service.management.requests();
    expect(seen.map(({ call, credential }) => [call, credential])).toEqual([[12, "none"]]);
  });

  test.each([
    [200, "text/html", "<!doctype html><p>Welcome</p>", "an HTML page"],
    [404, "application/json", '{"detail":"Not Found"}', "the server does not support this request"],
    [500, "text/plain", "boom", "boom"],
  ])("blames the address, and no key, if a server answers %i as %s", async (...given) => {
    const [status, type, body, words] = given;
    const ORGSEAT_MODEL_URL = await answering(status, type, body);
    const report = await diagnosed(({ model }) => ({ ...model, ORGSEAT_MODEL_URL }));
    expect(statuses(report)).toMatchObject({ "model area": "failed", apiKey: "cannot be checked" });
    expect(find(report, "model area").text).toContain(words);
  });
});

describe.skipIf(process.platform === "win32")("doctor, of the Pulumi CLI", () => {
  /** Settings of nothing but a CLI, which prints this version and this error. */
  function withCli(version: string, error = "no stack selected") {
    const folder = temporaryFolder();
    const file = join(folder, "pulumi");
    const script = `[ "$1" = version ] && echo ${version} && exit\necho "error: ${error}" >&2\nexit 1\n`;
    writeFileSync(file, `#!/bin/sh\n${script}`, { mode: 0o755 });
    return { folder, file, environment: { ORGSEAT_PULUMI_PATH: file } };
  }

  test.each([
    ["v3.274.1", null],
    [`v${OLDEST_TESTED}`, null],
    ["v3.1000.0-alpha.1", null],
    ["v3.99.9", "update it (https://www.pulumi.com/docs/install/), or run `npm install pulumi@latest`"],
    ["v2.300.0", "update it (https://www.pulumi.com/docs/install/), or run `npm install pulumi@latest`"],
  ])("shows its path and version, and says what to do if it is old: %s", async (version, next) => {
    const { file, environment } = withCli(version);
    const check = find(await reportOn(environment, []), "Pulumi CLI");
    expect(check).toMatchObject({ status: "ok", next, blocks: false });
    const number = version.replace(/^v|-.*$/g, "");
    expect(check.text.startsWith(`${file}, version ${number}`)).toBe(true);
    expect(check.text.includes(`older than ${OLDEST_TESTED}`)).toBe(next !== null);
  });

  test("says that it does not start, and why", async () => {
    const { environment } = withCli("nothing");
    writeFileSync(environment.ORGSEAT_PULUMI_PATH, "#!/bin/sh\necho 'error: bad state' >&2\nexit 1\n");
    expect(find(await reportOn(environment, []), "Pulumi CLI")).toMatchObject({
      status: "cannot be checked",
      text: expect.stringContaining("bad state"),
    });
  });

  test("downloads nothing: says how to have npm's package download it", async () => {
    const npm = npmPulumi("");
    const report = await reportOn({ ...npm.environment, PATH: "" }, [], { folder: npm.folder });
    expect(find(report, "Pulumi CLI")).toMatchObject({
      status: "cannot be checked",
      text: `npm's package pulumi downloads it to ${npm.file} when it first runs`,
      next: "run `npx pulumi version`, then `orgseat doctor` again",
    });
    expect(existsSync(npm.file)).toBe(false);
  });

  test("gives the command that creates the folder of a file:// backend, in a project and for a roster", async () => {
    const missing = `unable to open state directory "file:///x y": stat /x y: no such file or directory`;
    const { environment } = withCli("v3.274.1", missing.replaceAll('"', "'"));
    const project = temporaryFolder();
    writeFileSync(join(project, "Pulumi.yaml"), "name: acme\nruntime: nodejs\n");
    const roster = { file: "people.csv", organizationId: NOBODY, people: [] };
    for (const options of [
      { folder: project, stack: "dev" },
      { roster, stack: "people" },
    ]) {
      expect(find(await reportOn(environment, [], options), "stack configuration")).toMatchObject({
        status: "failed",
        next: "create the folder of the backend: `mkdir -p '/x y'`",
      });
    }
  });
});

describe("the command orgseat doctor", () => {
  test("prints lines and exits with 0 where all works, and with --json a report of one form", async () => {
    const { environment } = await allGood();
    const words = await orgseat(["doctor"], environment);
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout).toMatch(/^ok {17}organization: /m);
    expect(words.stdout).toMatch(/^No problems found\.$/m);
    const json = await orgseat(["doctor", "--json"], { ...environment, ORGSEAT_PASSWORD: "wrong" });
    expect(json.code).toBe(1);
    expect(doctorReportSchema.parse(JSON.parse(json.stdout)).ok).toBe(false);
  });

  test("reads the stack's configuration in a project, secrets too, by the pulumi of the PATH", {
    tags: "ci",
  }, async () => {
    const { environment, service, secrets } = await allGood();
    await pulumiReady();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "Pulumi.yaml"), "name: roster\nruntime: nodejs\n");
    mkdirSync(join(folder, "state"));
    const isolated = isolatedEnvironment(
      { PATH: dirname(pulumiCommand) },
      { folder, passphrase: "for tests", compileCache: join(folder, "compiled"), configuration: {} },
    );
    const run = (...args: string[]) =>
      new Promise<void>((resolve, reject) => {
        execFile(pulumiCommand, args, { cwd: folder, env: isolated }, (error) =>
          error ? reject(error) : resolve(),
        );
      });
    expect((await orgseat(["doctor"], isolated, folder)).stdout, "no stack yet").toMatch(
      /^cannot be checked {2}stack configuration: /m,
    );
    await run("stack", "init", "dev", "--non-interactive");
    const pairs = Object.entries({
      organizationId: environment.ORGSEAT_ORGANIZATION_ID,
      orgUrl: service.orgUrl,
      tokenUrl: service.tokenUrl,
      clientId: environment.ORGSEAT_CLIENT_ID,
    }).flatMap(([key, value]) => ["--plaintext", `orgseat:${key}=${value}`]);
    const secret = ["--secret", `orgseat:clientSecret=${environment.ORGSEAT_CLIENT_SECRET}`];
    await run("config", "set-all", ...pairs, ...secret, "--non-interactive");
    const inside = join(folder, "below");
    mkdirSync(inside);
    const unlocked = await orgseat(["doctor"], { ...isolated, PULUMI_CONFIG_PASSPHRASE: "" }, folder);
    expect(unlocked.code).toBe(1);
    expect(unlocked.stdout).toMatch(
      /^failed +stack configuration: PULUMI_CONFIG_PASSPHRASE is set to an empty text, .* \[empty-passphrase\]$/m,
    );

    await run("config", "set", "orgseat:apikey", "not-shown-either", "--plaintext", "--non-interactive");
    const misspelt = await orgseat(["doctor"], isolated, folder);
    expect(misspelt.code).toBe(1);
    expect(misspelt.stdout).toContain(
      "unknown name orgseat:apikey, which orgseat ignores; did you mean orgseat:apiKey?",
    );
    expect(misspelt.stdout).not.toContain("not-shown-either");
    await run("config", "rm", "orgseat:apikey", "--non-interactive");

    const selected = await orgseat(["doctor"], isolated, folder);
    expect(selected, selected.stdout).toMatchObject({ code: 0, stderr: "" });
    expect(selected.stdout).toContain("stack configuration: 5 orgseat values in the selected stack");
    expect(selected.stdout).toMatch(
      /^ok +service account: the token endpoint accepts clientId and clientSecret;/m,
    );

    await run("config", "set", "orgseat:apiKey", "not-shown-too", "--plaintext", "--non-interactive");
    const plain = await orgseat(["doctor"], isolated, folder);
    expect(plain).toMatchObject({ code: 1, stdout: expect.not.stringContaining("not-shown-too") });
    expect(plain.stdout).toMatch(
      /^failed +stack configuration: orgseat:apiKey is a secret in plain text: .*\n +next: replace the secret in the service, then run `pulumi config set --secret orgseat:apiKey`/m,
    );
    await run("config", "rm", "orgseat:apiKey", "--non-interactive");

    const unknown = await orgseat(["doctor", "--stack", "nobody"], isolated, folder);
    expect(unknown.code).toBe(1);
    expect(unknown.stdout).toMatch(/^failed +stack configuration: /m);
    const alone = await orgseat(
      ["doctor"],
      { ...without(environment, "ORGSEAT_PULUMI_PATH"), PATH: "" },
      inside,
    );
    expect(alone.stdout).toMatch(
      /^failed +stack configuration: no pulumi on the PATH \[missing-pulumi\]\n +next: run `npm install pulumi`, or install/m,
    );
    expect(alone.code).toBe(1);
    const named = { ...isolated, ORGSEAT_PULUMI_PATH: pulumiCommand, PATH: dirname(process.execPath) };
    expect((await orgseat(["doctor"], named, folder)).stdout).toContain(
      "5 orgseat values in the selected stack",
    );
    const gone = await orgseat(
      ["doctor"],
      { ...isolated, ORGSEAT_PULUMI_PATH: join(folder, "pulumi") },
      folder,
    );
    expect(gone.code).toBe(1);
    expect(gone.stdout).toMatch(
      /^failed +stack configuration: cannot use the Pulumi CLI .* does not exist \[missing-pulumi\]$/m,
    );
    for (const secretText of secrets) {
      expect(selected.stdout + unknown.stdout + alone.stdout).not.toContain(secretText);
    }
  });

  test("fails for a new stack without a passphrase, and in a backend that needs a login", async () => {
    const { environment } = await allGood();
    const folder = temporaryFolder();
    const id = environment.ORGSEAT_ORGANIZATION_ID;
    writeFileSync(join(folder, "people.csv"), `# organization: ${id}\nemail\nada@acme.example\n`);
    const missing = await orgseat(["doctor"], without(environment, "PULUMI_CONFIG_PASSPHRASE"), folder);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(
      /^failed +stack secrets: PULUMI_CONFIG_PASSPHRASE is not set; new stacks need it \[invalid-configuration\]\n +next: set /m,
    );
    const empty = { ...environment, PULUMI_CONFIG_PASSPHRASE: "" };
    const refused = await orgseat(["doctor"], empty, folder);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(
      /^failed +stack secrets: PULUMI_CONFIG_PASSPHRASE is set to an empty text, .* \[empty-passphrase\]\n +next: set /m,
    );
    for (const provider of ["awskms://alias/acme", "passphrase"]) {
      const { code } = await orgseat(["doctor"], { ...empty, ORGSEAT_SECRETS_PROVIDER: provider }, folder);
      expect(code, provider).toBe(provider === "passphrase" ? 1 : 0);
    }
    const elsewhere = await orgseat(["doctor"], { ...environment, PULUMI_BACKEND_URL: "s3://none" }, folder);
    expect(elsewhere.stdout).toMatch(
      /^failed +stack configuration: `pulumi whoami` failed: .*\n +next: run `pulumi login`/m,
    );
    const outside = { ...without(environment, "PULUMI_BACKEND_URL"), PULUMI_HOME: temporaryFolder() };
    expect((await orgseat(["doctor"], outside, folder)).stdout).toMatch(
      /: pulumi is not logged in to a backend \[pulumi-failed\]\n +next: run `pulumi login`, or set PULUMI_BACKEND_URL$/m,
    );
    expect((await orgseat(["preview"], outside, folder)).stderr).toMatch(
      /^orgseat: cannot .+: pulumi is not logged in to a backend\. To go on, run `pulumi login`, or set PULUMI_BACKEND_URL, then run the command again \[pulumi-failed\]$/m,
    );
  });

  test("reads the roster of the folder, or the one that is named, with its errors by line", async () => {
    const { environment } = await allGood();
    const folder = temporaryFolder();
    const { ORGSEAT_ORGANIZATION_ID: organizationId = "" } = environment;
    const header = `# organization: ${organizationId}\nemail\n`;
    writeFileSync(join(folder, "people.csv"), `${header}ada@acme.example\nbob@acme.example\n`);
    const bare = without(environment, "ORGSEAT_ORGANIZATION_ID");
    const found = await orgseat(["doctor"], bare, folder);
    expect(found, found.stdout).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toContain("roster: people.csv: 2 people, stack people\n");
    expect(found.stdout).toContain("stack people does not exist yet; `orgseat up` creates it");

    writeFileSync(join(folder, "other.csv"), `${header}ada@\n`);
    const wrong = await orgseat(["doctor", "--roster", "other.csv"], environment, folder);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^failed +roster: other\.csv, line 3, column 1 \(email\): /m);
    const gone = await orgseat(["doctor", "--roster", "gone.csv"], environment, folder);
    expect(gone.stdout).toMatch(/^failed +roster: gone\.csv: no such file/m);
  });

  test("an old Node: one sentence with the required version", async () => {
    const launcher = JSON.stringify(join(packageRoot, "sdk", "bin", "orgseat.js"));
    const script = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.0.0" } });require(${launcher});`;
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, ["-e", script], (_, _stdout, stderr) => resolve(stderr));
    });
    expect(said).toMatch(/^orgseat needs Node 22\.19 or newer, but this is Node 18\.0\.0.*\n$/);
  });
});

describe("doctor --verbose", () => {
  const readsIn = ({ checks }: DoctorReport) =>
    checks.flatMap(({ check, status, text }) => (check === "reads" ? [`${status}: ${text}`] : []));

  test("ends with each read of the platform, and says that the sandbox answers as described", async () => {
    const { environment, model, secrets } = await allGood("anaconda");
    const report = await reportOn({ ...model, ...environment }, secrets, { verbose: true });
    expect(report.checks.at(-1)?.check).toBe("reads");
    expect(readsIn(report)).toEqual(
      [
        "/organizations/{org_id}/service-accounts",
        "/organizations/{org_id}/users",
        "/organizations/{org_id}/users/{user_id}/tokens",
        ...["/api/servers", "/api/vector-db/tables", "/api"],
        ...["/api/models/health", "/api/servers/health", "/api/vector-db/health"],
      ].map((path) => `ok: GET ${path}: as described`),
    );
    const basic = await allGood();
    const unset = await reportOn(basic.environment, basic.secrets, { verbose: true });
    expect(readsIn(unset)).toEqual([
      "ok: GET /organizations/{org_id}/service-accounts: as described",
      "cannot be checked: GET /api/servers: not sent",
      "cannot be checked: GET /api/vector-db/tables: not sent",
    ]);
    const plain = await reportOn(basic.environment, basic.secrets);
    expect(readsIn(plain)).toEqual([]);
  });

  test("names paths and types of what differs, and no value", async () => {
    const { environment, model, service, secrets } = await allGood("anaconda");
    const { management } = service;
    const odd = { id: "u-4711", email: "eve@acme.example", role: null, subscriptions: [{ code: "gold" }] };
    const more = { department: "Research", "eve@acme.example": "gold" };
    await management.setOddItems(
      { call: 17, item: { ...odd, ...more } },
      { call: 18, item: { id: "t-4711", expires_at: "tomorrow", metadata: {}, revoked: "no" } },
    );
    await management.addFaults(
      { match: { call: 2 }, times: "always", fault: { kind: "refuse", status: 403 } },
      { match: { call: 30 }, times: "always", fault: { kind: "cut-before" } },
    );
    const report = await reportOn(
      { ...model, ...environment },
      [...secrets, "4711", "eve@acme.example", "gold", "Research", "tomorrow"],
      { verbose: true },
    );
    const differing = readsIn(report).filter((text) => !text.startsWith("ok"));
    expect(differing).toEqual([
      "failed: GET /organizations/{org_id}/service-accounts: not as described: HTTP 403",
      "failed: GET /organizations/{org_id}/users: not as described: items[].role: expected string, got null; items[].subscriptions[]: expected string, got an object; items[].department: unknown field; items[].…: unknown field",
      "failed: GET /organizations/{org_id}/users/{user_id}/tokens: not as described: items[].expires_at: unexpected form, got a string; items[].revoked: expected boolean, got a string",
      "cannot be checked: GET /api: no answer (no-answer)",
    ]);
    await management.setOddItems();
    await management.setSwitches({ pages: "limit" });
    const paged = await reportOn({ ...model, ...environment }, secrets, { verbose: true });
    expect(readsIn(paged)).toContain(
      "failed: GET /organizations/{org_id}/users: not as described: the list is not whole",
    );
  });
});
