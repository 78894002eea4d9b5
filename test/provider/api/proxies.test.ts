/** The client through the proxies that the environment names. */
import { describe, expect, onTestFinished, test } from "vitest";
import { diagnose } from "../../../command/doctor/doctor.ts";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { proxyOf, secretOf } from "../../../provider/api/client/proxies.ts";
import { createClient } from "../../../provider/api/client.ts";
import { readSettings } from "../../../provider/config/settings.ts";
import { makeCertificate, trust } from "../../setup/certificate.ts";
import { httpProxy, type Refusal } from "../../setup/http-proxy.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { during, failureOf, type Script, Service, TestClock } from "./service.ts";

const certificate = makeCertificate("service.example");

interface Front {
  readonly refusal?: Refusal;
  readonly isTrusted?: boolean;
}

/** A service that only the proxy finds, and the variables that name the proxy. */
async function behindProxy(script: Script, { refusal, isTrusted = true }: Front = {}) {
  if (isTrusted) trust(certificate);
  const service = await Service.start(script, undefined, certificate);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const proxy = await httpProxy(service.port, refusal);
  return { service, proxy, environment: { HTTPS_PROXY: proxy.address } };
}

describe("a service behind the proxy of HTTPS_PROXY", () => {
  test("gets its requests through a tunnel: the proxy sees its host and nothing else", async () => {
    const { service, proxy, environment } = await behindProxy(() => ({ body: { items: [] } }));
    const org = service.organization({ environment });
    await org.assignSeat("u", during());
    await org.listServiceAccounts(during());
    expect(service.calls.map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT service.example:${service.port}`]));
  });

  test("gets no request if the proxy wants other credentials: the error comes at once and shows none", async () => {
    const clock = new TestClock();
    const { service, proxy } = await behindProxy(() => ({}), { refusal: 407 });
    const HTTPS_PROXY = proxy.address.replace("http://", "http://me:pass%20word@");
    const org = service.organization({ environment: { HTTPS_PROXY }, clock });
    const error = await failureOf(org.assignSeat("u", { deadline: clock.monotonic() + 1e5 }));
    expect(error).toMatchObject({ code: "unreachable", effectUnknown: false });
    expect(error.message).toContain(`the proxy returned HTTP 407. Check that the service is running`);
    expect(error.message).toContain(`Also check the proxy ${proxy.address} (HTTPS_PROXY)`);
    expect(error.message).not.toMatch(/pass( |%20)word/);
    expect(clock.sleeps).toEqual([]);
    const basic = `Basic ${Buffer.from("me:pass word").toString("base64")}`;
    expect(proxy.headers.map((headers) => headers["proxy-authorization"])).toEqual([basic]);
    expect(service.calls.length + service.tokenRequests.length).toBe(0);
  });

  test("gets no request if its certificate is not trusted: the error comes at once and names NODE_EXTRA_CA_CERTS", async () => {
    const clock = new TestClock();
    const { service, proxy, environment } = await behindProxy(() => ({}), { isTrusted: false });
    const org = service.organization({ environment, clock });
    const error = await failureOf(org.assignSeat("u", { deadline: clock.monotonic() + 1e5 }));
    expect(error).toMatchObject({ code: "unreachable", effectUnknown: false });
    expect(error.message).toContain(
      `${service.url}: its certificate is from an authority that Node.js does not trust (DEPTH_ZERO_SELF_SIGNED_CERT): set NODE_EXTRA_CA_CERTS in the environment to the path of a PEM file with the certificate of that authority (Node.js reads SSL_CERT_FILE only with NODE_USE_SYSTEM_CA=1), and run again. Also check the proxy ${proxy.address}`,
    );
    expect(clock.sleeps).toEqual([]);
  });

  test("gets its requests past the proxy if NO_PROXY names it", async () => {
    const clock = new TestClock();
    const { service, proxy, environment } = await behindProxy(() => ({}));
    const org = service.organization({ environment: { ...environment, NO_PROXY: "other,.example" }, clock });
    const error = await failureOf(org.assignSeat("u", { deadline: clock.monotonic() + 1_000 }));
    expect(error.code, "nobody else finds that host").toBe("unreachable");
    expect(proxy.asked).toEqual([]);
  });
});

test("a service on this machine is never reached through a proxy", async () => {
  const proxy = await httpProxy(0);
  const environment = { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address, http_proxy: proxy.address };
  await using service = await Service.start(() => ({}));
  await service.organization({ environment }).assignSeat("u", during());
  expect(service.calls).toHaveLength(1);
  expect(proxy.asked).toEqual([]);
});

describe("the proxy of an address", () => {
  const https = new URL("https://service.example/api");
  const http = new URL("http://service.example/api");
  test.each([
    [https, { HTTPS_PROXY: "http://a:1", https_proxy: "http://b:2" }, "https_proxy", "http://b:2"],
    [https, { HTTP_PROXY: "http://a:1" }, "HTTP_PROXY", "http://a:1"],
    [https, { HTTPS_PROXY: "a:3128" }, "HTTPS_PROXY", "http://a:3128"],
    [http, { HTTP_PROXY: "https://a" }, "HTTP_PROXY", "https://a"],
  ])("%s in %j is that of %s", (address, environment, variable, origin) => {
    const proxy = proxyOf(address, environment);
    expect(proxy).toMatchObject({ variable });
    expect(proxy && "url" in proxy && proxy.url.origin).toBe(origin);
  });

  const internal = { HTTPS_PROXY: "http://a:1", HTTP_PROXY: "http://a:1" };
  test.each([
    ["https://10.1.2.3", "10.0.0.0/8"],
    ["https://10.1.2.3:8443", "other.example, 192.168.0.0/16 10.1.2.3/32"],
    ["http://[fd00::5]", "fd00::/8"],
    ["http://[fd00::5]", "[fd00::]/8"],
  ])("%s is none if NO_PROXY has its range: %s", (address, NO_PROXY) => {
    expect(proxyOf(new URL(address), { ...internal, NO_PROXY })).toBeUndefined();
  });

  test.each([
    ["https://11.1.2.3", "10.0.0.0/8"],
    ["https://10.1.2.3", "10.0.0.0/33,10.0.0.0/x,/8,fd00::/8"],
    ["https://service.example", "0.0.0.0/0"],
    ["http://[fe80::5]", "fd00::/8,fd00::/129"],
  ])("%s keeps its proxy with %s", (address, NO_PROXY) => {
    expect(proxyOf(new URL(address), { ...internal, NO_PROXY })).toMatchObject({ except: NO_PROXY });
  });

  test.each([
    [https, {}],
    [https, { HTTPS_PROXY: "", https_proxy: "" }],
    [http, { HTTPS_PROXY: "http://a:1" }],
    [new URL("https://localhost:1"), { HTTPS_PROXY: "http://a:1" }],
    [new URL("http://[::1]:1"), { HTTP_PROXY: "http://a:1" }],
  ])("%s in %j is none", (address, environment) => {
    expect(proxyOf(address, environment)).toBeUndefined();
  });

  test.each(["socks5://secret@a:1", "http://", "ftp://a"])("shows no value in the error for %s", (named) => {
    const environment = { HTTPS_PROXY: named };
    const sentence =
      "HTTPS_PROXY is not the http:// or https:// address of a proxy, such as http://proxy.example:3128";
    const orgUrl = "https://service.example/api";
    const open = () => createClient({ orgUrl, tokenUrl: orgUrl, platform: platforms.basic, environment });
    expect(open).toThrow(new TypeError(sentence));
    const addresses = { ORGSEAT_ORG_URL: orgUrl, ORGSEAT_TOKEN_URL: orgUrl, ORGSEAT_PLATFORM: "basic" };
    expect(readSettings(() => undefined, { ...addresses, ...environment }).issues).toEqual([sentence]);
    const local = { ORGSEAT_ORG_URL: "http://127.0.0.1:1", ORGSEAT_TOKEN_URL: "http://127.0.0.1:1" };
    expect(readSettings(() => undefined, { ...local, ...environment }).issues).toEqual([]);
  });

  test("serves doctor too", async () => {
    const { service, proxy, environment } = await behindProxy(() => ({ status: 401 }));
    const addresses = { ORGSEAT_ORG_URL: service.url, ORGSEAT_TOKEN_URL: `${service.url}/token` };
    const { checks } = await diagnose({
      environment: {
        ...environment,
        ...addresses,
        ORGSEAT_PLATFORM: "basic",
        ORGSEAT_ORGANIZATION_ID: "o",
      },
      folder: temporaryFolder(),
    });
    expect(checks.find(({ check }) => check === "token endpoint")).toMatchObject({ status: "ok" });
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT service.example:${service.port}`]));
  });

  test("comes with the settings of the provider's client", async () => {
    const { environment } = await behindProxy(() => ({}));
    expect(readSettings(() => undefined, { ...environment, HOME: "/" }).proxies).toEqual(environment);
  });
});

describe("the password of a proxy", () => {
  const proxyWith = (password: string) =>
    proxyOf(new URL("https://service.example"), { https_proxy: `http://ada:${password}@proxy.example:3128` });

  test.each([
    ["50%off", "50%off"],
    ["p%40ss%", "p@ss%"],
    ["%zz%2", "%zz%2"],
  ])("%j is %j: a lone %% stands for itself", (password, expected) => {
    const proxy = proxyWith(password);
    if (proxy === undefined || "error" in proxy) throw new Error(proxy?.error ?? "no proxy");
    expect(secretOf(proxy)).toBe(expected);
    expect(decodeURIComponent(proxy.url.password)).toBe(expected);
  });

  test("makes the proxy invalid, and stays hidden, if its escapes are not UTF-8", () => {
    expect(proxyWith("%ff1secret")).toEqual({
      error: "https_proxy contains a username or password with percent-escapes that are not valid UTF-8",
    });
  });
});
