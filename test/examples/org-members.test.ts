// @module-tag ci
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { people } from "../../examples/org-members/people.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { sandbox } from "../setup/sandbox.ts";
import { atService, callsByPerson, exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

const { clientId, clientSecret, name: accountName } = sandboxServiceAccount;
const seated = people.filter(({ seat }) => seat);

const outputsSchema = z.strictObject({
  members: z.record(z.string(), z.strictObject({ id: z.guid(), validUntil: z.string().optional() })),
  tokens: z.record(z.string(), z.string()),
});

describe("the example org-members", () => {
  test("makes its roster so, changes nothing after, and leaves nothing", async () => {
    const organization = await sandbox({ seats: seated.length, serviceAccount: sandboxServiceAccount });
    const end = organization.service.seed.subscriptionExpiresAt;
    const stack = await exampleStack(organization, "org-members", {
      ORGSEAT_CLIENT_ID: clientId,
      ORGSEAT_CLIENT_SECRET: clientSecret,
      // As examples/README.md says, to destroy it.
      ORGSEAT_ALLOW_REMOVALS: `${organization.organizationId}:${people.length}`,
    });

    expect(await stack.preview()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    const up = await stack.up();
    expect(up).toMatchObject({ code: 0 });
    expect(callsByPerson(await organization.requests())).toEqual(
      people.map(({ seat }) => (seat ? [5, 6, 7] : [5])).toSorted(),
    );
    expect(await atService(organization)).toEqual({
      users: people
        .map(({ email, seat }) => ({ name: email, seat, token: seat ? end : undefined }))
        .toSorted((a, b) => a.name.localeCompare(b.name)),
      tokens: seated.length,
      serviceAccounts: [accountName],
    });

    const { members, tokens } = outputsSchema.parse(await stack.outputs());
    expect(outputsInReadme("org-members")).toEqual(["members", "tokens"]);
    expect(Object.entries(members).map(([name, { validUntil }]) => [name, validUntil])).toEqual(
      people.map(({ name, seat }) => [name, seat ? end : undefined]).toSorted(),
    );
    expect(Object.keys(tokens).toSorted()).toEqual(seated.map(({ name }) => name).toSorted());
    for (const [name, token] of Object.entries(tokens)) {
      expect(await organization.service.management.probe(token)).toMatchObject({
        live: true,
        userId: members[name]?.id,
      });
      expect(up.output).not.toContain(token);
    }
    expect(filesThatHold([...Object.values(tokens), clientSecret], stack)).toEqual([]);

    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(callsByPerson(await organization.requests())).toEqual(
      people.map(({ seat }) => (seat ? [9, 10, 11] : [11])).toSorted(),
    );
    expect(await atService(organization)).toEqual({ users: [], tokens: 0, serviceAccounts: [accountName] });
  });
});
