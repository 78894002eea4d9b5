/** Ctrl-C before anything is applied: nothing is asked, and neither the roster nor the service changes. */
import { expect, test, vi } from "vitest";
import { resultToText } from "../../command/cli/results.ts";
import { resultToJson } from "../../command/cli/results-json.ts";
import type { Organization } from "../../command/stacks/organization.ts";
import { adoptPeople } from "../../command/verbs/adopt.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import type { UpOptions, UpResult } from "../../command/verbs/up.ts";
import { upAll } from "../../command/verbs/up.ts";
import { broughtFixture, type Fixture } from "./fixture.ts";
import { person } from "./people.ts";

const [ada, grace] = [person("ada"), person("grace")];

/** Who works, and who is to join. */
async function groundWithAda(): Promise<{ fixture: Fixture; organization: Organization }> {
  const { fixture } = await broughtFixture([ada]);
  return { fixture, organization: await fixture.open([ada, grace]) };
}

/** Is aborted as soon as a preview has read the state. */
function abortedByPreview({ engine }: Fixture): AbortSignal {
  const stopping = new AbortController();
  const read = engine.exportStack.bind(engine);
  vi.spyOn(engine, "exportStack").mockImplementation(async (stack) => {
    const state = await read(stack);
    stopping.abort();
    return state;
  });
  return stopping.signal;
}

function expectStopped(result: UpResult): void {
  expect(result).toMatchObject({ status: "failed", applied: undefined, cancelled: true });
  expect(resultToText(result)).toBe("Interrupted. No changes were made.");
  expect(resultToJson(result)).toMatchObject({ status: "failed", cancelled: true });
}

test.each<[string, (organization: Organization, options: UpOptions) => Promise<UpResult>]>([
  ["up", upAll],
  ["rotate", (organization, options) => rotateTokens(organization, ["ada"], options)],
  ["adopt", (organization, options) => adoptPeople(organization, { ...options, people: [newMember()] })],
])(
  "%s that is stopped during its preview asks nobody, and leaves roster and service as they are",
  async (_, verb) => {
    const { fixture, organization } = await groundWithAda();
    const roster = fixture.text();
    const confirm = vi.fn(async () => true);
    expectStopped(await verb(organization, { confirm, signal: abortedByPreview(fixture) }));
    expect(confirm).not.toHaveBeenCalled();
    expect(fixture.text()).toBe(roster);
    expect(await fixture.sandbox.requests()).toEqual([]);
  },
);

test("rotate that is stopped while it asks leaves roster and service as they are", async () => {
  const { fixture, organization } = await groundWithAda();
  const roster = fixture.text();
  const stopping = new AbortController();
  const confirm = async () => {
    stopping.abort();
    return true;
  };
  expectStopped(await rotateTokens(organization, ["ada"], { confirm, signal: stopping.signal }));
  expect(fixture.text()).toBe(roster);
  expect(await fixture.sandbox.requests()).toEqual([]);
});

/** No one manages her yet. */
function newMember() {
  return { ...person("barbara", { userId: "u-barbara" }), place: "members.csv, line 2" };
}
