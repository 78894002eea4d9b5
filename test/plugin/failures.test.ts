/** The packaged plugin under failure: partial creations, lost answers, answers that are no JSON, and its own sudden end. */
import { expect, test } from "vitest";
import { expectSettled, listedOrganization, member, outsOf } from "../resources/listed.ts";
import type { DirectStack } from "../setup/direct.ts";

function throughPlugin(stack: DirectStack): DirectStack {
  stack.door = "plugin";
  return stack;
}

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
