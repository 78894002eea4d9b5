/** `keepPreviousFor` of a UserToken: which tokens are valid after which run, whatever ends a run. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { revokeTokens } from "../../provider/direct/revoke.ts";
import { checkCases } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import { ada, cutOff, idOf, type ListedOrganization, listedOrganization, member, outsOf } from "./listed.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-22T10:00:00Z");

function rotated(rotation: number, keepPreviousFor: string | undefined): DirectResource[] {
  return member("ada", ada, { token: { rotation: String(rotation), keepPreviousFor } });
}

class Kept {
  readonly organization: ListedOrganization;
  stack: DirectStack;
  now = START;

  constructor(organization: ListedOrganization) {
    this.organization = organization;
    this.stack = organization.stack();
    this.stack.now = () => this.now;
  }

  async up(program: readonly DirectResource[]): Promise<string[]> {
    const { errors, messages } = await this.stack.run(program);
    expect(errors).toEqual([]);
    return messages.map(({ text }) => text);
  }

  /** The tokens that are valid, the oldest first. */
  async valid(): Promise<string[]> {
    const { tokens } = await this.organization.snapshot();
    const userId = idOf(this.stack, "ada-user");
    const own = tokens.filter((one) => one.userId === userId && !one.revoked);
    return own.flatMap(({ tokenId }) => tokenId ?? []);
  }

  own(): string {
    return String(outsOf(this.stack, "ada-token").tokenId);
  }
}

test("a direct revocation ends the previous tokens with the own one", async () => {
  const kept = new Kept(await listedOrganization());
  await kept.up(rotated(1, "7d"));
  await kept.up(rotated(2, "7d"));
  const { tokenId, previous, validUntil } = outsOf(kept.stack, "ada-token");
  const userId = idOf(kept.stack, "ada-user");
  const { organizationId, configuration: environment } = kept.organization;
  const token = { tokenId, previous, validUntil } as Parameters<typeof revokeTokens>[1][number]["token"];
  const results = await revokeTokens({ config: () => undefined, environment }, [
    { organizationId, userId, token },
  ]);
  expect(results).toMatchObject([{ outcome: "revoked" }]);
  expect(await kept.valid()).toEqual([]);
});

const history = fc.array(
  fc.record({
    hours: fc.integer({ min: 0, max: 60 }),
    rotates: fc.boolean(),
    keepHours: fc.option(fc.integer({ min: 1, max: 48 }), { freq: 3, nil: undefined }),
    kill: fc.option(
      // A later write revokes: a kill after it leaves a revoked token in the state, which a refresh finds.
      fc.record({ write: fc.constant(1), place: fc.constantFrom("before", "after") }),
      { freq: 2, nil: undefined },
    ),
  }),
  { minLength: 1, maxLength: 8 },
);

test("killed rotations: the token of the state is always valid, no kept token ends before its time, and none stays after it", async () => {
  const organization = await listedOrganization();
  const proxy = await CutoffProxy.to(organization.service.orgUrl);
  const suite = {
    name: "killed rotations that keep the old token",
    level: "R",
    cases: 500,
    quick: 15,
  } as const;
  let name = 0;
  await checkCases(suite, history, async (runs) => {
    const kept = new Kept(organization);
    const email = `ada${name++}@acme.example`;
    let rotation = 1;
    let keepPreviousFor: string | undefined = "24h";
    const program = () =>
      member("ada", { ...ada, email }, { token: { rotation: String(rotation), keepPreviousFor } });
    await kept.up(program());
    for (const { hours, rotates, keepHours, kill } of runs) {
      kept.now += hours * HOUR;
      if (rotates) rotation += 1;
      keepPreviousFor = keepHours === undefined ? undefined : `${keepHours}h`;
      const { stack } = kept;
      const before = kept.own();
      if (kill) kept.stack = await cutOff(stack, program(), proxy, kill);
      else await kept.up(program());
      const valid = await kept.valid();
      expect(valid).toContain(kept.own());
      const previous = previousOf(kept.stack);
      if (kill) continue;
      // A killed run may have issued a token whose value no one has; it is no one's to revoke.
      for (const { tokenId, removeAfter } of previous) {
        expect(valid).toContain(tokenId);
        // What was due in a run that rotated is for the next one.
        if (kept.own() === before) expect(Date.parse(removeAfter)).toBeGreaterThan(kept.now);
      }
      expect(kept.stack.recorded().filter(({ declared }) => declared.type === "UserToken")).toHaveLength(1);
    }
  });
});

function previousOf(stack: DirectStack): { tokenId: string; removeAfter: string }[] {
  const { previous = [] } = outsOf(stack, "ada-token");
  return previous as { tokenId: string; removeAfter: string }[];
}
