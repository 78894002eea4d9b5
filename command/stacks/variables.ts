/**
 * The file `orgseat.env` beside a roster: one more source of variables. Each group of them comes from one source, so that a secret
 * of the shell never goes to an address of the file.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { areas, type Group, groupOf, keysIn, sourceOf } from "../../provider/config/setting-groups.ts";
import { environmentName } from "../../provider/config/setting-values.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { absolutePaths, stateGroup } from "../../provider/util/pulumi-command.ts";
import { messageOf, shellWord } from "../../provider/util/text.ts";

/** The file with variables beside a roster. */
export const VARIABLES_FILE = "orgseat.env";

type Variables = Readonly<Record<string, string | undefined>>;

/** A group with the names of its variables. */
interface NamedGroup extends Group {
  readonly name: string;
}

const named = ({ addresses, credentials }: Group): Group => ({
  addresses: addresses.map(environmentName),
  credentials: credentials.map((keys) => keys.map(environmentName)),
});
const organization = named(groupOf("organization"));
const groups: readonly NamedGroup[] = [
  ...areas.map((area) => ({ name: `the ${area} area`, ...named(groupOf(area)) })),
  { name: "the state", ...stateGroup },
];
/** A folder does not say which program runs. */
const NEVER = "ORGSEAT_PULUMI_PATH";
const TAKEN = /^(ORGSEAT_\w+|PULUMI_BACKEND_URL|PULUMI_CONFIG_PASSPHRASE(_FILE)?)$/;

/**
 * What a process takes from the variables of a file. The others, such as the platform, belong to the organization area: the
 * environment wins over each of them.
 * @throws if a group would come from both
 */
export function takenFrom(found: Variables, environment: Variables, file: string): Record<string, string> {
  const given = (source: Variables) =>
    new Set(Object.keys(source).filter((name) => source[name] && TAKEN.test(name) && name !== NEVER));
  const [preferred, other] = [given(environment), given(found)];
  const names = new Set<string>();
  const grouped = new Set(groups.flatMap(keysIn));
  for (const group of groups) {
    const source = sourceOf(group, preferred, other);
    if (source === "mixed") throw mixed(group, preferred, other, file);
    if (source === "other") for (const name of keysIn(group)) if (other.has(name)) names.add(name);
  }
  const isOrganizations = sourceOf(organization, preferred, other) === "other";
  for (const name of other)
    if (isOrganizations && !grouped.has(name) && !preferred.has(name)) names.add(name);
  return Object.fromEntries([...names].map((name) => [name, found[name] ?? ""]));
}

function mixed(group: NamedGroup, preferred: Set<string>, other: Set<string>, file: string): CodedError {
  const listed = (source: Set<string>) =>
    keysIn(group)
      .filter((name) => source.has(name))
      .join(", ");
  return new CodedError(
    "invalid-configuration",
    `the variables of ${group.name} come from two places, so orgseat uses neither: ${listed(preferred)} from the environment, ${listed(other)} from ${file}. Write all of them into the file, or load it before you set others: \`set -a; . ${shellWord(file)}; set +a\`. To ignore the file, pass --no-env-file`,
  );
}

/** The variables that a command took from the file. */
export interface TakenVariables {
  readonly file: string;
  readonly names: readonly string[];
}

/** Adds the variables of the file in this folder to the environment; undefined without one. @throws if it is not private */
export function loadVariables(folder: string, environment: NodeJS.ProcessEnv): TakenVariables | undefined {
  const file = join(folder, VARIABLES_FILE);
  const found = readVariables(file);
  if (found === undefined) return undefined;
  const taken = takenFrom(found, environment, file);
  Object.assign(environment, taken);
  return { file, names: Object.keys(taken) };
}

/** Relative paths are those of its folder. */
export function readVariables(file: string): Variables | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const problem = problemOf(file, found);
  if (problem !== undefined)
    throw new CodedError(
      "file-error",
      `cannot use ${file}: ${problem}. Or pass --no-env-file, and set the variables in the shell`,
    );
  try {
    const variables = parseEnv(readFileSync(file, "utf8"));
    return { ...variables, ...absolutePaths(variables, dirname(file)) };
  } catch (error) {
    throw new CodedError("file-error", `cannot read ${file}: ${messageOf(error)}`);
  }
}

function problemOf(
  file: string,
  found: { readonly mode: number; readonly uid: number; isFile(): boolean },
): string | undefined {
  if (!found.isFile()) return "it is not a file. Move it away";
  if (found.uid !== process.getuid?.()) return "another user owns it, and could change it. Make your own";
  if ((found.mode & 0o077) !== 0)
    return `others can read or write it (mode ${(found.mode & 0o777).toString(8)}). Run \`chmod 600 ${shellWord(file)}\`, and if others had access, change its secrets`;
  return repositoryProblem(file);
}

/** What a repository has, others have too. The repository must not name programs that run. */
function repositoryProblem(file: string): string | undefined {
  const args = ["-c", "core.fsmonitor=", "ls-files", "--error-unmatch", "--", VARIABLES_FILE];
  try {
    execFileSync("git", args, { cwd: dirname(file), stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
    return `git tracks it. Run \`git rm --cached ${VARIABLES_FILE}\`, add it to .gitignore, and change its secrets`;
  } catch (error) {
    return /dubious ownership/.test(messageOf(error))
      ? "it is in a repository of another user. Move the folder out of it"
      : undefined;
  }
}

/** The file once it has these variables too: what it has stays. */
export function variablesAfter(before: string | undefined, values: ReadonlyMap<string, string | undefined>) {
  const there: Record<string, string | undefined> = parseEnv(before ?? "");
  const lacking = new Map([...values].filter(([name]) => !there[name]));
  const given = [...lacking].flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const lines = (before === undefined ? [...lacking] : given).map(([name, value]) =>
    value === undefined ? `# ${name}=` : variableLine(name, value),
  );
  const text = [...(before === undefined ? [HEADING] : [before.trimEnd()]), ...lines, ""].join("\n");
  return {
    ...{ before, text },
    all: Object.fromEntries([...Object.entries(there).map(([name, value = ""]) => [name, value]), ...given]),
    missing: [...lacking].flatMap(([name, value]) => (value === undefined ? [name] : [])),
  };
}

const HEADING = "# The commands of orgseat read this file. It can contain secrets: do not commit it.";

/** A line that a shell and Node read alike. @throws for a value of which there is none */
function variableLine(name: string, value: string): string {
  const quoted = [shellWord(value), `"${value}"`].find(
    (text) => parseEnv(`${name}=${text}`)[name] === value && (text[0] !== '"' || !/["$`\\\n!]/.test(value)),
  );
  if (quoted !== undefined) return `${name}=${quoted}`;
  throw new CodedError(
    "invalid-flag",
    `cannot write ${name} into ${VARIABLES_FILE}: no quotes fit its characters. Keep it in the environment. No files were written`,
  );
}
