/**
 * The structure: which folder may import what, as one table. docs/internal/design.md gives the reasons; this file holds the code to
 * them, and the documents to the code.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { repositoryFiles } from "./setup/repository.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Rule {
  /** Folders and single files of this project, besides its own folder. A folder does not include its rooms below. */
  readonly imports: readonly string[];
  /** The same, by `import type` only. */
  readonly types?: readonly string[];
  /** Packages with their subpaths, besides Node's own modules. `declared`: any that package.json names. */
  readonly packages: readonly string[] | "declared";
  /** Whether every folder inside stands alone: no relative import leaves it. */
  readonly alone?: boolean;
  /** Whether it may load a module that its caller names. */
  readonly loadsNamed?: boolean;
}

/** `a/{b,c} d` means `a/b`, `a/c` and `d`. */
function named(text: string): string[] {
  return text.split(" ").flatMap((one) => {
    const [, before = one, choices = "", after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(one) ?? [];
    return before === "" && choices === "" ? [] : choices.split(",").map((part) => before + part + after);
  });
}

function rule(imports: string, packages: string, more: Omit<Rule, "imports" | "packages"> = {}): Rule {
  return { imports: named(imports), packages: named(packages), ...more };
}

/** The contract: what client and sandbox service have in common. */
const contract = "provider/api/{calls,schemas}";
const verbs =
  "command/{engine,engine/runner,members,plan,preview,report,roster,roster/program,run,service,stacks,verbs}";
/** All folders of the package, for those who may import any of it. */
const product = [
  "provider provider/{api,api/calls,api/client,api/schemas,backend,config,direct,member,member/execute,member/primitives,member/resource,plugin,resources,runtime,safety}",
  `provider/{service,util} sdk sdk/{base,lookups,policies} command command/{cli,doctor} ${verbs}`,
].join(" ");
const sandbox = "sandbox sandbox/{service,pulumi,start,tour}";
/** The independent list of the interface: it must not know what it is held against. */
const list = "test/interface/{interface,rows,shapes}.ts";
/** The build puts them into the file that imports them. */
const bundled = ["age-encryption"];

/** Of source files in one folder. */
const MOST_FILES = 12;

/** From the ground up. A file belongs to the longest entry that it lies in. */
const table: Readonly<Record<string, Rule>> = {
  "provider/util": rule("", "zod age-encryption"),
  "provider/backend": rule("provider/util", "zod"),
  "provider/api/schemas": rule("provider/util", "zod"),
  "provider/api/calls": rule("provider/api/schemas provider/util/text.ts", "zod", {
    types: ["provider/util/instants.ts"],
  }),
  "provider/api/client": rule(`${contract} provider/util`, "zod undici"),
  "provider/api": rule(`${contract} provider/api/client provider/util`, ""),
  "provider/resources": rule(`${contract} provider/util`, "zod"),
  "provider/member": rule(
    [
      "provider/resources/{members/absence,members/member-list,members/removal,org-user/access-end}.ts",
      "provider/resources/{rotation-schedule,unknown,user-token/cause,user-token/dates}.ts provider/util",
    ].join(" "),
    "zod",
    { types: ["provider/api/calls"] },
  ),
  "provider/member/execute": rule(`${contract} provider/{member,resources,util}`, "zod"),
  "provider/member/primitives": rule(`${contract} provider/{member,member/execute,resources,util}`, "zod"),
  "provider/member/resource": rule(`${contract} provider/{member,member/execute,resources,util}`, "zod"),
  "provider/config": rule(
    `${contract} provider/api/client/proxies.ts provider/resources/{contexts,resource}.ts provider/util`,
    "zod",
  ),
  "provider/service": rule(`${contract} provider/{api,api/client,config,resources,util}`, "zod"),
  "provider/safety": rule(`${contract} provider/{config,member,resources,util}`, "zod", {
    types: ["provider/api/client/observer.ts"],
  }),
  "provider/runtime": rule(
    `${contract} provider/{api,config,member,resources,safety,service,util}`,
    "@pulumi/pulumi @grpc/grpc-js zod",
  ),
  "provider/direct": rule(
    `${contract} provider/{api,api/client,config,resources,runtime,service,util}`,
    "zod",
  ),
  provider: rule("provider/{member/primitives,member/resource,resources,runtime,util}", "@pulumi/pulumi"),
  "provider/plugin": rule(
    "provider provider/{config,direct,resources,runtime,util}",
    "@pulumi/pulumi @grpc/grpc-js zod",
  ),
  "sdk/base": rule(
    "provider/config/{inline-program,setting-groups}.ts provider/resources/{claims,resource-types}.ts provider/util/error-codes.ts",
    "@pulumi/pulumi",
    {
      types: ["provider/resources"],
    },
  ),
  "sdk/lookups": rule("sdk/base provider/direct provider/util/error-codes.ts", "@pulumi/pulumi", {
    types: named(contract),
  }),
  sdk: rule("sdk/{base,lookups}", "@pulumi/pulumi", {
    types: named(`${contract} provider/resources`),
  }),
  "sdk/policies": rule("provider/util", "@pulumi/policy"),
  "command/roster": rule("provider/{api/schemas,resources,util}", "diff yaml zod"),
  "command/members": rule(
    "command/roster provider/{member,member/resource,resources,runtime,service,util}",
    "zod",
  ),
  "command/roster/program": rule(
    "command/{members/rows.ts,roster} sdk sdk/base/program-error.ts",
    "@pulumi/pulumi",
  ),
  "command/plan": rule("command/{members,roster} provider/{member,resources,util}", "zod"),
  "command/engine": rule("provider/{api/client/redact.ts,backend,util}", "@pulumi/pulumi yaml zod", {
    types: named("command/{members,roster}"),
  }),
  "command/engine/runner": rule(
    "command/{engine,members/state-members.ts,roster/roster.ts} sdk/base/{registration,stack-capture}.ts provider/util",
    "@pulumi/pulumi zod",
    { loadsNamed: true },
  ),
  "command/stacks": rule(
    "command/{engine,members,roster} provider/{config,resources/user-token/dates.ts,util}",
    "zod",
    {
      types: named("command/plan provider/service"),
    },
  ),
  "command/service": rule(
    "command/{members,plan,roster,stacks} provider/{api/schemas,config,member,resources,service,util}",
    "zod",
    { types: ["command/engine"] },
  ),
  "command/preview": rule(
    "command/{engine/masked.ts,members,plan,roster,service,stacks} provider/{config,member,util}",
    "zod",
    { types: named("command/engine provider/service") },
  ),
  "command/run": rule(
    [
      "command/{engine,members,plan,roster,stacks}",
      "provider/{config,direct,member,member/resource,resources,runtime,safety,util}",
    ].join(" "),
    "zod",
    { types: ["command/preview"] },
  ),
  "command/report": rule("command/{members,plan,roster} provider/{member,resources,util}", "cli-table3 zod", {
    types: ["command/service/audit-log.ts"],
  }),
  "command/verbs": rule(
    [
      "command/{members,plan,preview,report,roster,run,service,stacks}",
      "provider/{config,direct,member,resources,safety,service,util}",
    ].join(" "),
    "zod",
    { types: ["command/engine"] },
  ),
  command: rule(`${verbs} provider/util/error-codes.ts`, ""),
  "command/doctor": rule(
    [
      `${contract} command/{engine/passphrase.ts,engine/stack-names.ts,roster}`,
      "provider/{api/client,backend,config,resources/members/member-list.ts,resources/members/seat-codes.ts,service,util}",
    ].join(" "),
    "zod",
  ),
  "command/cli": rule(
    `${verbs} command/doctor provider/{api/client/redact.ts,config/setting-values.ts,util}`,
    "commander ora",
  ),
  "sandbox/service": rule(
    `${contract} provider/config/setting-values.ts provider/util/{instants,text}.ts`,
    "hono @hono/node-server zod @electric-sql/{pglite,pglite-pgvector}",
  ),
  "sandbox/pulumi": rule("provider/util/{pulumi-command,search-path}.ts", "@pulumi/pulumi @grpc/grpc-js"),
  "sandbox/start": rule("sandbox/{service,pulumi} provider/util/search-path.ts", "cli-table3 commander zod"),
  "sandbox/tour": rule("sandbox/{service,pulumi,start} provider/api/calls/anaconda-calls.ts", "zod"),
  sandbox: rule("sandbox/{service,pulumi,start,tour} provider/util/search-path.ts", "commander"),
  schema: rule("provider provider/{config,resources}", "typescript yaml zod"),
  examples: rule("", "orgseat @pulumi/pulumi", { alone: true }),
  "index.ts": rule("", "orgseat @pulumi/pulumi"),
  test: { imports: named(`${product} ${sandbox} schema examples release ${list}`), packages: "declared" },
  ...Object.fromEntries(named(list).map((file) => [file, rule(list, "")])),
  bench: { imports: named(`${product} ${sandbox} examples test`), packages: "declared" },
  release: rule("sandbox/pulumi/package-root.ts", "zod"),
  "vitest.config.ts": rule("sandbox/pulumi test", "vitest"),
};

interface Source {
  /** From the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  /** Undefined if it is no constant text. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
}

const parsedFiles = new Map<string, ts.SourceFile>();

/** Each text once. */
function parsed({ path, text }: Source): ts.SourceFile {
  const known = parsedFiles.get(text);
  if (known !== undefined) return known;
  const made = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  parsedFiles.set(text, made);
  return made;
}

/** Every import and re-export of a file, the type-only ones, `import()` and `require()` among them. */
function importsOf({ path, text }: Source): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, typeOnly: boolean): void => {
    const literal = node && ts.isLiteralTypeNode(node) ? node.literal : node;
    found.push({
      specifier: literal && ts.isStringLiteralLike(literal) ? literal.text : undefined,
      typeOnly,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false);
    } else if (ts.isImportTypeNode(node)) {
      add(node.argument, true);
    } else if (ts.isCallExpression(node) && isLoader(node.expression)) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed({ path, text }));
  return found;
}

function isLoader(callee: ts.Expression): boolean {
  return (
    callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require")
  );
}

function homeOf(path: string): string | undefined {
  return Object.keys(table)
    .filter((entry) => path === entry || path.startsWith(`${entry}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function targetOf(path: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
}

/** The folder in which a file of `examples` stands alone. */
function unitOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 2).join("/");
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** One line for each import that breaks the table: file, specifier, rule. */
function violations(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const home = homeOf(source.path);
    const rule = home === undefined ? undefined : table[home];
    if (home === undefined || rule === undefined) return [`${source.path}: no entry of the table holds it`];
    return importsOf(source).flatMap((found) => {
      const broken = brokenRule(source.path, home, rule, found);
      return broken === undefined ? [] : [`${source.path} imports "${found.specifier ?? "?"}": ${broken}`];
    });
  });
}

function brokenRule(path: string, home: string, rule: Rule, found: Import): string | undefined {
  const { specifier, typeOnly } = found;
  if (specifier === undefined) {
    return rule.loadsNamed ? undefined : "what is imported is written as one constant text";
  }
  const target = targetOf(path, specifier);
  if (target === undefined) {
    if (isBuiltin(specifier)) return undefined;
    const allowed = rule.packages === "declared" ? declaredPackages : rule.packages;
    if (allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return undefined;
    return `${home} may import the packages ${listed(rule.packages === "declared" ? ["of package.json"] : allowed)}`;
  }
  if (rule.alone && unitOf(target) !== unitOf(path)) {
    return `a folder of ${home} stands alone: no relative import leaves it`;
  }
  const targetHome = homeOf(target);
  const isIn = (entries: readonly string[]) =>
    entries.includes(target) || (targetHome !== undefined && entries.includes(targetHome));
  if (targetHome === home || isIn(rule.imports)) return undefined;
  if (isIn(rule.types ?? [])) {
    return typeOnly ? undefined : `${home} may import types of ${targetHome} only (import type)`;
  }
  return `${home} may import ${listed(["itself", ...rule.imports])}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

/** The files of the project that each file imports. */
function importGraph(sources: readonly Source[]): Map<string, string[]> {
  return new Map(
    sources.map((source) => [
      source.path,
      importsOf(source).flatMap(({ specifier }) => targetOf(source.path, specifier ?? "") ?? []),
    ]),
  );
}

/**
 * A circle of imports as `a -> b -> a` for each import that closes one; type-only ones count too, because files of a
 * circle cannot be understood one by one.
 */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(" -> "));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) {
      walk(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return found;
}

/** Each constant text that is, or begins, a path into the sandbox or the name of its package. */
function namesOfSandbox({ path, text }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isNamed = ts.isStringLiteralLike(node) && /(^|\/)sandbox(\/|$)|orgseat-sandbox/.test(node.text);
    if (isNamed) found.push(`${path}: "${node.text}"`);
    ts.forEachChild(node, visit);
  };
  visit(parsed({ path, text }));
  return found;
}

/** A title begins with its subject or its verb, so that `describe > test` reads as a sentence. */
const NO_BEGINNING = new RegExp(
  `^(${[
    "about after against among as at before between by for from in into like of on onto over per since than through",
    "to under until when where while with within without",
    "am are be been can cannot could did do does had has have is may might must not should was were will would",
  ]
    .join(" ")
    .replaceAll(" ", "|")})\\b`,
  "i",
);
/** The titles of the tests and of their subjects, with their lines, which begin with a preposition or an auxiliary. */
function wrongTitles({ path, text }: Source): string[] {
  const file = parsed({ path, text });
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) && isNamer(node.expression) ? node.arguments[0] : undefined;
    if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      const words = title.getText().slice(1, -1);
      const { line } = file.getLineAndCharacterOfPosition(title.getStart());
      if (NO_BEGINNING.test(words)) found.push(`${path}:${line + 1}: ${words}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether it is `test`, `describe`, one of their forms (`test.each(...)`), or `onEachDoor`. */
function isNamer(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return /^(test|it|describe|onEachDoor)$/.test(callee.text);
  const inner =
    ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee) ? callee.expression : undefined;
  return inner !== undefined && isNamer(inner);
}

function filesIn(folder: string, ending: RegExp): Source[] {
  return repositoryFiles(`${folder}/**/*.*`)
    .filter((path) => ending.test(path))
    .map(read);
}

function read(path: string): Source {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});
const orgseatManifest = manifestSchema.parse(JSON.parse(read("package.json").text));
const sandboxManifest = manifestSchema.parse(JSON.parse(read("sandbox/package.json").text));
/** Packages that a test installs by itself, with lock files of their own. */
const ownInstalls = ["test/browser", "test/linters", "test/mutants", "test/prism"];
const testManifests = ownInstalls.map((folder) =>
  manifestSchema.parse(JSON.parse(read(`${folder}/package.json`).text)),
);
const declaredPackages = [
  ...new Set(
    [orgseatManifest, sandboxManifest, ...testManifests].flatMap(
      ({ dependencies, devDependencies, optionalDependencies }) =>
        Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    ),
  ),
];

const orgseat = ["provider", "sdk", "command"].flatMap((folder) => filesIn(folder, /\.ts$/));
const sandboxFiles = filesIn("sandbox", /\.ts$/);
const shipped = [...orgseat, ...sandboxFiles];
const others = ["schema", "examples", "test", "bench", "release"].flatMap((folder) =>
  filesIn(folder, /\.ts$/),
);
const rootFiles = readdirSync(root)
  .filter((name) => name.endsWith(".ts"))
  .map(read);
const all = [...shipped, ...others, ...rootFiles];

describe("structure", () => {
  test("keeps every import to the table", () => {
    expect(violations(all)).toEqual([]);
  });

  test("lets no file import itself by way of others", () => {
    expect(circles(importGraph(shipped))).toEqual([]);
  });

  test("lets imports between folders of the table go one way", () => {
    const graph = Object.entries(table).map(([area, { imports, types = [] }]) => {
      const targets = [...imports, ...types].flatMap((entry) => homeOf(entry) ?? entry);
      return [area, targets.filter((target) => target !== area)] as const;
    });
    expect(circles(new Map(graph.filter(([area]) => !area.startsWith("test/"))))).toEqual([]);
  });

  test("keeps every folder to 12 source files", () => {
    const folders = Map.groupBy(shipped, ({ path }) => posix.dirname(path));
    const large = [...folders].filter(([, files]) => files.length > MOST_FILES);
    expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
  });

  test("lets no title of a test begin with a preposition or an auxiliary", () => {
    expect(others.flatMap(wrongTitles)).toEqual([]);
  });

  test("no path in the temporary folder can be guessed: another user of the machine could be there first", () => {
    const files = [...all, ...["sandbox", "sdk", "test"].flatMap((folder) => filesIn(folder, /\.[cm]?js$/))];
    const guessable = files.flatMap(({ path, text }) =>
      [...text.matchAll(/^.*\btmpdir\(\).*$/gm)]
        .filter(([line]) => !/join\(tmpdir\(\), "[\w-]+-"\)/.test(line))
        .map(([line]) => `${path}: ${line.trim()}`),
    );
    expect(guessable.filter((line) => !line.startsWith("test/structure.test.ts"))).toEqual([]);
  });

  test.each([
    ["orgseat", orgseat, orgseatManifest],
    ["orgseat-sandbox", sandboxFiles, sandboxManifest],
  ])("the package %s depends on what it imports, and on nothing else", (_, sources, manifest) => {
    const { dependencies, peerDependencies } = manifest;
    // An optional peer gives only types: the package loads without it.
    const isPeer = ({ specifier = "", typeOnly }: Import) =>
      typeOnly && packageOf(specifier) in peerDependencies;
    const imported = new Set(
      sources
        .flatMap(importsOf)
        .filter((one) => !isPeer(one))
        .flatMap(({ specifier }) => specifier ?? [])
        .filter((specifier) => !specifier.startsWith(".") && !isBuiltin(specifier))
        .map(packageOf)
        .filter((name) => !bundled.includes(name)),
    );
    expect([...imported].sort()).toEqual(Object.keys(dependencies).sort());
  });

  test("the package orgseat names no file of the sandbox, its launchers included", () => {
    const files = [
      ...orgseat,
      ...["provider", "sdk", "command"].flatMap((folder) => filesIn(folder, /\.[cm]?js$/)),
    ];
    expect(files.map(({ path }) => path)).toContain("sdk/bin/launch.js");
    expect(files.flatMap((file) => namesOfSandbox(file))).toEqual([]);
  });
});

describe("the output of the command", () => {
  test("leaves it at one place only, which removes secrets and what acts on a terminal", () => {
    const files = [...orgseat, ...filesIn("sdk", /\.[cm]?js$/)].filter(({ path }) =>
      /^(sdk|command)\//.test(path),
    );
    const writing = files.filter(({ text }) =>
      /\bconsole\.|\bstd(?:out|err)\.write\(|\bfs\.write/.test(text),
    );
    expect(writing.map(({ path }) => path).sort()).toEqual([
      "command/cli/output.ts",
      // Sentences of their own, before the code of the command is loaded.
      "sdk/bin/launch.js",
      "sdk/entry/node-version.cjs",
    ]);
    const opening = files.filter(
      ({ path, text }) => path.startsWith("command/cli/") && /\bopenOrganization\(/.test(text),
    );
    expect(
      opening.map(({ path }) => path),
      "its output hides what the run reads",
    ).toEqual(["command/cli/open.ts"]);
  });
});

describe("the documents", () => {
  test("docs/internal/dependencies.md has one line for each package of a package.json and no other", () => {
    const rows = read("docs/internal/dependencies.md").text.matchAll(/^- `([^`]+)`:/gm);
    expect([...rows].map(([, name]) => name).sort()).toEqual([...declaredPackages].sort());
  });

  test.each([".", ...ownInstalls])("the package-lock.json of %s names no registry", (folder) => {
    expect(read(join(folder, "package-lock.json")).text).not.toMatch(/"resolved": "\w+:/);
  });

  test("every decision that code names is in docs/internal/contract.md, once", () => {
    const rows = [...read("docs/internal/contract.md").text.matchAll(/^- \*\*(D\d+)\*\* /gm)].map(
      ([, id]) => id,
    );
    expect(rows).toEqual([...new Set(rows)]);
    const unknown = all.flatMap(({ path, text }) =>
      [...text.matchAll(/\bD\d+\b/g)].filter(([id]) => !rows.includes(id)).map(([id]) => `${path}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  test("every file and folder that a document names is there", () => {
    const documents = [...filesIn("docs", /\.md$/), read("CONTRIBUTING.md")];
    const missing = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:provider|sdk|command|sandbox|schema|test|docs)\/[\w./-]*)`/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

/** What is imported; the file, its text, the specifier, and a part of the rule. */
const BROKEN = `
a package | provider/resources/seat.ts | import { Pool } from "undici"; | undici | zod
a type | provider/api/x.ts | import type { Output } from "@pulumi/pulumi"; | @pulumi/pulumi | packages none
a folder by a re-export | sandbox/service/x.ts | export * from "../../provider/api/client.ts"; | client.ts | provider/api/calls
a call of import | sandbox/pulumi/x.ts | await import("../service/index.ts"); | service | itself
a call of require | sdk/x.ts | const zod = require("zod"); | zod | @pulumi/pulumi
a type in place | provider/runtime/x.ts | let x: import("hono").Context; | hono | grpc-js
a value where types are allowed | sdk/x.ts | import "../provider/resources/resource.ts"; | provider | import type
a type marked inside an import | sdk/x.ts | import { type A } from "../provider/resources/resource.ts"; | provider | import type
a package that begins alike | sandbox/pulumi/x.ts | import "@pulumi/pulumix"; | @pulumi/pulumix | grpc
a way out of an example | examples/a/index.ts | import "../b/index.ts"; | ../b/index.ts | stands alone
what a single file may not | test/interface/interface.ts | import "../../provider/api/calls.ts"; | calls.ts | itself
a specifier that is computed | sdk/x.ts | await import(name); | ? | constant text
`
  .trim()
  .split("\n")
  .map((line) => line.split(" | "));

describe("the checker itself", () => {
  test.each(BROKEN)(
    "reports %s: file, specifier and rule",
    (_, path = "", text = "", specifier = "", rule = "") => {
      const [line, ...more] = violations([{ path, text }]);
      expect(more).toEqual([]);
      expect(line).toContain(`${path} imports "`);
      expect(line).toContain(specifier);
      expect(line).toContain(rule);
    },
  );

  test("reports a title that begins with a preposition or an auxiliary", () => {
    const text =
      '\ntest("of a user", () => {}); describe.each([1])("is one", () => {}); test("isolates", () => {}); run("of");';
    expect(wrongTitles({ path: "x.ts", text })).toEqual(["x.ts:2: of a user", "x.ts:2: is one"]);
  });

  test("reports a circle with its way", () => {
    const sources = [
      { path: "sdk/a.ts", text: 'import "./b.ts";' },
      { path: "sdk/b.ts", text: 'export type * from "./c.ts";' },
      { path: "sdk/c.ts", text: 'import type { A } from "./a.ts";' },
    ];
    expect(circles(importGraph(sources))).toEqual(["sdk/a.ts -> sdk/b.ts -> sdk/c.ts -> sdk/a.ts"]);
  });
});
