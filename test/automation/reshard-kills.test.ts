// @module-tag ci
/** `up` with another number of stacks, killed at random moments of its moves and of its run. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { membersIn, readState } from "../../sdk/automation/stack-state.ts";
import { full, seed } from "../setup/cases.ts";
import { killTree } from "../setup/process-tree.ts";
import { onEachEngine, type TestEngine } from "../setup/project.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import { peopleRows, type Row, runningOrganization, type TestOrganization } from "./organization.ts";

const PEOPLE = 6;
/** In each direction. */
const KILLS = full ? 12 : 2;
/** About as many commands of Pulumi as the `up` of a changed number of stacks starts. */
const COMMANDS = 30;

onEachEngine("another number of stacks", (engine) => {
  test("from 3 to 1 and back, killed at random moments: nobody is lost, doubled or removed unseen, and values stay", async () => {
    console.log(`kills of moves between stacks on the ${engine.name}: ${2 * KILLS}, seed ${seed}`);
    const moments = fc.sample(fc.integer({ min: 1, max: COMMANDS }), { seed, numRuns: 2 * KILLS });
    // Without a token of its own a seat can be assigned again and again.
    const rows = peopleRows(PEOPLE).map(
      (row, index): Row => (index < 2 ? { ...row, seat: "no", token: "no" } : row),
    );
    const acme = await runningOrganization(engine, rows, { stacks: 3 });
    const commands = countingCommands(acme, engine);
    let left = rows;
    for (const [turn, stacks] of [1, 3].entries()) {
      // One leaves and one gets a seat in the run that follows the move.
      const [leaver, ...others] = left.toReversed();
      left = others.toReversed().map((row, index) => (index === turn ? { ...row, seat: "yes" } : row));
      const before = await acme.members();
      acme.write(left, { stacks });
      for (const moment of moments.slice(turn * KILLS, (turn + 1) * KILLS)) {
        await killedUp(acme, moment, commands);
      }
      await finishedUp(acme);

      const members = await acme.members();
      expect(Object.keys(members)).toEqual(left.map(({ email }) => email));
      for (const [index, { email = "", seat }] of left.entries()) {
        expect(members[email], email).toEqual({ seat: seat !== "no", token: before[email]?.token });
        expect(index < 2, email).toBe(members[email]?.token === undefined);
      }
      await expectEverybodyOnce(acme, left, stacks);
      const lost = (await acme.sandbox.requests()).filter(
        ({ call, status }) => (call === 5 || call === 11) && status !== null && status < 300,
      );
      expect(
        lost.map(({ call }) => call),
        `${leaver?.email} leaves once, nobody joins`,
      ).toEqual([11]);
    }
    acme.expectNoSecrets();
  });
});

/** Which commands of Pulumi there were. */
interface Commands {
  /** Where they are noted. */
  readonly folder: string;
  readonly count: () => number;
}

/** Lets every command of Pulumi be noted. */
function countingCommands(acme: TestOrganization, engine: TestEngine): Commands {
  const folder = temporaryFolder();
  const [command, log] = [join(folder, "pulumi"), join(folder, "commands")];
  writeFileSync(command, `#!/bin/sh\necho "$*" >> "${log}"\nexec "${engine.command}" "$@"\n`);
  chmodSync(command, 0o755);
  acme.environment.ORGSEAT_PULUMI = command;
  return {
    folder,
    count: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0),
  };
}

/** Kills an `up`, with everything that it started, after so many commands of Pulumi, if it has not ended by then. */
async function killedUp(acme: TestOrganization, moment: number, commands: Commands): Promise<void> {
  await release(acme);
  const before = commands.count();
  const { pid, ended } = acme.start("up", "--yes");
  const over = new AbortController();
  void ended.then(() => over.abort());
  try {
    for await (const _ of watch(commands.folder, { signal: over.signal })) {
      if (commands.count() - before >= moment) break;
    }
    await killTree(pid);
  } catch (error) {
    if (!over.signal.aborted) throw error;
  }
  await ended;
}

async function finishedUp(acme: TestOrganization): Promise<void> {
  await release(acme);
  const { code, stdout, stderr } = await acme.orgseat("up", "--yes");
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
}

/** Lets go of what a dead process has locked; nothing else runs. */
async function release(acme: TestOrganization): Promise<void> {
  for (const { name: stack } of await engineOf(acme).listStacks("people")) {
    await acme.pulumi("cancel", "--stack", stack, "--yes");
  }
}

function engineOf(acme: TestOrganization): PulumiEngine {
  return new PulumiEngine({ folder: acme.folder, environment: acme.variables() });
}

async function expectEverybodyOnce(
  acme: TestOrganization,
  rows: readonly Row[],
  stacks: number,
): Promise<void> {
  const engine = engineOf(acme);
  const found: string[] = [];
  for (const stack of stacks === 1 ? ["people"] : ["people-01", "people-02", "people-03"]) {
    found.push(
      ...membersIn([[stack, readState(stack, await engine.exportStack(stack))]]).map(({ label }) => label),
    );
  }
  expect(found.toSorted()).toEqual(rows.map(({ email }) => email));
}
