/** Redirects: of a creation a lost answer, of any other call an unknown route. */
import { describe, expect, test } from "vitest";
import type { OrganizationApi } from "../../../provider/api/calls/organization.ts";
import { during, failureOf, Service } from "./service.ts";

const statuses = [300, 301, 302, 303, 307, 308];
const SECRET = "s3cret-in-the-address";

const creations: readonly (readonly [string, (org: OrganizationApi) => Promise<unknown>])[] = [
  ["add user", (org) => org.createUser({ email: "a@b.co" }, during())],
  ["assign seat", (org) => org.assignSeat("u", during())],
  ["issue token", (org) => org.issueToken("u", "2027-06-30", during())],
  ["onboard users", (org) => org.onboardUsers(["a@b.co"], during())],
  ["create service account", (org) => org.createServiceAccount("bot", during())],
];

describe.each(creations)("a redirect of %s (D55)", (name, create) => {
  test.each(statuses)(
    "leaves open whether it was executed, and is not sent again: HTTP %i",
    async (status) => {
      for (const [location, origin] of [
        [
          `https://me:${SECRET}@login.example:8443/${SECRET}?next=${SECRET}#${SECRET}`,
          "https://login.example:8443",
        ],
        [`/login?next=${SECRET}`, "the same server"],
        ["", "the same server"],
      ] as const) {
        const headers: Record<string, string> = location === "" ? {} : { location };
        await using service = await Service.start(() => ({ status, headers }));
        const error = await failureOf(create(service.organization()));
        expect(error).toMatchObject({ code: "no-answer", status, effectUnknown: true });
        expect(error.message).toContain(
          `cannot ${name}: the server answered with a redirect to ${origin}, which does not say whether it executed the request: check orgseat:orgUrl (${service.url}/api/v1, including its path)`,
        );
        expect(error.message).toContain(`(HTTP ${status}, POST /`);
        expect(error.message).not.toContain(SECRET);
        expect(service.calls).toHaveLength(1);
      }
    },
  );
});

test.each(statuses)(
  "takes a redirect of a read, a renewal, or a removal for an unknown route: HTTP %i",
  async (status) => {
    await using service = await Service.start(() => ({ status, headers: { location: "/login" } }));
    const org = service.organization();
    const calls = [
      () => org.listServiceAccounts(during()),
      () => org.renewToken("u", during()),
      () => org.removeSeat("u", during()),
    ];
    for (const call of calls)
      expect(await failureOf(call())).toMatchObject({ code: "unknown-route", status, effectUnknown: false });
    expect(service.calls).toHaveLength(3);
  },
);
