/** Redirects: of a creation a lost answer, of any other call an unknown route. statuses.test.ts has the statuses. */
import { expect, test } from "vitest";
import type { OrganizationApi } from "../../../provider/api/calls/organization.ts";
import { during, failureOf, Service } from "./service.ts";

const SECRET = "s3cret-in-the-address";

const creations: readonly (readonly [string, (org: OrganizationApi) => Promise<unknown>])[] = [
  ["add user", (org) => org.createUser({ email: "a@b.co" }, during())],
  ["assign seat", (org) => org.assignSeat("u", during())],
  ["issue token", (org) => org.issueToken("u", "2027-06-30", during())],
  ["onboard users", (org) => org.onboardUsers(["a@b.co"], during())],
  ["create service account", (org) => org.createServiceAccount("bot", during())],
];

test.each(creations)(
  "leaves open whether %s was executed, and is not sent again (D55)",
  async (name, create) => {
    for (const [location, origin] of [
      [
        `https://me:${SECRET}@login.example:8443/${SECRET}?next=${SECRET}#${SECRET}`,
        "https://login.example:8443",
      ],
      [`/login?next=${SECRET}`, "the same server"],
      ["", "the same server"],
    ] as const) {
      const headers: Record<string, string> = location === "" ? {} : { location };
      await using service = await Service.start(() => ({ status: 303, headers }));
      const error = await failureOf(create(service.organization()));
      expect(error).toMatchObject({ code: "no-answer", status: 303, effectUnknown: true });
      expect(error.message).toContain(
        `cannot ${name}: the server answered with a redirect to ${origin}, which does not say whether it executed the request: check orgseat:orgUrl (${service.url}/api/v1, including its path)`,
      );
      expect(error.message).toContain("(HTTP 303, POST /");
      expect(error.message).not.toContain(SECRET);
      expect(service.calls).toHaveLength(1);
    }
  },
);
