/** Breaks of the journal in which the stand-in engine keeps what a run has done. */
import type { Mutant } from "./mutant.ts";

const test = (name: string) => [`test/sandbox/engine/${name}.test.ts`];
const engine = "sandbox/engine";

export const journalMutants: readonly Mutant[] = [
  {
    name: "journal: an operation that begins is not noted",
    file: `${engine}/deployment/snapshots.ts`,
    find: "    this.#note({ begin: { key, type, urn: state.urn } }, key < this.#baseSize ? [] : [state]);\n",
    replace: "",
    tests: test("journal"),
    only: "gives after each line what the whole state would have been",
  },
  {
    name: "journal: a resource of the base that changed is not noted",
    file: `${engine}/deployment/snapshots.ts`,
    find: "if (this.#keys.has(state)) this.#changed.add(state);",
    replace: "if (this.#noted.has(state)) this.#changed.add(state);",
    tests: test("journal"),
    only: "gives after each line what the whole state would have been",
  },
  {
    name: "journal: a replay keeps references to what a refresh dropped",
    file: `${engine}/deployment/replay.ts`,
    find: "  if (line.refreshed) ledger.refreshed = true;\n",
    replace: "",
    tests: test("journal"),
    only: "gives after each line what the whole state would have been",
  },
  {
    name: "journal: a line that was cut off counts to its length",
    file: `${engine}/deployment/journal.ts`,
    find: 'bytes.lastIndexOf("\\n") + 1',
    replace: "bytes.length",
    tests: test("journal"),
    only: "sealed after a line that was cut off",
  },
  {
    name: "journal: the seal stands behind a line that was cut off",
    file: `${engine}/deployment/journal.ts`,
    find: "  truncateSync(file, length);\n",
    replace: "",
    tests: test("journal"),
    only: "sealed after a line that was cut off",
  },
  {
    name: "journal: a run does not say which state it is about to write",
    file: `${engine}/recorder.ts`,
    find: "    this.#writer?.seal(hashOf(checkpoint));\n",
    replace: "",
    tests: test("takeover"),
    only: "is removed where the state has all of it already",
  },
  {
    name: "journal: it is merged into a state that somebody else has written",
    file: `${engine}/journals.ts`,
    find: "  if (start.base !== hash) return undefined;\n",
    replace: "",
    tests: test("takeover"),
    only: "is left with an error",
  },
  {
    name: "journal: that of a run which still works is taken over",
    file: `${engine}/owner.ts`,
    find: 'return found.state === "Z" ||',
    replace: "return true ||",
    tests: test("takeover"),
    only: "is read, and nothing is written or taken over",
  },
  {
    name: "journal: another machine's is taken over",
    file: `${engine}/owner.ts`,
    find: "  if (owner.hostname !== hostname()) return false;\n",
    replace: "",
    tests: test("takeover"),
    only: "is read, and nothing is written or taken over",
  },
  {
    name: "journal: cancel removes the lock alone",
    file: `${engine}/locks.ts`,
    find: "    if (journal)\n      warn(",
    replace: "    if (!journal)\n      warn(",
    tests: test("takeover"),
    only: "is merged by cancel",
  },
];
