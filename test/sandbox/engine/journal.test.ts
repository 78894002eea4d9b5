/** The journal of a run: what it holds at any moment is what the whole state would have been. No process is started. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thisProcess } from "../../../sandbox/engine/backend/owner.ts";
import { parseCheckpoint, readSnapshot } from "../../../sandbox/engine/deployment/checkpoint.ts";
import { JournalWriter, readJournal, sealJournal } from "../../../sandbox/engine/deployment/journal.ts";
import { replay } from "../../../sandbox/engine/deployment/replay.ts";
import { type Beginning, SnapshotManager } from "../../../sandbox/engine/deployment/snapshots.ts";
import { ResourceState } from "../../../sandbox/engine/deployment/state.ts";
import { Secret } from "../../../sandbox/engine/values.ts";
import { temporaryFolder } from "../../setup/sandbox.ts";
import { checkpointOf, secrets, type, urnOf } from "./checkpoints.ts";

/** Plays steps of an engine on a SnapshotManager and notes after each what the whole state would be. */
class Player {
  readonly base: string;
  beginning: Beginning | undefined;
  readonly lines: string[] = [];
  /** The whole state by the number of lines that say it. */
  readonly moments = new Map<number, unknown>();
  readonly #manager: SnapshotManager;
  readonly #live: ResourceState[];
  readonly #open: { state: ResourceState; old: ResourceState | undefined }[] = [];
  #count = 0;

  constructor(base: string) {
    this.base = base;
    const snapshot = readSnapshot(parseCheckpoint(base), secrets.crypter);
    this.#live = [...snapshot.resources];
    const journal = {
      begin: (beginning: Beginning) => {
        this.beginning = beginning;
      },
      append: (lines: readonly string[]) => void this.lines.push(...lines),
    };
    this.#manager = new SnapshotManager(snapshot, secrets, () => {}, journal);
    this.moments.set(0, this.whole());
  }

  whole(): unknown {
    return withoutTime(this.#manager.text());
  }

  async #settled(): Promise<void> {
    await this.#manager.flush();
    this.moments.set(this.lines.length, this.whole());
  }

  #pick(number: number): ResourceState | undefined {
    return this.#live.filter((state) => !this.#open.some(({ old }) => old === state))[
      number % Math.max(1, this.#live.length)
    ];
  }

  #replaced(old: ResourceState | undefined, state?: ResourceState): void {
    const at = old ? this.#live.indexOf(old) : -1;
    if (at >= 0) this.#live.splice(at, 1);
    if (state) this.#live.push(state);
  }

  #fresh(number: number, name = `new${this.#count++}`): ResourceState {
    const near = this.#pick(number);
    return new ResourceState({
      urn: urnOf(name),
      type,
      custom: true,
      inputs: { number, password: new Secret(`secret of ${name}`) },
      ...(near && number % 2 === 0 && { parent: near.urn }),
      ...(near && number % 3 === 0 && { dependencies: [near.urn] }),
    });
  }

  readonly steps: Readonly<Record<string, (number: number) => Promise<void>>> = {
    beginCreate: async (number) => {
      const state = this.#fresh(number);
      this.#open.push({ state, old: undefined });
      await this.#manager.begin(state, "creating");
      await this.#settled();
    },
    beginUpdate: async (number) => {
      const old = this.#pick(number);
      if (!old) return;
      const state = old.copy({ inputs: { ...old.inputs, number } });
      this.#open.push({ state, old });
      await this.#manager.begin(state, number % 2 === 0 ? "updating" : "reading");
      await this.#settled();
    },
    beginDelete: async (number) => {
      const old = this.#pick(number);
      if (!old) return;
      this.#open.push({ state: old, old });
      await this.#manager.begin(old, "deleting");
      await this.#settled();
    },
    endWell: async (number) => {
      const [ended] = this.#open.splice(number % Math.max(1, this.#open.length), 1);
      if (!ended) return;
      const { state, old } = ended;
      if (state === old && number % 3 === 0) {
        old.pendingReplacement = true;
        this.#manager.changed(old);
        this.#manager.end({ operation: state });
      } else if (state === old) {
        this.#manager.end({ operation: state, done: [old] });
        this.#replaced(old);
      } else {
        Object.assign(state, { id: `id of ${state.urn}`, outputs: { number, token: new Secret("made") } });
        const replaced = old ? undefined : this.#pick(number);
        if (replaced && number % 3 === 0) {
          replaced.delete = true;
          this.#manager.changed(replaced);
        }
        if (number % 5 === 0) state.initErrors = ["half done"];
        this.#manager.end({ operation: state, news: [state], done: old ? [old] : [] });
        this.#replaced(old, state);
      }
      await this.#settled();
    },
    endBadly: async (number) => {
      const [ended] = this.#open.splice(number % Math.max(1, this.#open.length), 1);
      if (!ended) return;
      this.#manager.end({ operation: ended.state });
      await this.#settled();
    },
    same: async (number) => {
      const old = this.#pick(number);
      if (!old) return;
      const renamed = number % 3 === 0 ? this.#fresh(number).urn : old.urn;
      const state = old.copy({ urn: renamed, aliases: renamed === old.urn ? [] : [old.urn] });
      this.#manager.end({ done: [old], news: [state] });
      this.#replaced(old, state);
      await this.#settled();
    },
    refresh: async (number) => {
      const old = this.#pick(number);
      if (!old) return;
      this.#manager.markRefreshed();
      await this.#settled();
      const state = number % 2 === 0 ? undefined : old.copy({ outputs: { drifted: number } });
      this.#manager.end({ done: [old], news: state ? [state] : [] });
      this.#replaced(old, state);
      await this.#settled();
    },
    outputs: async (number) => {
      const state = this.#pick(number);
      if (!state) return;
      state.outputs = { ...state.outputs, z: number, registered: new Secret(number) };
      this.#manager.changed(state);
      await this.#settled();
    },
  };
}

function withoutTime(deployment: string): unknown {
  return { ...JSON.parse(deployment), manifest: undefined };
}

/** A journal file of what a player has noted. */
function write(player: Player): string {
  const file = join(temporaryFolder(), "journal.jsonl");
  const { secretsProviders, pendingOperations = [] } = player.beginning ?? {};
  const start = { owner: thisProcess(), base: "", backup: "", secrets_providers: secretsProviders };
  const pending = `,"pending_operations":[${pendingOperations.join(",")}]}`;
  const writer = new JournalWriter(file, JSON.stringify(start).slice(0, -1) + pending);
  if (player.lines.length > 0) writer.append(player.lines);
  return file;
}

const drawn = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...["beginCreate", "beginUpdate", "beginDelete", "endWell", "endWell", "endWell"],
      ...["endBadly", "same", "refresh", "outputs"],
    ),
    fc.nat(1000),
  ),
  { maxLength: 30, size: "max" },
);

async function play(steps: readonly (readonly [string, number])[], count: number): Promise<Player> {
  const player = new Player(checkpointOf(count));
  for (const [step, number] of steps) await player.steps[step]?.(number);
  return player;
}

describe("a journal on top of the state that its run began with", () => {
  test("gives after each line what the whole state would have been, ciphertexts unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.nat(8), async (steps, count) => {
        const player = await play(steps, count);
        const journal = readJournal(write(player));
        if (!journal) throw new Error("there is no journal");
        expect(journal.lines).toHaveLength(player.lines.length);
        for (const [lines, whole] of player.moments) {
          const text = replay(parseCheckpoint(player.base), journal.start, journal.lines.slice(0, lines));
          expect(withoutTime(text)).toEqual(whole);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("says what its last whole line says if it is cut at any byte after the first line", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.nat(8), fc.nat(), async (steps, count, place) => {
        const file = write(await play(steps, count));
        const bytes = readFileSync(file);
        const first = bytes.indexOf("\n") + 1;
        const cut = first + (place % (bytes.length - first + 1));
        writeFileSync(file, bytes.subarray(0, cut));
        const whole = bytes.subarray(first, cut).toString().split("\n").slice(0, -1);
        expect(readJournal(file)?.lines).toEqual(whole.map((line) => JSON.parse(line)));
      }),
      { numRuns: 50 },
    );
  });

  test("notes a resource again only if it changed", async () => {
    const player = new Player(checkpointOf(4));
    await player.steps.beginDelete?.(0);
    await player.steps.beginCreate?.(1);
    await player.steps.endBadly?.(1);
    await player.steps.outputs?.(1);
    const states = player.lines.map((line) => Object.keys(JSON.parse(line).states ?? {}));
    expect(states).toEqual([[], ["4"], [], ["2"]]);
  });
});

describe("the journal file", () => {
  test("shares one write among what begins in one turn of the event loop", async () => {
    const writes: (readonly string[])[] = [];
    const journal = { begin: () => {}, append: (lines: readonly string[]) => void writes.push([...lines]) };
    const nothing = { resources: [], pendingOperations: [], metadata: {} };
    const manager = new SnapshotManager(nothing, secrets, () => {}, journal);
    const thing = (name: string) => new ResourceState({ urn: urnOf(name), type, custom: true });
    await Promise.all([manager.begin(thing("a"), "creating"), manager.begin(thing("b"), "creating")]);
    expect(writes.map((lines) => lines.length)).toEqual([2]);
  });

  test("reads as usual if it is sealed after a line that was cut off", async () => {
    const file = write(await play([["beginCreate", 1]], 0));
    appendFileSync(file, '{"end":{"operation":0');
    const journal = readJournal(file);
    if (!journal) throw new Error("there is no journal");
    sealJournal(journal, "hash");
    expect(readJournal(file)?.lines).toEqual([...journal.lines, { sealed: "hash" }]);
  });

  test("fails with the next step if it is damaged before its last line", async () => {
    const file = write(await play([["beginCreate", 1]], 0));
    appendFileSync(file, '{"end":\n{"end":{"operation":0,"done":[],"news":[]}}\n');
    expect(() => readJournal(file)).toThrow(`is damaged in line 3: ${file}\n`);
    expect(() => readJournal(file)).toThrow("delete this file");
  });

  test("stays for the newer version if its format is newer", async () => {
    const file = write(await play([], 0));
    writeFileSync(file, readFileSync(file, "utf8").replace('{"version":1', '{"version":2'));
    expect(() => readJournal(file)).toThrow("has format version 2, this emulator reads version 1");
  });
});
