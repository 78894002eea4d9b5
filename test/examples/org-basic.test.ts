import { describe, expect, test } from "vitest";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { sandbox } from "../setup/sandbox.ts";
import { atService, callsByPerson, exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

const DAY_MS = 86_400_000;
const { clientId, clientSecret, name: accountName } = sandboxServiceAccount;

describe("the example org-basic", () => {
  test("makes three users with seat and token, changes nothing after, and leaves nothing", async () => {
    const organization = await sandbox({ seats: 3, serviceAccount: sandboxServiceAccount });
    const end = organization.service.seed.subscriptionExpiresAt;
    const stack = await exampleStack(organization, "org-basic", {
      ORGSEAT_CLIENT_ID: clientId,
      ORGSEAT_CLIENT_SECRET: clientSecret,
    });
    const contractEnd = new Date(Date.now() + 90 * DAY_MS).toISOString().slice(0, 10);
    expect(await stack.pulumi("config", "set", "contractEnd", contractEnd)).toMatchObject({ code: 0 });

    expect(await stack.preview()).toMatchObject({ code: 0, output: expect.stringContaining("10 to create") });
    expect(await organization.calls()).toEqual([]);

    const up = await stack.up();
    expect(up).toMatchObject({ code: 0 });
    expect(callsByPerson(await organization.requests())).toEqual([
      [5, 6, 7],
      [5, 6, 7],
      [5, 6, 7],
    ]);
    expect(await atService(organization)).toEqual({
      users: [
        { name: "ada@acme.example", seat: true, token: end },
        { name: "grace@contractor.example", seat: true, token: `${contractEnd}T23:59:59Z` },
        { name: "Linux builds", seat: true, token: end },
      ],
      tokens: 3,
      serviceAccounts: [accountName],
    });

    const { adaToken, graceToken, graceTokenEnds, linuxBuildsToken, ...others } = await stack.outputs();
    expect([graceTokenEnds, others]).toEqual([`${contractEnd}T23:59:59Z`, {}]);
    expect(outputsInReadme("org-basic")).toEqual(["adaToken"]);
    const tokens = [adaToken, graceToken, linuxBuildsToken].map(String);
    for (const token of tokens) {
      expect(await organization.service.management.probe(token)).toMatchObject({ live: true });
      expect(up.output).not.toContain(token);
    }
    expect(filesThatHold([...tokens, clientSecret], stack)).toEqual([]);

    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(callsByPerson(await organization.requests())).toEqual([
      [9, 10, 11],
      [9, 10, 11],
      [9, 10, 11],
    ]);
    expect(await atService(organization)).toEqual({ users: [], tokens: 0, serviceAccounts: [accountName] });
  });
});
