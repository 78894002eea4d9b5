/** Breaks of what the Providers of one run share. */
import type { Mutant } from "./mutant.ts";

const tests = ["test/plugin/run-facts.test.ts"];

export const runFactsMutants: readonly Mutant[] = [
  {
    name: "run facts: each process begins a run of its own",
    file: "provider/safety/run-file.ts",
    find: "joined.some(({ process }) => isRunning(process))",
    replace: "false",
    tests,
  },
  {
    name: "run facts: an ended run counts for the next one with its address",
    file: "provider/safety/run-file.ts",
    find: "joined.some(({ process }) => isRunning(process))",
    replace: "joined.length > 0",
    tests,
  },
  {
    name: "run facts: a partial line swallows the next one",
    file: "provider/safety/run-file.ts",
    find: "from(`\\n$",
    replace: "from(`$",
    tests,
  },
  {
    name: "run facts: of two claims the last one wins",
    file: "provider/safety/run-facts.ts",
    find: "!change.keep || !values.has(change.key)",
    replace: "true",
    tests,
  },
  {
    name: "run facts: two processes take the last place of the removal limit",
    file: "provider/safety/removal-limit.ts",
    find: "    return reached();",
    replace: "    return undefined;",
    tests,
  },
  {
    name: "run facts: a process without them changes something all the same",
    file: "provider/runtime/process.ts",
    find: 'api: CallContext["api"]): CallContext {\n    this.requireFacts();',
    replace: 'api: CallContext["api"]): CallContext {',
    tests,
  },
  {
    name: "run facts: a run begins without them",
    file: "provider/plugin/server.ts",
    find: "      process.requireFacts();\n",
    replace: "",
    tests,
  },
];
