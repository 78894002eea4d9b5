/** The id of a roster from the first run to the last, in the file and in the stack. */
import { chmodSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { resultToText } from "../../command/cli/results.ts";
import { urnOf } from "../../command/engine/stack-names.ts";
import { markersIn } from "../../command/members/state.ts";
import { MARKER_TYPE } from "../../command/roster/roster.ts";
import { auditWarnings } from "../../command/service/audit-log.ts";
import { stateOf } from "../../command/stacks/stack-state.ts";
import { upAll } from "../../command/verbs/up.ts";
import { PROJECT } from "../setup/direct-engine.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { person } from "./people.ts";

const ada = person("ada");

async function idsIn({ engine }: Fixture): Promise<string[]> {
  return markersIn(await stateOf(engine, "people")).map(({ rosterId }) => rosterId);
}

/** A run of the engine that the command does not live to see the end of. */
async function runAlone({ engine }: Fixture, rosterId: string): Promise<void> {
  const target = urnOf(PROJECT, "people", MARKER_TYPE, rosterId);
  await engine.run({ stack: "people", program: { rosterId, facts: {}, members: [] }, targets: [target] });
}

test("the id of a file that cannot be written is printed all the same, and the run has done its work", async () => {
  const fixture = await directFixture(5);
  const organization = await fixture.open([ada]);
  const folder = dirname(organization.file);
  chmodSync(folder, 0o500);
  try {
    const result = await upAll(organization, {});
    expect(result.status).toBe("succeeded");
    const isRoot = process.getuid?.() === 0;
    if (!isRoot) expect(resultToText(result)).toContain("cannot write the roster: EACCES");
    expect(resultToText(result)).toMatch(/\n\+# roster: /);
  } finally {
    chmodSync(folder, 0o700);
  }
});

test("the next up takes over an id that a killed run has left in the stack alone", async () => {
  const fixture = await directFixture(5);
  const organization = await fixture.open([ada]);
  const { rosterId } = organization;
  await runAlone(fixture, rosterId);
  const result = await fixture.up([ada]);
  expect(result).toMatchObject({ status: "succeeded", rosterEdit: { rosterId } });
  expect(await idsIn(fixture)).toEqual([rosterId]);
});

test("a state that is older than the last write to its stack gives a warning with what was sent; another stack, run or organization does not", async () => {
  const fixture = await directFixture(5);
  const organization = await fixture.open([ada]);
  await upAll(organization, {});
  const lines = readFileSync(organization.auditFile, "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  const sent = Date.parse(JSON.parse(lines.at(-1) ?? "").time);
  const later = await fixture.open([ada]);
  const savedAt = (ms: number) => new Date(ms).toISOString();
  const texts = async (more: Partial<typeof later>) => auditWarnings({ ...later, ...more });
  expect(await texts({ savedAt: savedAt(sent - 120_000) })).toEqual([
    expect.stringMatching(
      /^the state of stack people was written at .* has 3 writes after that, .*add user: 1/,
    ),
  ]);
  expect(await texts({ savedAt: savedAt(sent - 1) })).toEqual([
    expect.stringMatching(/ has [1-3] writes? after that/),
  ]);
  expect(await texts({ savedAt: savedAt(sent) })).toEqual([]);
  expect(await texts({ savedAt: undefined })).toEqual([]);
  const older = { savedAt: savedAt(sent - 120_000) };
  expect(await texts({ ...older, run: organization.run })).toEqual([]);
  expect(await texts({ ...older, stack: "staff" })).toEqual([]);
  // The same stack, as `--stack acme/people` spells it.
  const [spelled] = await texts({ ...older, stack: "acme/orgseat/people" });
  expect(spelled).toContain("has 3 writes after that");
  expect(await texts({ ...older, roster: { ...later.roster, organizationId: "else" } })).toEqual([]);
  expect(await texts({ ...older, auditFile: "/nonexistent/audit.jsonl" })).toEqual([]);
});
