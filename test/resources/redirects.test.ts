/** A gateway that redirects creations, before or after the service has executed them: nothing is made twice, and nothing is lost. */
import { describe, expect, test } from "vitest";
import { pausesOnly } from "../setup/direct-providers.ts";
import { builds, member, organizationOn } from "./listed.ts";

const phases = ["before", "after"] as const;
const statuses = [301, 302, 303, 307, 308] as const;
const platforms = ["basic", "anaconda"] as const;
const creations = { "create service account": 1, "add user": 5, "assign seat": 6, "issue token": 7 } as const;
const names = ["create service account", "add user", "assign seat", "issue token"] as const;

const program = [
  { type: "ServiceAccount" as const, name: "bot", args: { name: "bot" } },
  ...member("ada", { email: "ada@acme.example" }),
];

async function redirecting(
  platform: (typeof platforms)[number],
  call: (typeof names)[number],
  phase: (typeof phases)[number],
  status: (typeof statuses)[number],
) {
  const organization = await organizationOn(platform);
  const { management } = organization.service;
  const before = await management.snapshot();
  const stack = organization.stack();
  stack.time = pausesOnly;
  await management.addFaults({
    match: { call: creations[call] },
    fault: { kind: "redirect", status, phase, location: "https://login.example/?next=x" },
  });
  return {
    ...{ organization, stack },
    made: async () => {
      const { users, tokens, serviceAccounts } = await management.snapshot();
      return {
        users: users.length - before.users.length,
        seats: users.filter(({ seat }) => seat).length,
        tokens: tokens.filter(({ revoked }) => !revoked).length,
        accounts: serviceAccounts.length - before.serviceAccounts.length,
      };
    },
  };
}

describe.each(statuses)("HTTP %i to a creation", (status) => {
  test.each(names)("makes one of everything if the service can be asked: %s", async (call) => {
    for (const phase of phases) {
      const { stack, made } = await redirecting("anaconda", call, phase, status);
      const { errors } = await stack.up(program);
      expect(errors, phase).toEqual([]);
      expect(await made(), phase).toEqual({ users: 1, seats: 1, tokens: 1, accounts: 1 });
      expect(await stack.preview(program)).toEqual([]);
    }
  });

  test.each(names.slice(1))(
    "sends it once on a platform without lists, and says that it may have happened: %s",
    async (call) => {
      for (const phase of phases) {
        const { organization, stack, made } = await redirecting("basic", call, phase, status);
        const { errors } = await stack.up(program);
        expect(errors, phase).toHaveLength(1);
        expect(errors[0]).toContain(
          `cannot ${call}: the server answered with a redirect to https://login.example,`,
        );
        expect(errors[0]).toContain(`HTTP ${status}`);
        expect(errors[0]).toMatch(/may have been (added|assigned|issued)/);
        expect((await organization.calls()).filter((one) => one === creations[call])).toHaveLength(1);
        const { errors: later } = await stack.up(program);
        const isKnown = phase === "before" || call !== "add user";
        expect(later.join("\n")).toMatch(isKnown ? /^$/ : /already a member/);
        const found = await made();
        for (const count of Object.values(found)) expect(count).toBeLessThanOrEqual(1);
        expect(found.users).toBe(1);
      }
    },
  );
});

test.each(phases)("keeps a placeholder for a machine user without lists: %s the effect", async (phase) => {
  const { stack, made } = await redirecting("basic", "add user", phase, 303);
  const machine = member("builds", builds).slice(0, 1);
  for (const text of ["A machine user named Linux builds may now exist", "so the user may exist"]) {
    const { errors } = await stack.up(machine);
    expect(errors).toEqual([expect.stringContaining(text)]);
  }
  expect((await made()).users).toBe(phase === "after" ? 1 : 0);
});
