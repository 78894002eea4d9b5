import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../provider/api/calls/errors.ts";
import { type PlatformName, platformNames, platforms } from "../../../provider/api/calls/platform.ts";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { createClient } from "../../../provider/api/client.ts";
import { ORG, wireCalls } from "../../interface/anaconda/calls.ts";
import { checkCases } from "../../setup/cases.ts";
import { cpuTimeRatio } from "../../setup/cpu-time.ts";
import { failureOf, Service, startRaw, TestClock } from "./service.ts";

const secrets = {
  password: 'Pa55 w/ö"rd+\\secret',
  clientSecret: "client-secret-0815",
  accessToken: "eyJhbGciOi.J9-access_token",
  apiKey: "7d0f4a1e-5b2c-4f63-9a08-1c2d3e4f5a6b",
  issued: "pk/issued+token==",
};
const credentials = {
  user: { username: "admin", password: secrets.password },
  serviceAccount: { clientId: "id", clientSecret: secrets.clientSecret },
  apiKey: secrets.apiKey,
};

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** Every way of writing a secret that must not be seen. */
function written(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64");
  return [
    secret,
    inJson(secret),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
    new URLSearchParams({ a: secret }).toString().slice(2),
    base64,
    base64.replace(/=+$/, ""),
    Buffer.from(secret).toString("base64url"),
    Buffer.from(`id:${secret}`).toString("base64"),
    Buffer.from(`id2:${secret}; and more`).toString("base64url"),
    Buffer.from(JSON.stringify({ secret })).toString("base64"),
  ];
}

describe("the redactor", () => {
  const redactor = new Redactor();
  for (const secret of Object.values(secrets)) redactor.add(secret);
  const forms = Object.entries(secrets).flatMap(([name, secret]) =>
    written(secret).map((form) => [name, form]),
  );

  test.each(forms)("removes the %s written as %s", (_, form = "") => {
    for (const text of [
      form,
      `a ${form} b`,
      `{"x":"${form}"}`,
      `"${form}`.repeat(40),
      `${"x ".repeat(8180)}${form}`,
    ]) {
      expect(redactor.redact(text)).not.toContain(form);
      expect(redactor.show(text)).not.toContain(form);
    }
    expect(redactor.redact(`a ${form} b`)).toBe("a [removed] b");
  });

  test("leaves everything else as it is (positive control)", () => {
    const text = "user 0b5c9a2e-1d7f-4c3a-9e2b-7d1f0a6b4c8d of the-client has no seat: 5/5 used";
    expect(redactor.show(text)).toBe(text);
    expect(new Redactor().redact(secrets.password)).toBe(secrets.password);
  });

  test("leaves a secret under six characters, which would garble ordinary words", () => {
    const weak = new Redactor();
    for (const secret of ["wrong", "a", ""]) weak.add(secret);
    const text = "unknown client_id or wrong client_secret";
    expect(weak.show(text)).toBe(text);
    weak.add("client_secret");
    expect(weak.show(text)).toBe("unknown client_id or wrong [removed]");
  });

  test("many tokens: ten times as many do not take ten times as long", () => {
    const token = (index: number) => `token-of-user-${index}-${"x".repeat(40)}`;
    const showing = (tokens: number) => {
      const many = new Redactor();
      for (let index = 0; index < tokens; index++) many.add(token(index));
      const texts = Array.from(
        { length: 20 },
        (_, index) => `no seat for ${token(index)} ${"word ".repeat(2_000)}`,
      );
      return () => texts.map((text) => many.show(text));
    };
    expect(cpuTimeRatio(showing(10_000), showing(1_000))).toBeLessThan(5);
  });
});

test("a token that the service issued is not shown when it comes back in a later error", async () => {
  await using service = await Service.start((_, count) =>
    count === 1 ? { body: { token: secrets.issued } } : { status: 409, body: `has ${secrets.issued}` },
  );
  const org = service.organization();
  const operation = { deadline: performance.now() + 5_000 };
  await org.issueToken("u", "2027-06-30", operation);
  const error = await failureOf(org.issueToken("u", "2027-06-30", operation));
  expect(error.reason).toBe("has [removed]");
});

/** The calls of a platform. */
const callsOf = (platform: PlatformName) => {
  const known = Object.values(platforms[platform].calls).map(({ name }) => name);
  return wireCalls.filter(({ name }) => known.some((one) => name === one || name.startsWith(`${one},`)));
};

describe.each(platformNames)("whatever a service answers in the platform %s", (platform) => {
  const status = fc.oneof(
    fc.constantFrom(200, 201, 204, 401, 404, 409, 429, 503),
    fc.integer({ min: 200, max: 999 }),
  );
  const form = fc.constantFrom(...Object.values(secrets).flatMap(written));
  const text = fc.array(
    fc.oneof(form, fc.string({ unit: "binary" }), fc.constantFrom("<", "{", "\u0000", " ", '"')),
    {
      maxLength: 6,
    },
  );
  const body = fc.oneof(
    text.map((parts) => parts.join("")),
    form.map((message) => JSON.stringify({ error: { code: message, message } })),
    form.map((msg) => JSON.stringify({ detail: [{ loc: ["body", msg], msg, type: msg }] })),
    form.map((token) => JSON.stringify({ token, expires_at: token, id: token, client_id: [token] })),
    form.map((id) => JSON.stringify({ data: [{ id, name: id, status: id, numRows: id }] })),
    form.map((id) => JSON.stringify({ items: [{ id, email: id, role: id, expires_at: id }] })),
    form.map((password) => JSON.stringify({ data: { running: true, host: password, password } })),
    form.map((email) =>
      JSON.stringify({ users_in_onboarding_process: email, total_organization_seats: email }),
    ),
    fc.json(),
  );
  const headers = fc.array(
    fc.constantFrom(
      "retry-after: 0",
      "retry-after: 99999999999",
      "retry-after: Fri, 31 Dec 2027 23:59:59 GMT",
      "content-type: text/html",
      "content-type: application/json",
      "keep-alive: timeout=1",
      "connection: close",
      "location: /x?token=client-secret-0815",
      "content-encoding: gzip",
      "transfer-encoding: chunked",
      "content-length: 7",
      "content-length: -1",
      "x: \u0001",
    ),
    { maxLength: 4 },
  );
  const answer = fc.record({ status, headers, body, cut: fc.option(fc.nat(200)), garbage: fc.nat(40) });

  test("a call ends in a value or an ApiError, and shows no secret", async () => {
    let scripted = "";
    await using service = await startRaw((socket, request) => {
      const token = `{"access_token":"${secrets.accessToken}"}`;
      if (request.startsWith("POST /token"))
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${token.length}\r\n\r\n${token}`);
      else socket.end(Buffer.from(scripted));
    });
    const calls = callsOf(platform);
    expect(calls.length).toBeGreaterThan(15);
    await checkCases(
      { name: `hostile answers, ${platform}`, level: "R", cases: 2_500 },
      fc.tuple(answer, fc.nat(calls.length - 1)),
      async ([{ status, headers, body, cut, garbage }, which]) => {
        const length = headers.some((header) => /^(content-length|transfer)/.test(header))
          ? []
          : [`content-length: ${Buffer.byteLength(body)}`];
        const whole = `HTTP/1.1 ${status} Some\r\n${[...headers, ...length, ""].join("\r\n")}\r\n${body}`;
        scripted = garbage === 0 ? body : whole.slice(0, cut ?? whole.length);
        const clock = new TestClock();
        const client = createClient({
          orgUrl: service.url,
          tokenUrl: `${service.url}/token`,
          modelUrl: service.url,
          platform: platforms[platform],
          timeoutMs: 300,
          clock,
        });
        const areas = {
          org: client.organization("o", credentials),
          models: client.models(credentials),
          operation: { deadline: clock.monotonic() + 700 },
        };
        const error = await calls[which]?.make(areas).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        await client.close();
        if (error === undefined) return;
        expect(error).toBeInstanceOf(ApiError);
        const shown = `${inspect(error, { depth: 20, showHidden: true })} ${(error as ApiError).message}`;
        const { accessToken, issued: _, ...given } = secrets;
        // The model area fetches no access token, so no one knows one there.
        const known = calls[which]?.request.includes(ORG) ? { ...given, accessToken } : given;
        for (const secret of Object.values(known)) {
          for (const writing of written(secret)) expect(shown).not.toContain(writing);
        }
        expect((error as ApiError).message).not.toMatch(/\p{Cc}/u);
      },
    );
  });
});
