import { describe, expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { exampleStack, expectLife, outputsInReadme } from "./example.ts";

const DAY_MS = 86_400_000;

describe("the example org-basic", () => {
  test("makes an account, and with it three users with seat and token, changes nothing after, and leaves nothing", async () => {
    const organization = await sandbox({ seats: 3 });
    const { username, password, subscriptionExpiresAt: end } = organization.service.seed;
    const administrator = { ORGSEAT_USERNAME: username, ORGSEAT_PASSWORD: password };
    const stack = await exampleStack(organization, "org-basic", administrator);
    const day = new Date(Date.now() + 90 * DAY_MS).toISOString().slice(0, 10);
    expect(await stack.pulumi("config", "set", "contractEnd", day)).toMatchObject({ code: 0 });
    const contractEnd = `${day}T23:59:59Z`;
    const people = [
      { name: "ada@acme.example", seat: true, token: end },
      { name: "grace@contractor.example", seat: true, token: contractEnd },
      { name: "Linux builds", seat: true, token: end },
    ];
    const tokensIn = ({ graceTokenEnds, ...tokens }: Record<string, unknown>) => {
      expect(graceTokenEnds).toBe(contractEnd);
      expect(Object.keys(tokens).toSorted()).toEqual(["adaToken", "graceToken", "linuxBuildsToken"]);
      return Object.values(tokens).map((token) => [String(token)] as const);
    };
    await expectLife(stack, people, tokensIn, "acme-members");
    expect(outputsInReadme("org-basic")).toEqual(["adaToken"]);
  });
});
