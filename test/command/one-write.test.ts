/** Plans that only renew and remove write their state once, at the end: a killed run has done what no state knows. */
import { expect, test, vi } from "vitest";
import { upAll } from "../../command/verbs/up.ts";
import { broughtFixture, type Fixture } from "./fixture.ts";
import { person } from "./people.ts";

const [ada, grace, edsger] = [person("ada"), person("grace"), person("edsger")];
const LATER = "2031-12-31T23:59:59Z";

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
  const { fixture } = await broughtFixture([ada, grace]);
  const writes = writesOf(fixture);
  expect((await fixture.up(people)).status).toBe("succeeded");
  expect(new Set(writes)).toEqual(new Set(expected));
});

test.each([1, 2, 3, 4, 5])(
  "one write of the state: a run that dies before it, after write %i at the service, is repeated without a second effect",
  async (deaths) => {
    const { fixture } = await broughtFixture([ada, grace]);
    const { organizationId, engine, sandbox } = fixture;
    await sandbox.service.management.changeSubscription(organizationId, { expiresAt: LATER });
    const [token] = (await sandbox.service.management.snapshot()).tokens;
    const renewed = fixture.rosterOf([ada], { subscriptionExpiresAt: LATER });
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
