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
    only: "does not edit a state that another process has locked",
  },
  {
    name: "command line: a state is corrected without a copy of it",
    file: `${engine}/cli/state.ts`,
    find: "    session.backend.backUp(name);\n",
    replace: "",
    tests: test("commands"),
    only: "removes resources from the state only where that is safe",
  },
  {
    name: "command line: a parent is forgotten before its children",
    file: `${engine}/cli/state.ts`,
    find: "[...one.dependencyUrns(), one.parent, one.providerUrn]",
    replace: "[...one.dependencyUrns(), one.providerUrn]",
    tests: test("commands"),
    only: "removes resources from the state only where that is safe",
  },
  {
    name: "command line: a flag before a subcommand that does not have it is ignored",
    file: `${engine}/cli/program.ts`,
    find: "      refuseForeign(command);\n",
    replace: "",
    tests: test("commands"),
    only: "refuses unknown commands and flags",
  },
  {
    name: "command line: the stack is held while it changes alone, not while somebody is asked",
    file: `${engine}/cli/operations.ts`,
    find: "    if (!options.yes) await confirmed(session, kind);\n",
    replace: "    lock.release();\n    if (!options.yes) await confirmed(session, kind);\n",
    tests: test("operation-flags"),
    only: "asks before it changes anything",
  },
  {
    name: "display: secrets are shown",
    file: `${engine}/display/properties.ts`,
    find: 'if (value instanceof Secret) return new Secret("[secret]");',
    replace: "if (value instanceof Secret) return maskedValue(value.value);",
    tests: test("operation-flags"),
    only: "shows no secrets",
  },
];
