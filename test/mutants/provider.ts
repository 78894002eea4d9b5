import type { Mutant } from "./mutant.ts";

const settings = { file: "provider/settings.ts", tests: ["test/provider/settings.test.ts"] };
const breaker = { file: "provider/removal-limit.ts", tests: ["test/provider/breaker.test.ts"] };
const dynamic = { file: "provider/dynamic.ts", tests: ["test/provider/dynamic.test.ts"] };
const reports = { file: "provider/reports.ts", tests: dynamic.tests };
const process = { file: "provider/process.ts", tests: ["test/resources/service-account.test.ts"] };

/** Breaks of what joins the resources to Pulumi: unknown values, state, configuration, breaker, messages. */
export const providerMutants: readonly Mutant[] = [
  {
    name: "engine: the pulumi of the PATH stands in for one that cannot be run",
    file: "provider/pulumi-command.ts",
    find: "if (obstacle === undefined) return { file };",
    replace: "if (obstacle !== '') return undefined;",
    tests: ["test/sdk/automation/engine/pulumi.test.ts"],
    only: "names what cannot be run",
  },
  {
    name: "engine: a warning is taken for the reason",
    file: "provider/pulumi-command.ts",
    find: "return errorOf(stderr) ?? plain",
    replace: "return linesOf(stderr)[0] ?? plain",
    tests: ["test/provider/pulumi-command.test.ts"],
    only: "not a warning before it",
  },
  {
    name: "engine: another release of orgseat beside the roster is taken",
    file: "sdk/automation/engine/packages.ts",
    find: "if (version !== found) {",
    replace: "if (version === '') {",
    tests: ["test/sdk/automation/engine/pulumi.test.ts"],
    only: "another release",
  },
  {
    name: "run folder: that of a run under way is removed",
    file: "sdk/automation/run.ts",
    find: ".filter(isOfDeadProcess)",
    replace: "",
    tests: ["test/sdk/automation/run-folder.test.ts"],
    only: "was killed",
  },
  {
    name: "a weak secret is not warned about",
    file: "provider/connection.ts",
    find: "secret.length < SHORTEST_SECRET;",
    replace: "secret.length < 0;",
    tests: ["test/resources/weak-secrets.test.ts"],
    only: "is warned about once",
  },
  {
    ...settings,
    name: "configuration: the stack's credentials win over the environment",
    find: "const [first, second] = keys[key].environmentWins",
    replace: "const [first, second] = !keys[key].environmentWins",
  },
  {
    ...settings,
    name: "configuration: a user name of one place goes with a password of the other",
    find: "for (const key of pair) configured.delete(key);",
    replace: "for (const key of pair) configured.get(key);",
  },
  {
    ...settings,
    name: "configuration: the dialect of a remote service need not be named",
    find: "if (addresses.length > 0 && !local && values.dialect === undefined) {",
    replace: "if (values.orgUrl === '') {",
  },
  {
    ...settings,
    name: "configuration: http:// is taken for every address",
    find: ' || (url.protocol === "http:" && LOOPBACK.test(url.hostname)))',
    replace: ' || url.protocol === "http:")',
  },
  {
    ...settings,
    name: "configuration: a loopback address lifts the removal limit",
    find: "values.maxRemovals ?? DEFAULT_MAX_REMOVALS",
    replace: "values.maxRemovals ?? (local ? 999_999 : DEFAULT_MAX_REMOVALS)",
  },
  {
    ...settings,
    name: "configuration: an empty value counts as one",
    find: 'if (value !== undefined && value !== "") configured',
    replace: "if (value !== undefined) configured",
  },
  {
    ...breaker,
    name: "breaker: off by one",
    find: "count >= limit",
    replace: "count > limit",
  },
  {
    ...breaker,
    name: "breaker: counts what is lost, not who loses it",
    find: "if (people.has(userId)) return;",
    replace: "",
  },
  {
    ...breaker,
    name: "breaker: the override is for every organization",
    find: "const overridden = allowedRemovals?.organizationId === organizationId;",
    replace: "const overridden = allowedRemovals !== undefined;",
  },
  {
    ...breaker,
    name: "breaker: each organization has its own limit",
    find: "overridden ? people.size : this.#total()",
    replace: "people.size",
  },
  {
    ...dynamic,
    name: "unknown: check drops what is not known yet",
    find: "value === unknown ? news[key] : value",
    replace: "value",
  },
  {
    ...dynamic,
    name: "unknown: Pulumi's marker goes to the service",
    find: "    if (value === unknown)\n      throw new Error(",
    replace: "    if (value === null)\n      throw new Error(",
  },
  {
    name: "unknown: taken as unchanged",
    file: "provider/resources/changes.ts",
    find: "news[key] === unknown || !isDeepStrictEqual",
    replace: "news[key] !== unknown && !isDeepStrictEqual",
    tests: ["test/resources/org-user.test.ts"],
  },
  {
    name: "unknown: looked for at the top of a value only",
    file: "provider/resources/unknown.ts",
    find: "return Object.values(value).some(holdsUnknown);",
    replace: "return false;",
    tests: ["test/provider/dynamic.test.ts"],
  },
  {
    ...reports,
    name: "state: undefined is handed to Pulumi",
    find: "JSON.parse(JSON.stringify(value))",
    replace: "{ ...value }",
  },
  {
    ...dynamic,
    name: "state: one of a newer release is read",
    find: "version > STATE_VERSION",
    replace: "version > STATE_VERSION + 1",
  },
  {
    ...dynamic,
    name: "state: null of an absent input cannot be read",
    find: "value !== null || !(key in definition.inputs)",
    replace: "key !== null || !(key in definition.inputs)",
  },
  {
    name: "state: what did not finish lacks the provider's text",
    file: "provider/reports.ts",
    find: "{ ...storable(error.outs), [PROVIDER_KEY]: props[PROVIDER_KEY] }",
    replace: "storable(error.outs)",
    tests: ["test/resources/seat-assignment.test.ts"],
  },
  {
    ...reports,
    name: "messages: a method answers before they have arrived",
    find: "await process.flush();",
    replace: "",
  },
  {
    ...reports,
    name: "messages: an error is printed with its stack",
    find: 'this.stack = "";',
    replace: "",
  },
  {
    ...dynamic,
    name: "messages: what concerns all is said by each",
    file: "provider/process.ts",
    find: "if (this.#said.has(text)) return ALREADY_REPORTED;",
    replace: "",
  },
  {
    ...process,
    name: "process: a failed read is remembered for the run",
    find: "promise.catch(() => this.#reads.delete(key));",
    replace: "promise.catch(() => {});",
  },
  {
    ...process,
    name: "process: each resource reads the list anew",
    find: "if (earlier) return earlier as Promise<T>;",
    replace: "",
  },
  {
    ...process,
    name: "process: creations of one organization overlap",
    find: "const turn = before.then(work, work);",
    replace: "const turn = work();",
  },
  {
    ...process,
    name: "process: the credentials of a resource are ignored",
    file: "provider/connection.ts",
    find: "? { user: own, serviceAccount: account }",
    replace: "? { user: admin, serviceAccount: account }",
  },
];
