/** The packaged plugin under failure: partial creations, lost answers, answers that are no JSON, and its own sudden end. */
import { describe, expect, test } from "vitest";
import { expectRepaired as expectRepairedByHand, cases as unlistedCases } from "../resources/cuts.ts";
import { expectSettled, listedOrganization, member, outsOf } from "../resources/listed.ts";
import { expectRepaired, cases as listedCases } from "../resources/listed-cuts.ts";
import { checkEach } from "../setup/cases.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";

const CASES = 600;

function throughPlugin(stack: DirectStack): DirectStack {
  stack.door = "plugin";
  return stack;
}

describe("lost answers", () => {
  test("lose and double nothing, at any write", async () => {
    const organization = await sandbox({ seats: 100_000 });
    const configuration = configurationOf(organization, await makeServiceAccount(organization));
    await checkEach(
      { name: "cuts through the plugin", level: "R", cases: CASES, quick: 8 },
      unlistedCases,
      (one) => expectRepairedByHand(one, organization, throughPlugin(new DirectStack({ ...configuration }))),
    );
  });

  test("need no help in the next run if users and tokens are listed, at any write", async () => {
    const organization = await listedOrganization();
    await checkEach(
      { name: "cuts with lists through the plugin", level: "R", cases: CASES, quick: 8 },
      listedCases,
      (one) => expectRepaired(one, organization, throughPlugin(organization.stack())),
    );
  });
});

test.each([
  ["adds a user", 5],
  ["assigns a seat", 6],
  ["issues a token", 7],
] as const)(
  "an HTML answer of a gateway, after the service %s: nobody is added twice, no token is lost",
  async (_, call) => {
    const organization = await listedOrganization();
    const { management } = organization.service;
    const stack = throughPlugin(organization.stack());
    const program = ["ada", "ben"].flatMap((name) => member(name, { email: `${name}@acme.example` }));
    const page = "<!doctype html><html><body>502 Bad Gateway</body></html>";
    const headers: [string, string][] = [["content-type", "text/html"]];
    await management.addFaults({
      match: { call },
      after: 1,
      fault: { kind: "raw", status: 502, headers, body: page, phase: "after" },
    });
    const { errors } = await stack.up(program);
    expect((await management.faults()).map(({ hits }) => hits)).toEqual([1]);
    expect(errors.join()).not.toContain("<");
    await expectSettled(stack, program);
    const { users, tokens } = await organization.snapshot();
    expect(users).toHaveLength(2);
    expect(tokens.filter(({ revoked }) => !revoked)).toHaveLength(2);
    for (const name of ["ada-token", "ben-token"])
      expect(await management.probe(String(outsOf(stack, name).value))).toMatchObject({ live: true });
  },
);
