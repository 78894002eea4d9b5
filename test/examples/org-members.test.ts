// @module-tag ci
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { people } from "../../examples/org-members/people.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { sandbox } from "../setup/sandbox.ts";
import { exampleStack, expectLife, outputsInReadme } from "./example.ts";

const { clientId, clientSecret } = sandboxServiceAccount;
const seats = people.filter(({ seat }) => seat).length;

const outputsSchema = z.strictObject({
  members: z.record(z.string(), z.strictObject({ userId: z.guid(), validUntil: z.string().optional() })),
  tokens: z.record(z.string(), z.string()),
});

describe("the example org-members", () => {
  test("makes its roster so, changes nothing after, and leaves nothing", async () => {
    const organization = await sandbox({ seats, serviceAccount: sandboxServiceAccount });
    const end = organization.service.seed.subscriptionExpiresAt;
    const stack = await exampleStack(organization, "org-members", {
      ORGSEAT_CLIENT_ID: clientId,
      ORGSEAT_CLIENT_SECRET: clientSecret,
      // As examples/README.md says, to destroy it.
      ORGSEAT_ALLOW_REMOVALS: `${organization.organizationId}:${people.length}`,
    });
    const expected = people.map(({ email, seat }) => ({ name: email, seat, token: seat ? end : undefined }));
    await expectLife(stack, expected, (outputs) => {
      const { members, tokens } = outputsSchema.parse(outputs);
      expect(Object.entries(members).map(([name, { validUntil }]) => [name, validUntil])).toEqual(
        people.map(({ name, seat }) => [name, seat ? end : undefined]).toSorted(),
      );
      return Object.entries(tokens).map(([name, token]) => [token, members[name]?.userId]);
    });
    expect(outputsInReadme("org-members")).toEqual(["members", "tokens"]);
  });
});
