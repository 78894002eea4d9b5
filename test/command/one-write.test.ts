/** Plans that only renew and remove write their state once, at the end: a killed run has done what no state knows. */
import { expect, test, vi } from "vitest";
import { upAll } from "../../command/verbs/up.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import type { NewPerson } from "./people.ts";

const [ada, grace, edsger] = ["ada", "grace", "edsger"].map(
  (key): NewPerson => ({ key, email: `${key}@acme.example`, seat: true, token: true, protected: false }),
) as [NewPerson, NewPerson, NewPerson];
const LATER = "2031-12-31T23:59:59Z";

async function ground(): Promise<Fixture> {
  const fixture = await directFixture(10);
  await fixture.bring({ organizationId: fixture.organizationId, stacks: 1, people: [ada, grace] });
  await fixture.sandbox.requests();
  return fixture;
}

/** The variable of each `up` of a stack. */
function writesOf({ engine }: Fixture): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  const run = engine.run.bind(engine);
  vi.spyOn(engine, "run").mockImplementation((request, ...rest) => {
    if (request.operation === "up") found.push(request.environment?.PULUMI_SKIP_CHECKPOINTS);
    return run(request, ...rest);
  });
  return found;
}

test.each([
  ["removes only", [ada], ["true"]],
  ["adds somebody too", [ada, edsger], ["false"]],
  ["issues a new token", [ada, { ...grace, rotation: "2026-11-22T10:00:00Z" }], ["false"]],
])("one write of the state: a plan that %s", async (_, people, expected) => {
  const fixture = await ground();
  const writes = writesOf(fixture);
  const organization = await fixture.open({ organizationId: fixture.organizationId, stacks: 1, people });
  expect((await upAll(organization, {})).status).toBe("succeeded");
  expect(new Set(writes)).toEqual(new Set(expected));
});

test.each([1, 2, 3, 4, 5])(
  "one write of the state: a run that dies before it, after write %i at the service, is repeated without a second effect",
  async (deaths) => {
    const fixture = await ground();
    const { organizationId, engine, sandbox } = fixture;
    if (!(engine instanceof DirectEngine)) throw new Error("not of level R");
    await sandbox.service.management.changeSubscription(organizationId, { expiresAt: LATER });
    const [token] = (await sandbox.service.management.snapshot()).tokens;
    const renewed = { organizationId, stacks: 1, subscriptionExpiresAt: LATER, people: [ada] };
    const backup = engine.copy();
    const stopping = new AbortController();
    const first = await fixture.open(renewed);
    let ended = 0;
    await upAll(first, {
      signal: stopping.signal,
      listener: ({ state }) => {
        if (state === "succeeded" && ++ended === deaths) stopping.abort();
      },
    });
    const again = await fixture.open(renewed, { engine: backup });
    expect(await upAll(again, {})).toMatchObject({ status: "succeeded" });
    expect(await upAll(again, {})).toMatchObject({
      status: "succeeded",
      preview: { plan: { hasChanges: false } },
    });
    const { users, tokens } = await sandbox.service.management.snapshot();
    expect(users).toMatchObject([{ email: "ada@acme.example", seat: true }]);
    expect(tokens).toEqual([{ ...token, expiresAt: LATER }]);
  },
);
