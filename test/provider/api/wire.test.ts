import { describe, expect, test } from "vitest";
import type { OrganizationApi } from "../../../provider/api/organization.ts";
import { credentials, during, Service } from "./service.ts";

type Call = (org: OrganizationApi) => Promise<unknown>;

/** Number, method, path below the organization, whose access token, body; written from the interface by hand. */
const wire: readonly (readonly [number, string, string, "admin" | "account", string, Call])[] = [
  [
    1,
    "POST",
    "/service-accounts",
    "admin",
    '{"name":"bot"}',
    (org) => org.createServiceAccount("bot", during()),
  ],
  [2, "GET", "/service-accounts", "admin", "", (org) => org.listServiceAccounts(during())],
  [3, "DELETE", "/service-accounts/c1", "admin", "", (org) => org.deleteServiceAccount("c1", during())],
  [
    5,
    "POST",
    "/users",
    "account",
    '{"email":"a@b.co"}',
    (org) => org.createUser({ email: "a@b.co" }, during()),
  ],
  [6, "POST", "/users/u1/seats", "account", "", (org) => org.assignSeat("u1", during())],
  [
    7,
    "POST",
    "/users/u1/token",
    "account",
    '{"expires_at":"2027-06-30T23:59:59Z"}',
    (org) => org.issueToken("u1", "2027-06-30", during()),
  ],
  [8, "PATCH", "/users/u1/token", "account", "", (org) => org.renewToken("u1", during())],
  [9, "DELETE", "/users/u1/token", "account", "", (org) => org.revokeToken("u1", during())],
  [10, "DELETE", "/users/u1/seats", "account", "", (org) => org.removeSeat("u1", during())],
  [11, "DELETE", "/users/u1", "account", "", (org) => org.removeUser("u1", during())],
];

describe("on the wire", () => {
  test.each(wire)("call %i is %s %s by the %s", async (_, method, path, who, body, call) => {
    await using service = await Service.start(() => ({
      body: {
        items: [],
        name: "bot",
        client_id: "c1",
        client_secret: "secret-1",
        org_id: "the-org",
        id: "u1",
        token: "seat-token-1",
      },
    }));
    await call(service.organization());
    const [sent, ...more] = service.calls;
    expect(more).toEqual([]);
    expect(`${sent?.method} ${sent?.url} ${sent?.body}`).toBe(
      `${method} /api/v1/organizations/the-org${path} ${body}`,
    );
    for (const { headers } of [...service.calls, ...service.tokenRequests]) {
      expect(headers).toMatchObject({ accept: "application/json", "accept-encoding": "identity" });
    }
    const asked = Object.fromEntries(new URLSearchParams(service.tokenRequests[0]?.body));
    expect(asked.username).toBe(who === "admin" ? credentials.user?.username : undefined);
    expect(asked.client_id).toBe(who === "account" ? credentials.serviceAccount?.clientId : undefined);
  });
});
