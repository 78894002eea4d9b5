/** The parts of the documentation that are made from the code. `npm run docs` writes them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { commandLine } from "../../command/cli/main.ts";
import { anacondaCalls } from "../../provider/api/calls/anaconda-calls.ts";
import { calls } from "../../provider/api/calls/calls.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { schemaFile } from "../../schema/schema.ts";
import { readReport, reportFile } from "../full/report.ts";
import { operationUsers } from "./operation-users.ts";
import { page } from "./pages.ts";

type Parts = ReadonlyMap<string, string>;

/** Each generated part of docs/commands.md by its name. */
function commandParts(): Parts {
  const program = commandLine();
  const verbs = program.commands;
  const organizationVerbs = verbs.filter((verb) => !WITHOUT_ORGANIZATION.has(verb.name()));
  const common = organizationVerbs
    .flatMap(({ options }) => options)
    .filter((option, index, all) => all.findIndex((one) => isSame(one, option)) === index)
    .filter((option) => withFlag(organizationVerbs, option).length > 1)
    .toSorted((a, b) => withFlag(organizationVerbs, b).length - withFlag(organizationVerbs, a).length);
  const parts = new Map([
    ["global flags", flagList(program.options)],
    ["common flags", commonList(common, organizationVerbs)],
  ]);
  for (const verb of verbs) {
    const own = verb.options.filter(
      (option) => !organizationVerbs.includes(verb) || !common.some((one) => isSame(one, option)),
    );
    parts.set(verb.name(), `${usageOf(verb)}\n\n${flagList(own)}`.trim());
  }
  return parts;
}

const WITHOUT_ORGANIZATION: ReadonlySet<string> = new Set(["init", "doctor"]);

function withFlag(verbs: readonly Command[], option: Option): readonly Command[] {
  return verbs.filter(({ options }) => options.some((one) => isSame(one, option)));
}

function isSame(one: Option, other: Option): boolean {
  return one.flags === other.flags && one.description === other.description;
}

/** With the verbs that have a flag, or those that lack it, whichever are fewer. */
function commonList(common: readonly Option[], verbs: readonly Command[]): string {
  const rows = common.map((option) => {
    const having = withFlag(verbs, option);
    const lacking = verbs.filter((verb) => !having.includes(verb));
    const namesOf = (some: readonly Command[]) => some.map((verb) => `\`${verb.name()}\``).join(", ");
    const scope = having.length <= lacking.length ? namesOf(having) : `all but ${namesOf(lacking)}`;
    const cell = lacking.length === 0 ? "all" : scope;
    return `${flagLine(option)}. With ${cell}`;
  });
  return rows.join("\n");
}

/** `orgseat token <who> [options]`, in code. */
function usageOf(verb: Command): string {
  return `\`orgseat ${verb.name()} ${verb.usage()}\``;
}

function flagList(options: readonly Option[]): string {
  return options.map(flagLine).join("\n");
}

function flagLine({ flags, description, argChoices }: Option): string {
  const choices = argChoices === undefined ? "" : ` (choices: ${argChoices.join(", ")})`;
  return `- \`${flags}\`: ${description}${choices}`;
}

/** The requests of the live platform, by area and path, what uses them, and what the other platform has of them. */
function operationList(): string {
  const credentials = { user: "administrator", serviceAccount: "service account", apiKey: "API key" };
  const documented = new Map(Object.values(calls).map((call) => [call.name, requestOf(call)]));
  const usersOf = new Map(Object.entries(operationUsers));
  const rows = Object.entries(anacondaCalls).map(([name, call]) => {
    const request = requestOf(call);
    const other = documented.get(call.name);
    const users = (usersOf.get(name) ?? []).map((user) => `\`${user}\``).join(", ");
    const basic =
      other === undefined ? ". Not in `basic`" : other === request ? "" : `. In \`basic\`: ${other}`;
    return `- ${call.name}: ${request} (${credentials[call.credential]}). ${users}${basic}`;
  });
  return rows.join("\n");
}

function requestOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `\`${method} ${path}\``;
}

/** The page with its generated parts as the code has them now. @throws if a part is unknown or missing */
function withParts(text: string, parts: Parts): string {
  const seen = new Set<string>();
  const written = text.replace(/^<!--generated:(.*?)-->\n[\s\S]*?^<!--end-->$/gm, (_, name: string) => {
    seen.add(name);
    const part = parts.get(name);
    if (part === undefined) throw new Error(`the code has no "${name}": remove this part of the page`);
    return `<!--generated:${name}-->\n${part === "" ? "" : `${part}\n`}<!--end-->`;
  });
  const missing = [...parts.keys()].filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`the page has no part for ${missing.join(", ")}: add it`);
  return written;
}

/** A guide with files of an example, as they are. */
function withFiles(path: string, example: string, language: string, names: readonly string[]): string {
  const blockOf = (name: string) =>
    `\`\`\`${language}\n${page(`examples/${example}/${name}`).trimEnd()}\n\`\`\``;
  return withParts(page(path), new Map(names.map((name) => [name, blockOf(name)])));
}

/** What the last full run ran of the suites of test/faults/. */
function faultList(): string {
  const { date, suites } = readReport(readFileSync(reportFile, "utf8"));
  const faults = suites.flatMap((suite) => {
    const [, what] = /^faults: (.*)$/.exec(suite.name) ?? [];
    return what === undefined ? [] : [{ ...suite, what }];
  });
  const day = date.slice(0, 10);
  if (faults.length === 0) return `The full run of ${day} is older than these tests.`;
  const rows = faults
    .toSorted((a, b) => (a.what < b.what ? -1 : 1))
    .map(({ what, ran, cases, level }) => {
      const count = ran === cases ? `${ran}` : `${ran} of ${cases}`;
      return `- ${what}: ${count}${level === "E" ? "" : ", without the CLI"}`;
    });
  return [`Cases that passed in the full run of ${day}:`, "", ...rows].join("\n");
}

const WORKFLOWS = ["program.yml", "gitlab/program.yml"];
const SCRIPTS = ["members.ts", "organizations.ts", "changes.ts", "up.ts", "drift.ts"];

/** The text that each generated page has to have. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  "docs/commands.md": () => withParts(page("docs/commands.md"), commandParts()),
  "docs/decide.md": () => withParts(page("docs/decide.md"), new Map([["faults", faultList()]])),
  "docs/platforms.md": () => withParts(page("docs/platforms.md"), new Map([["operations", operationList()]])),
  "docs/programs-in-ci.md": () => withFiles("docs/programs-in-ci.md", "ci", "yaml", WORKFLOWS),
  // Not blocks of `ts`: the files import each other, and have a tsconfig.json.
  "docs/automation-program.md": () =>
    withFiles("docs/automation-program.md", "automation-program", "typescript", SCRIPTS),
  "provider/plugin/schema.json": schemaFile,
};

export function writeGeneratedPages(): void {
  for (const [path, text] of Object.entries(generatedPages)) writeFileSync(join(packageRoot, path), text());
}
