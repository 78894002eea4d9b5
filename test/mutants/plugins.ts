/** Breaks of what the stand-in engine does with provider plugins, and of what it refuses. */
import type { Mutant } from "./mutant.ts";

const test = (name: string) => [`test/sandbox/engine/${name}.test.ts`];
const engine = "sandbox/engine";

export const pluginMutants: readonly Mutant[] = [
  {
    name: "plugins: a mark that nobody knows is taken for a value",
    file: `${engine}/rpc/answers.ts`,
    find: "if (!(mark in neededKeys)) {",
    replace: 'if (mark === "") {',
    tests: test("answers"),
    only: "is an error that names the property",
  },
  {
    name: "plugins: an unknown value is stored as if it were known",
    file: `${engine}/rpc/answers.ts`,
    find: 'if (typeof value === "string" && sentinels.has(value) && !unknowns) {',
    replace: 'if (typeof value === "string" && sentinels.has(value) && unknowns) {',
    tests: test("answers"),
    only: "is an error that names the property",
  },
  {
    name: "plugins: outputs are plain where the plugin takes no secrets",
    file: `${engine}/rpc/answers.ts`,
    find: "if (!options.keepsSecrets) annotateSecrets(outs, ins);",
    replace: "if (options.keepsSecrets) annotateSecrets(outs, ins);",
    tests: test("answers"),
    only: "what was secret as an input",
  },
  {
    name: "plugins: every failure leaves its resource in doubt",
    file: `${engine}/rpc/answers.ts`,
    find: "{ unsure: unsureCodes.has(error.code) }",
    replace: "{ unsure: true }",
    tests: test("answers"),
    only: "only a failure that the provider cannot judge",
  },
  {
    name: "plugins: a default provider gets the configuration of others",
    file: `${engine}/default-providers.ts`,
    find: "if (packageName !== dynamicPackage && namespace !== packageName) continue;",
    replace: 'if (namespace === "") continue;',
    tests: test("default-providers"),
    only: "without the namespace",
  },
  {
    name: "plugins: a default provider is registered for each resource",
    file: `${engine}/default-providers.ts`,
    find: "this.#references.get(key) ?? this.#register(packageName, version)",
    replace: "this.#register(packageName, version)",
    tests: test("default-providers"),
    only: "registered once",
  },
  {
    name: "plugins: minutes of a timeout are taken for seconds",
    file: `${engine}/rpc/requests.ts`,
    find: "m: 60,",
    replace: "m: 1,",
    tests: test("unknown-options"),
    only: "timeouts are counted in seconds",
  },
  {
    name: "refusals: a remote component is taken for one of the program",
    file: `${engine}/rpc/unknown-options.ts`,
    find: "if (request.getRemote())",
    replace: 'if (request.getName() === "")',
    tests: test("unknown-options"),
    only: "an option that is not known is no option that is ignored",
  },
  {
    name: "refusals: the SDK's advice to update the CLI stays",
    file: `${engine}/refusals.ts`,
    find: "return message.replace(sentence, refusal(names[feature] ?? feature).message);",
    replace: "return message;",
    tests: test("unknown-options"),
    only: "blames the age of the CLI",
  },
];
