// @module-tag ci
/** Every call, error and lifecycle of a dialect, with a third party's proxy between the client and the service. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { type LivingStack, lifecycles } from "../lifecycle/lifecycles.ts";
import { modelLifecycles } from "../lifecycle/model-lifecycles.ts";
import { failureOf } from "../provider/api/service.ts";
import { absent, everyCallOfOrganization, organizationErrors } from "./calls.ts";
import { everyCallOfModelArea, modelAbsent, modelErrors } from "./model-calls.ts";
import { violationsIn } from "./prism.ts";
import { behindPrism, type Watched } from "./watched.ts";

describe.each(["the sandbox's own document", "the document typed by hand"] as const)(
  "Prism with %s:",
  (document) => {
    const start = behindPrism(document);

    test("every call of the organization area keeps to it", async () => {
      const watched = await start();
      await everyCallOfOrganization(watched);
      watched.expectSound(19);
    });

    test("every call of the model area keeps to it", async () => {
      const watched = await start();
      await everyCallOfModelArea(watched);
      watched.expectSound(17);
    });

    test.each([...organizationErrors, ...modelErrors])(
      "%s is refused with a %i of it",
      async (_, status, fail) => {
        const watched = await start();
        expect(await failureOf(fail(watched))).toMatchObject({ status });
        watched.expectSound();
      },
    );

    test.each([...absent, ...modelAbsent])("%s finds nothing, with a 404 of it", async (_, remove) => {
      const watched = await start();
      expect(await remove(watched)).toBe("gone");
      watched.expectSound();
    });

    test.each([...lifecycles, ...modelLifecycles])("the lifecycle of %s keeps to it", async (_, live) => {
      const watched = await start();
      await live(livingStack(watched));
      watched.expectSound();
    });

    describe("a violation is noticed (positive control):", () => {
      const wrong: readonly [name: string, headers: Record<string, string>, body: object][] = [
        ["without X-Org-Name", { "x-api-version": "v1" }, { first_name: "nightly" }],
        ["of another version", { "x-api-version": "v2" }, { first_name: "nightly" }],
        ["whose email is none", { "x-api-version": "v1" }, { email: "not-an-email" }],
        ["with a name of another kind", { "x-api-version": "v1" }, { first_name: 7 }],
      ];
      test.each(wrong)("a request %s does not reach the service", async (name, headers, body) => {
        const watched = await start();
        const { organizationId } = watched.organization;
        const authorization = await bearerOf(watched);
        await watched.organization.requests();
        const url = `${watched.orgUrl}/organizations/${organizationId}/users`;
        const named = name === "without X-Org-Name" ? {} : { "x-org-name": organizationId };
        const all = { authorization, "content-type": "application/json", ...named, ...headers };
        await fetch(url, { method: "POST", headers: all, body: JSON.stringify(body) });
        expect(violationsIn(watched.proxy.passed)).toHaveLength(1);
        expect(await watched.organization.calls()).toEqual([]);
      });

      test.each([
        ["a field of another kind", { status: 200, body: { items: [{ name: 1 }] } }],
        ["a missing field", { status: 200, body: {} }],
        ["a status that is not listed", { status: 418, body: { error: { message: "no", code: "NO" } } }],
      ])("a response with %s", async (_, fault) => {
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

/** The stack at level R. */
function livingStack({ stack, organization, client: { org, operation } }: Watched): LivingStack {
  return {
    ...{ organization, org, operation },
    settle: async (program) => {
      expect((await stack.up(program)).errors).toEqual([]);
      expect(await stack.preview(program)).toEqual([]);
      expect((await stack.refresh()).errors).toEqual([]);
      expect(stack.state.size, "a refresh finds everything").toBe(program.length);
      expect(await stack.preview(program), "after a refresh").toEqual([]);
    },
    remove: async () => {
      expect((await stack.destroy()).errors).toEqual([]);
      expect(stack.state.size).toBe(0);
    },
    configure: (variable, value) => {
      stack.configuration[variable] = value;
    },
    outputOf: async (name, output) => stack.state.get(name)?.outs[output],
  };
}
