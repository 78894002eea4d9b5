/** Breaks of the stand-in's command line and of what it shows. */
import type { Mutant } from "./mutant.ts";

const test = (name: string) => [`test/sandbox/engine/${name}.test.ts`];
const engine = "sandbox/engine";

export const commandLineMutants: readonly Mutant[] = [
  {
    name: "command line: a state is corrected without its lock",
    file: `${engine}/cli/state.ts`,
    find: "  const unlock = lockStack(session.backend, name, session.warn);\n",
    replace: "  const unlock = () => {};\n",
    tests: test("commands"),
    only: "corrects no state that another process holds",
  },
  {
    name: "command line: a state is corrected without a copy of it",
    file: `${engine}/cli/state.ts`,
    find: "    session.backend.backUp(name);\n",
    replace: "",
    tests: test("commands"),
    only: "lets the state forget resources, as far as it is safe",
  },
  {
    name: "command line: a parent is forgotten before its children",
    file: `${engine}/cli/state.ts`,
    find: "[...one.dependencyUrns(), one.parent, one.providerUrn]",
    replace: "[...one.dependencyUrns(), one.providerUrn]",
    tests: test("commands"),
    only: "lets the state forget resources, as far as it is safe",
  },
  {
    name: "command line: a flag before a subcommand that does not have it is ignored",
    file: `${engine}/cli/program.ts`,
    find: "      refuseForeign(command);\n",
    replace: "",
    tests: test("commands"),
    only: "refuses what it does not know",
  },
  {
    name: "command line: --flag=false is as if nothing had been said",
    file: `${engine}/cli/program.ts`,
    find: "      for (const name of off) given[name] = false;\n",
    replace: "",
    tests: test("operation-flags"),
    only: "reads a state that a Pulumi.yaml wants to be read each time",
  },
  {
    name: "command line: the stack is held while it changes alone, not while somebody is asked",
    file: `${engine}/cli/operations.ts`,
    find: "    if (!options.yes) await agreed(session, kind, preview.details);\n",
    replace: "    lock.release();\n    if (!options.yes) await agreed(session, kind, preview.details);\n",
    tests: test("operation-flags"),
    only: "asks before it changes anything",
  },
  {
    name: "display: what Pulumi's library reports for debugging is shown whole",
    file: `${engine}/display/rows.ts`,
    find: 'message.replace(/, resp: .*$/s, "")',
    replace: "message",
    tests: test("operation-flags"),
    only: "keeps a message, the agent and the flags in the history",
  },
  {
    name: "display: secrets are compared and shown",
    file: `${engine}/display/diff.ts`,
    find: "shownProperties(properties, this.#options.showSecrets)",
    replace: "shownProperties(properties, true)",
    tests: test("operation-flags"),
    only: "shows secrets only where it is told",
  },
];
