import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { credentials, during, failureOf, type Scripted, Service, TestClock } from "./service.ts";

const soon = (clock: TestClock) => ({ deadline: clock.monotonic() + 1_000 });

describe("an administrator's token", () => {
  const adminToken = 'admin"token+4711';

  test("serves the calls about service accounts as it is, without a token request", async () => {
    await using service = await Service.start(({ method }) =>
      method === "GET"
        ? { body: { items: [] } }
        : { body: { name: "ci", client_id: "c", client_secret: "s", org_id: "o" } },
    );
    const api = service.client().organization("o", { user: { adminToken } });
    await api.listServiceAccounts(during());
    await api.createServiceAccount("ci", during());
    await api.deleteServiceAccount("c", during());
    expect(service.calls.map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill(`Bearer ${adminToken}`),
    );
    expect(service.tokenRequests).toEqual([]);
    const { message } = await failureOf(api.createUser({ email: "ada@acme.example" }, during()));
    expect(message).toContain(
      "the service account is missing. Set orgseat:clientId and orgseat:clientSecret",
    );
    expect(service.calls).toHaveLength(3);
  });

  test("refused is an error that says in one sentence why and what to set, without the token in any form", async () => {
    await using service = await Service.start(({ headers: { authorization = "" } }) => ({
      status: 401,
      body: {
        error: { message: `${authorization} ${btoa(authorization)} ${encodeURIComponent(authorization)}` },
      },
    }));
    const api = service.client().organization("o", { user: { adminToken } });
    const error = await failureOf(api.listServiceAccounts(during()));
    expect(error).toMatchObject({ code: "unauthorized", status: 401 });
    expect(error.message).toContain(
      "the service rejects the administrator token, which has expired or was revoked, so set a new one (orgseat:adminToken, or ORGSEAT_ADMIN_TOKEN, or the resource's `credentials`)",
    );
    expect(error.message).toContain("[removed] ");
    for (const form of [adminToken, encodeURIComponent(adminToken), btoa(adminToken).slice(4, -4)])
      expect(inspect(error)).not.toContain(form);
    expect(service.calls).toHaveLength(1);
    expect(service.tokenRequests).toEqual([]);
  });
});

describe("an access token", () => {
  test("serves many calls and equal credentials, one request for each kind", async () => {
    await using service = await Service.start(() => ({ body: { items: [] } }));
    const client = service.client();
    await Promise.all(
      Array.from({ length: 50 }, () =>
        client.organization("o", structuredClone(credentials)).removeSeat("u", during()),
      ),
    );
    expect(service.tokenRequests.map(({ body }) => body)).toEqual([
      "grant_type=client_credentials&client_id=the-client&client_secret=client-secret-0815",
    ]);
    await client.organization("o", credentials).listServiceAccounts(during());
    expect(service.tokenRequests).toHaveLength(2);
    expect(Object.fromEntries(new URLSearchParams(service.tokenRequests[1]?.body))).toEqual({
      grant_type: "password",
      ...credentials.user,
    });
    expect(service.calls[50]?.headers.authorization).toBe("Bearer access-2");
  });

  test.each([
    [900, 839_000, 841_000],
    [100, 89_000, 91_000],
  ])("lives %i s: serves for %i ms and not for %i ms", async (life, used, unused) => {
    const clock = new TestClock();
    await using service = await Service.start(
      () => ({}),
      (_, count) => ({ body: { access_token: `access-${count}`, expires_in: String(life) } }),
    );
    const org = service.organization({ clock });
    for (const ms of [0, used, unused - used]) {
      clock.advance(ms);
      await org.assignSeat("u", soon(clock));
    }
    expect(service.calls.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer access-1",
      "Bearer access-1",
      "Bearer access-2",
    ]);
  });

  test("lives until the service refuses it if its answer has no expiry (null)", async () => {
    const clock = new TestClock();
    let isRefused = false;
    await using service = await Service.start(
      ({ headers }) => ({ status: isRefused && headers.authorization === "Bearer access-1" ? 401 : 201 }),
      (_, count) => ({ body: { access_token: `access-${count}`, expires_in: null } }),
    );
    const org = service.organization({ clock });
    await org.assignSeat("u", soon(clock));
    clock.advance(1e12);
    await org.assignSeat("u", soon(clock));
    expect(service.tokenRequests).toHaveLength(1);
    isRefused = true;
    await org.assignSeat("u", soon(clock));
    expect(service.tokenRequests).toHaveLength(2);
  });

  test("gives way to a new one if the service does not take it any more, once for many at once, for a POST too", async () => {
    await using service = await Service.start(({ headers }) => ({
      status: headers.authorization === "Bearer access-1" ? 401 : 201,
    }));
    const org = service.organization();
    await Promise.all(Array.from({ length: 8 }, () => org.assignSeat("u", during())));
    expect(service.tokenRequests).toHaveLength(2);
    expect(service.calls).toHaveLength(16);
  });

  test("refused even when fresh is an error that names the credential", async () => {
    await using service = await Service.start(() => ({ status: 401, body: "who?" }));
    const error = await failureOf(service.organization().listServiceAccounts(during()));
    expect(error).toMatchObject({ code: "unauthorized", status: 401 });
    expect(error.message).toContain("orgseat:username and orgseat:password");
    expect(service.calls).toHaveLength(2);
  });

  test("comes by the next call if its fetch failed", async () => {
    await using service = await Service.start(
      () => ({}),
      (_, count) => (count === 1 ? { status: 401 } : { body: { access_token: "second" } }),
    );
    const org = service.organization();
    await failureOf(org.assignSeat("u", during()));
    await org.assignSeat("u", during());
    expect(service.calls).toHaveLength(1);
  });

  test("arrives for the others when the time of one who waits ends", async () => {
    let answer: (scripted: Scripted) => void = () => {};
    await using service = await Service.start(
      () => ({}),
      () =>
        new Promise<Scripted>((resolve) => {
          answer = resolve;
        }),
    );
    const org = service.organization();
    const patient = org.assignSeat("u", during());
    const hasty = await failureOf(org.assignSeat("u", during(100)));
    expect(hasty).toMatchObject({ code: "out-of-time", effectUnknown: false });
    expect(hasty.message).toContain("waiting for an access token");
    answer({ body: { access_token: "late-token" } });
    await patient;
    expect(service.tokenRequests).toHaveLength(1);
  });

  test("arrives for the others when the one who asked first leaves in the middle", async () => {
    await using service = await Service.start(
      () => ({}),
      (_, count) => (count === 1 ? { fault: "hang" } : { body: { access_token: "second" } }),
    );
    const org = service.organization();
    const hasty = failureOf(org.assignSeat("u", during(150)));
    await new Promise((resolve) => setTimeout(resolve, 50)); // The request is under way, cut to 150 ms.
    const patient = org.assignSeat("u", during());
    expect((await hasty).code).toBe("out-of-time");
    await patient;
  });
});

describe("the token endpoint (D3)", () => {
  test.each<[string, Scripted, string, string]>([
    [
      "OAuth's error",
      { status: 400, body: { error: "invalid_grant", error_description: "bad client-secret-0815" } },
      "unauthorized",
      "the service rejects the service account (orgseat:clientId and orgseat:clientSecret",
    ],
    ["a bare 401", { status: 401 }, "unauthorized", "the service account"],
    [
      "the error body",
      { status: 403, body: { error: { code: "X", message: "no" } } },
      "unauthorized",
      "HTTP 403 X",
    ],
    ["a page not found", { status: 404, body: "<html>" }, "unknown-route", "check orgseat:tokenUrl"],
    ["a redirect", { status: 302 }, "unknown-route", "check orgseat:tokenUrl"],
    ["no token", { body: {} }, "bad-answer", "access_token: expected string, got nothing"],
    ["a token no header can hold", { body: { access_token: "a\r\nb" } }, "bad-answer", "not an access token"],
    ["a failure", { status: 500 }, "service-failed", "(HTTP 500"],
    ["a cut answer", { fault: "cut" }, "no-answer", "closed before a complete response"],
  ])("fails the call before it is sent: %s", async (_, answer, code, text) => {
    await using service = await Service.start(
      () => ({}),
      () => answer,
    );
    const clock = new TestClock();
    const error = await failureOf(service.organization({ clock }).assignSeat("u", soon(clock)));
    // The call itself was not sent, whatever became of the token.
    expect(error).toMatchObject({ code, call: "get access token", effectUnknown: false });
    expect(error.message).toContain(text);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("client-secret-0815");
    expect(service.calls).toHaveLength(0);
  });

  test("receives nothing without credentials: the error names the keys and the environment (D5)", async () => {
    await using service = await Service.start(() => ({}));
    const org = service.client().organization("o", { user: credentials.user });
    const error = await failureOf(org.assignSeat("u", during()));
    expect(error).toMatchObject({ code: "missing-credentials", status: undefined });
    for (const name of [
      "orgseat:clientId",
      "orgseat:clientSecret",
      "ORGSEAT_CLIENT_ID",
      "ORGSEAT_CLIENT_SECRET",
    ])
      expect(error.message).toContain(name);
    expect(service.tokenRequests).toHaveLength(0);
  });
});
