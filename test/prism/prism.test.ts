// @module-tag full
/** The lifecycles of a platform, with a third party's proxy between the client and the service. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { directLiving } from "../lifecycle/direct-living.ts";
import { lifecycles } from "../lifecycle/lifecycles.ts";
import { modelLifecycles } from "../lifecycle/model-lifecycles.ts";
import { failureOf } from "../provider/api/service.ts";
import { violationsIn } from "./prism.ts";
import { behindPrism, type Watched } from "./watched.ts";

describe.each(["the sandbox's own document", "the document typed by hand"] as const)(
  "Prism with %s:",
  (document) => {
    const start = behindPrism(document);

    test.each([...lifecycles, ...modelLifecycles])("passes the lifecycle of %s", async (_, live) => {
      const watched = await start();
      await live(directLiving(watched));
      watched.expectSound();
    });

    describe("a violation (positive control)", () => {
      test.each([
        ["whose email is none", { email: "not-an-email" }],
        ["with a name of another kind", { first_name: 7 }],
      ])("stops a request %s before the service", async (_, body) => {
        const watched = await start();
        const { organizationId } = watched.organization;
        const headers = { authorization: await bearerOf(watched), "content-type": "application/json" };
        await watched.organization.requests();
        const url = `${watched.orgUrl}/organizations/${organizationId}/users`;
        await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
        expect(violationsIn(watched.proxy.passed)).toHaveLength(1);
        expect(await watched.organization.calls()).toEqual([]);
      });

      test.each([
        ["a field of another kind", { status: 200, body: { items: [{ name: 1 }] } }],
        ["a missing field", { status: 200, body: {} }],
        ["a status that is not listed", { status: 418, body: { error: { message: "no", code: "NO" } } }],
      ])("shows in a response with %s", async (_, fault) => {
        const watched = await start();
        const { management } = watched.organization.service;
        await management.addFaults({
          match: { call: 2 },
          times: "always",
          fault: { kind: "refuse", ...fault },
        });
        const operation = { deadline: performance.now() + 1_000 };
        await failureOf(watched.client.org.listServiceAccounts(operation));
        expect(violationsIn(watched.proxy.passed)).not.toEqual([]);
      });
    });
  },
);

/** The `Authorization` of the service account. */
async function bearerOf({ organization }: Watched): Promise<string> {
  const { clientId, clientSecret } = sandboxServiceAccount;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const answer = await fetch(organization.service.tokenUrl, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  return `Bearer ${z.object({ access_token: z.string() }).parse(await answer.json()).access_token}`;
}
