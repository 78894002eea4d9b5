// @module-tag full
/** The lifecycles of a platform, with a third party's proxy between the client and the service. */
import { expect, test } from "vitest";
import { z } from "zod";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { directLiving } from "../lifecycle/direct-living.ts";
import { lifecycles } from "../lifecycle/lifecycles.ts";
import { modelLifecycles } from "../lifecycle/model-lifecycles.ts";
import { failureOf } from "../provider/api/service.ts";
import { violationsIn } from "./prism.ts";
import { behindPrism, type Watched } from "./watched.ts";

const start = behindPrism();

test.each([...lifecycles, ...modelLifecycles])("Prism passes the lifecycle of %s", async (_, live) => {
  const watched = await start();
  await live(directLiving(watched));
  watched.expectSound();
});

test("Prism stops a request with a name of another kind before the service, and shows a field of another kind in a response", async () => {
  const watched = await start();
  const { organizationId, service } = watched.organization;
  const headers = { authorization: await bearerOf(watched), "content-type": "application/json" };
  await watched.organization.requests();
  const url = `${watched.orgUrl}/organizations/${organizationId}/users`;
  await fetch(url, { method: "POST", headers, body: JSON.stringify({ first_name: 7 }) });
  expect(violationsIn(watched.proxy.passed)).toHaveLength(1);
  expect(await watched.organization.calls()).toEqual([]);
  const fault = { kind: "refuse", status: 200, body: { items: [{ name: 1 }] } } as const;
  await service.management.addFaults({ match: { call: 2 }, times: "always", fault });
  await failureOf(watched.client.org.listServiceAccounts({ deadline: performance.now() + 1_000 }));
  expect(violationsIn(watched.proxy.passed).length).toBeGreaterThan(1);
});

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
