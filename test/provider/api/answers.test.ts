import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { OrganizationApi } from "../../../provider/api/calls/organization.ts";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { parseResponse } from "../../../provider/api/client/responses.ts";
import { during, failureOf, type Scripted, Service } from "./service.ts";

const once = { timeoutMs: 2_000 };
const seat = (org: OrganizationApi) => org.assignSeat("u1", during());
const html = "<!doctype html><html><body>token=access-1</body></html>";

async function failing(answer: Scripted, call: (org: OrganizationApi) => Promise<unknown>) {
  await using service = await Service.start(() => answer);
  return await failureOf(call(service.organization(once)));
}

describe("a refusal (D30)", () => {
  const cases: [string, Scripted, Record<string, unknown>, string][] = [
    [
      "with the error body",
      { status: 409, body: { error: { code: "HAS_TOKEN", message: "has one" } } },
      { code: "refused", status: 409, serviceCode: "HAS_TOKEN" },
      "cannot assign seat: has one (HTTP 409 HAS_TOKEN, POST /api/v1/organizations/the-org/users/u1/seats)",
    ],
    [
      "with FastAPI's list",
      { status: 422, body: { detail: [{ loc: ["body", "email"], msg: "not an email", type: "value" }] } },
      { code: "refused", status: 422 },
      "body.email: not an email",
    ],
    [
      "in plain text",
      { status: 403, body: "no\u0000 \u001b[31madmin" },
      { code: "refused" },
      "cannot assign seat: no [31madmin (HTTP 403, ",
    ],
    ["as HTML", { status: 402, body: html }, { code: "refused", status: 402 }, "an HTML page"],
    ["without a body", { status: 403 }, { code: "refused", status: 403 }, "no reason (no body)"],
    ["as a sentence", { status: 403, body: { detail: "Not an admin" } }, { code: "refused" }, "Not an admin"],
    [
      "of unknown JSON",
      { status: 400, body: "[1]" },
      { code: "refused" },
      "JSON without an error body (a list)",
    ],
    [
      "that failed",
      { status: 500, body: html },
      { code: "service-failed", effectUnknown: true },
      "an HTML page",
    ],
    ["far too long", { status: 400, body: "x".repeat(1e6) }, { code: "refused" }, `${"x".repeat(300)}…`],
    ["that echoes the token", { status: 400, body: "got access-1!" }, { code: "refused" }, "got [removed]!"],
  ];
  test.each(cases)("%s", async (_, answer, fields, text) => {
    const error = await failing(answer, seat);
    expect(error).toMatchObject(fields);
    expect(error.message).toContain(text);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/access-1|client-secret|doctype/);
  });
});

const errorOf = (message: string, code?: string) => ({ error: { message, ...(code && { code }) } });

describe("a 404 (D15)", () => {
  const deletes = ["removeUser", "removeSeat", "revokeToken"] as const;

  /** The errors of a delete, and the calls to which each proves that there was nothing to delete. */
  const errors: [string, string | object | undefined, readonly (typeof deletes)[number][]][] = [
    ["a code of a user", errorOf("?", "USER_NOT_FOUND"), deletes],
    ["a code of a user in another case", errorOf("?", "userNotFound"), deletes],
    ["a message about the user", errorOf("No such user."), deletes],
    ["the user of an organization", errorOf("no such user in the organization", "NOT_FOUND"), deletes],
    ["a member", errorOf("ada is not a member of this organization"), deletes],
    ["a code of a seat", errorOf("?", "SEAT_NOT_FOUND"), ["removeSeat"]],
    ["a message about a seat", errorOf("no seat is assigned"), ["removeSeat"]],
    ["a code of a token", errorOf("?", "TOKEN_NOT_FOUND"), ["revokeToken"]],
    ["a message about a token", errorOf("no token"), ["revokeToken"]],
    ["a code of the organization", errorOf("no such user", "ORGANIZATION_NOT_FOUND"), []],
    ["a message about the organization", errorOf("Organization not found"), []],
    ["the organization or the user", errorOf("organization or user not found"), []],
    ["the route", errorOf("no such route: /users/x/token"), []],
    ["the rights of a user", errorOf("the user has no access to this organization"), []],
    ["the rights of an account", errorOf("service account is not permitted"), []],
    ["nothing", errorOf("Not Found", "NOT_FOUND"), []],
    ["an empty message", errorOf(""), []],
    ["no body", undefined, []],
  ];
  test.each(errors)(
    "proves that there was nothing to delete only if it says so: %s",
    async (_, body, proved) => {
      for (const status of [404, 410, 400]) {
        await using service = await Service.start(() => ({ status, ...(body !== undefined && { body }) }));
        for (const call of deletes) {
          const remove = service.organization()[call]("x", during());
          if (proved.includes(call) && status !== 400) expect(await remove, call).toBe("gone");
          else expect(await failureOf(remove), call).toMatchObject({ code: "refused", status });
        }
      }
    },
  );

  test("means a refusal to another call", async () => {
    await using service = await Service.start(() => ({ status: 404, body: errorOf("no such user") }));
    const org = service.organization();
    expect(await failureOf(org.renewToken("x", during()))).toMatchObject({ code: "refused", status: 404 });
  });

  test.each([
    ["the error of the contract", errorOf("no such organization", "NO_ORG"), "no such organization"],
    ["no body", undefined, "the service gave no reason (no body)"],
  ])(
    "names address, platform, and organization if the call is about the whole organization: %s",
    async (_, body, reason) => {
      await using service = await Service.start(() => ({ status: 404, ...(body && { body }) }));
      const org = service.organization({ platform: platforms.anaconda });
      const place = `: check orgseat:orgUrl (${service.url}/api/v1, including its path) and orgseat:platform (anaconda), and the ID of the organization (HTTP 404`;
      for (const call of [org.listUsers(during()), org.createUser({ email: "a@b.example" }, during())])
        expect((await failureOf(call)).message).toContain(reason + place);
      expect((await failureOf(org.assignSeat("u1", during()))).message).not.toContain("orgUrl");
    },
  );

  test.each([
    ["without a body", undefined],
    ["about nothing", errorOf("Not Found")],
  ])("counts as the effect of an earlier attempt without a response: %s", async (_, body) => {
    await using service = await Service.start((_request, count) =>
      count === 1 ? { fault: "close" } : { status: 404, ...(body && { body }) },
    );
    expect(await service.organization().removeUser("x", during())).toBe("repeated");
  });

  describe("that says of every user that there is none", () => {
    const noUser = { status: 404, body: errorOf("no such user", "USER_NOT_FOUND") };
    const known = ({ url }: { url: string }): Scripted => (url.includes("/known") ? { status: 204 } : noUser);

    test("proves nothing, whatever the order of the answers", async () => {
      await using service = await Service.start(async ({ url }) => {
        if (url.includes("/u2")) await new Promise((resolve) => setTimeout(resolve, 250));
        return noUser;
      });
      const org = service.organization();
      const errors = await Promise.all(
        ["u1", "u2", "u3"].map((id) => failureOf(org.revokeToken(id, during()))),
      );
      for (const error of errors) {
        expect(error).toMatchObject({ code: "refused", status: 404, effectUnknown: false });
        expect(error.message).toContain("says so of all 3 users");
      }
    });

    test("proves something about the only user whom no earlier run has removed", async () => {
      await using service = await Service.start(() => noUser);
      const org = service.organization({
        removedEarlier: () => new Set(["remove user u2", "revoke token u3"]),
      });
      const answers = await Promise.all(["u1", "u2", "u3"].map((id) => org.revokeToken(id, during())));
      expect(answers).toEqual(["gone", "gone", "gone"]);
    });

    test("proves something about one user, with all that the user had", async () => {
      await using service = await Service.start(() => noUser);
      const org = service.organization();
      for (const call of deletes) expect(await org[call]("u1", during())).toBe("gone");
    });

    test.each(["revokeToken", "removeSeat", "removeUser"] as const)(
      "proves something if the service knows another one: %s",
      async (call) => {
        await using service = await Service.start(known);
        const org = service.organization();
        const answers = await Promise.all(["u1", "known", "u2"].map((id) => org[call](id, during())));
        expect(answers).toEqual(["gone", "deleted", "gone"]);
      },
    );

    test("proves something if the service knows a user whose token is gone", async () => {
      await using service = await Service.start(({ url }) =>
        url.includes("/known") ? { status: 404, body: errorOf("?", "TOKEN_NOT_FOUND") } : noUser,
      );
      const org = service.organization();
      const answers = await Promise.all(["u1", "known", "u2"].map((id) => org.revokeToken(id, during())));
      expect(answers).toEqual(["gone", "gone", "gone"]);
    });
  });

  test.each<[string, Scripted]>([
    ["HTML", { status: 404, body: html }],
    ["plain text", { status: 404, body: "404 page not found" }],
    ["another framework's JSON", { status: 404, body: { detail: "Not Found" } }],
    ["a 405", { status: 405, body: { error: { message: "method not allowed" } } }],
    ["a redirect", { status: 302, headers: { location: "/login" } }],
    ["a redirect that keeps the method", { status: 308, headers: { location: "/login" } }],
  ])("means an unknown route to a delete too: %s", async (_, answer) => {
    await using service = await Service.start(() => answer);
    const error = await failureOf(service.organization().removeUser("x", during()));
    expect(error).toMatchObject({ code: "unknown-route", status: answer.status, effectUnknown: false });
    expect(error.message).toContain(`orgseat:orgUrl (${service.url}/api/v1, including its path)`);
    expect(error.message).toContain("orgseat:platform (basic)");
    expect(service.calls).toHaveLength(1);
  });
});

/** The calls of both platforms. */
const everyCall = Object.values(platforms).flatMap(({ name, calls, hasPartialErrors }) =>
  Object.values(calls).map((call) => [`${name}, ${call.name}`, { call, hasPartialErrors }] as const),
);

describe("a success", () => {
  test.each(everyCall)("fails with the error object of the contract: %s", (_, { call, hasPartialErrors }) => {
    const unknownRoute = "";
    for (const body of [
      { error: { code: "NO", message: "nothing done" } },
      { error: { message: "nothing done" }, status: "error" },
      { data: [], items: [], error: { message: "nothing done" } },
    ]) {
      for (const status of [200, 201, 202]) {
        const response = { status, headers: {}, text: JSON.stringify(body) };
        const parsed = parseResponse(call, response, { unknownRoute, hasPartialErrors }, new Redactor());
        expect(parsed).toMatchObject({ code: "refused", reason: expect.stringContaining("nothing done") });
      }
    }
    const nothing = { status: 200, headers: {}, text: '{"error":{}}' };
    expect(parseResponse(call, nothing, { unknownRoute, hasPartialErrors }, new Redactor())).toMatchObject({
      code: "refused",
    });
  });

  test("keeps a value beside an error", async () => {
    const error = { message: "no email sent" };
    await using service = await Service.start(() => ({ body: { token: "seat-token-1", error } }));
    expect(await service.organization().issueToken("u1", "2027-06-30", during())).toEqual({
      token: "seat-token-1",
    });
  });

  test.each<[string, Scripted, string]>([
    ["no body", {}, "expected JSON, got no body"],
    ["a page", { body: html }, "got an HTML page"],
    ["half a body", { body: '{"token": "seat-' }, "text that is not JSON"],
    ["a wrong field", { body: { token: ["seat-token-1"] } }, "token: expected string, got a list"],
    ["a missing field", { body: {} }, "token: expected string, got nothing"],
  ])("breaks the contract, and says so without showing it: %s", async (_, answer, text) => {
    const error = await failing(answer, (org) => org.issueToken("u1", "2027-06-30", during()));
    expect(error).toMatchObject({ code: "bad-answer", status: 200, effectUnknown: true });
    expect(error.message).toContain(text);
    // Without the stack, which holds the folder that the tests lie in.
    const { message, cause } = error;
    expect(inspect({ ...error, message, cause }, { depth: 9 })).not.toContain("seat-");
  });

  test("a list of service accounts with an odd item is not complete", async () => {
    const items = [
      { name: "a", client_id: "c1", org_id: "o" },
      { name: "b", client_id: 7, org_id: "o" },
    ];
    await using service = await Service.start(() => ({ body: { items } }));
    const list = await service.organization().listServiceAccounts(during());
    expect(list).toEqual({ accounts: items.slice(0, 1), complete: false });
  });

  test("more than 8 MiB are not read", async () => {
    const error = await failing({ body: " ".repeat(9 << 20) }, (org) => org.listServiceAccounts(during()));
    expect(error).toMatchObject({ code: "bad-answer" });
    expect(error.message).toContain("larger than");
  });
});

describe("an invalid request", () => {
  test.each(["", ".", ".."])("stays unsent: id %j", async (id) => {
    await using service = await Service.start(() => ({}));
    const error = await failureOf(service.organization().removeUser(id, during()));
    expect(error).toMatchObject({ code: "refused", status: undefined });
    expect(service.calls.length + service.tokenRequests.length).toBe(0);
  });

  test("stays unsent: a body that breaks the contract", async () => {
    await using service = await Service.start(() => ({}));
    const error = await failureOf(service.organization().createUser({ email: "nobody" }, during()));
    expect(error.message).toContain("not sent: email: not an email address");
    expect(service.calls).toHaveLength(0);
  });
});
