/**
 * The house: who may import what, as one table. docs/design.md tells the reasons; this file holds the code to them, and
 * the documents to the code.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { z } from "zod";

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

const provider = ["provider", "provider/api", "provider/resources", "provider/unfinished", "provider/util"];
const automation = ["", "/engine", "/plan", "/report", "/roster"].map((folder) => `sdk/automation${folder}`);
const sandbox = ["sandbox", "sandbox/service", "sandbox/engine", "sandbox/start", "sandbox/tour"];
/** The independent list of the interface: it must not know what it is held against. */
const list = ["interface", "rows", "shapes"].map((name) => `test/interface/${name}.ts`);
/** Holds the sandbox against that list, over bare HTTP. */
const sandboxAgainstList = ["sandbox-harness", "sandbox.test"].map((name) => `test/interface/${name}.ts`);

/** The build puts them into the file that imports them. */
const bundled = ["age-encryption"];

/** A file belongs to the longest entry that it lies in. */
const house: Readonly<Record<string, Rule>> = {
  "provider/util": { imports: [], packages: ["zod", ...bundled] },
  "provider/api": { imports: [], packages: ["zod", "undici"] },
  "provider/resources": {
    imports: [
      ...[
        "anaconda-schemas",
        "call",
        "dialect",
        "errors",
        "instants",
        "model-schemas",
        "model-types",
        "models",
        "organization",
        "schemas",
        "visible",
      ].map((name) => `provider/api/${name}.ts`),
      "provider/util",
    ],
    packages: ["zod"],
  },
  provider: {
    imports: ["provider/api", "provider/resources", "provider/unfinished", "provider/util"],
    packages: ["@pulumi/pulumi", "@grpc/grpc-js", "zod"],
  },
  "provider/unfinished": {
    imports: ["provider/api/names-hash.ts", "provider/resources/creations.ts", "provider/util"],
    packages: ["zod"],
  },
  "provider/plugin": {
    imports: ["provider", "provider/api", "provider/resources"],
    packages: ["@pulumi/pulumi", "@grpc/grpc-js", "zod"],
  },
  "provider/doctor": {
    imports: ["provider", "provider/api", "provider/resources/member-list.ts", "provider/util"],
    packages: ["zod"],
  },
  sdk: {
    imports: ["sdk/lookups.ts", "provider/resources/member.ts"],
    types: provider,
    packages: ["@pulumi/pulumi"],
  },
  "sdk/lookups.ts": {
    imports: ["sdk", "provider/lookups.ts"],
    types: provider,
    packages: ["@pulumi/pulumi"],
  },
  "sdk/automation": {
    imports: [
      ...automation,
      "provider/api/instants.ts",
      "provider/api/schemas.ts",
      "provider/approved-changes.ts",
      "provider/audit.ts",
      "provider/unfinished/audited.ts",
      "provider/unfinished/tags.ts",
      "provider/found-members.ts",
      "provider/member-file.ts",
      "provider/members.ts",
      "provider/resources/created-user.ts",
      "provider/resources/member-list.ts",
      "provider/resources/token-list.ts",
      "provider/util/map-concurrently.ts",
      "provider/util",
      "provider/resources/failures.ts",
      "provider/revoke.ts",
      "provider/run-report.ts",
      "provider/try-credentials.ts",
      "provider/settings.ts",
      "sdk/door.ts",
    ],
    packages: ["zod"],
  },
  "sdk/automation/engine/runner.ts": {
    imports: [
      "sdk/automation/engine",
      "sdk/automation/roster",
      "sdk/stack-capture.ts",
      "provider/api/redact.ts",
      "provider/pulumi-command.ts",
    ],
    packages: ["@pulumi/pulumi"],
    loadsNamed: true,
  },
  "sdk/automation/engine": {
    imports: [
      "sdk/automation/roster",
      "sdk/automation/plan",
      "provider/api/redact.ts",
      "provider/pulumi-command.ts",
      "provider/search-path.ts",
      "provider/unfinished/stack-store.ts",
    ],
    packages: ["@pulumi/pulumi", "yaml", "zod"],
  },
  "sdk/command": {
    imports: [...automation, "provider/api/visible.ts", "provider/doctor", "provider/util"],
    packages: ["commander", "ora"],
  },
  "sdk/automation/roster": {
    imports: [
      "sdk",
      "provider/api/instants.ts",
      "provider/api/schemas.ts",
      "provider/api/visible.ts",
      "provider/resources/access-end.ts",
      "provider/resources/rotation-schedule.ts",
      "provider/util",
    ],
    packages: ["@pulumi/pulumi", "csv-parse", "diff", "yaml", "zod"],
  },
  "sdk/automation/plan": {
    imports: [
      "sdk/automation/roster",
      "provider/util",
      ...[
        ...["access-end", "effects", "removal", "renewal", "rotation-schedule"],
        ...["member-list", "onboarding-status", "public-types", "subjects", "unknown"],
      ].map((name) => `provider/resources/${name}.ts`),
      "provider/api/instants.ts",
    ],
    types: ["provider/approved-changes.ts"],
    packages: ["zod"],
  },
  "sdk/automation/report": {
    imports: [
      "sdk/automation/roster",
      "sdk/automation/plan",
      "sdk/automation/stack-state.ts",
      "provider/resources/access-end.ts",
      "provider/resources/rotation-schedule.ts",
      "provider/util",
    ],
    types: ["sdk/automation/audit-log.ts", "provider/resources/public-types.ts"],
    packages: ["cli-table3", "zod"],
  },
  "sandbox/service": {
    imports: [
      ...["anaconda-calls", "anaconda-model-schemas", "anaconda-schemas", "call", "calls", "dialect"],
      ...["instants", "model-schemas", "model-types", "schemas"],
    ].map((name) => `provider/api/${name}.ts`),
    packages: ["hono", "@hono/node-server", "zod", "@electric-sql/pglite", "@electric-sql/pglite-pgvector"],
  },
  "sandbox/engine": {
    imports: [],
    packages: ["@pulumi/pulumi/proto", "@grpc/grpc-js", "google-protobuf", "commander", "yaml", "zod"],
  },
  "sandbox/start": {
    imports: ["sandbox/service", "sandbox/package-root.ts", "sandbox/terminal.ts", "provider/search-path.ts"],
    packages: ["cli-table3", "commander", "zod"],
  },
  "sandbox/tour": {
    imports: [
      "sandbox/service",
      "sandbox/start",
      "sandbox/package-root.ts",
      "provider/api/anaconda-calls.ts",
    ],
    packages: [],
  },
  sandbox: { imports: ["sandbox/service", "sandbox/start", "sandbox/tour"], packages: ["commander"] },
  examples: { imports: [], packages: ["orgseat", "@pulumi/pulumi"], alone: true },
  "examples/stores": {
    imports: [],
    packages: ["orgseat", "@pulumi/aws", "@pulumi/github", "@pulumi/vault"],
  },
  "index.ts": { imports: [], packages: ["orgseat", "@pulumi/pulumi"] },
  test: {
    imports: [
      ...provider,
      "provider/doctor",
      "provider/plugin",
      "sdk",
      "sdk/command",
      ...automation,
      ...sandbox,
      "examples",
      ...list,
    ],
    packages: "declared",
  },
  ...Object.fromEntries(list.map((file) => [file, { imports: list, packages: [] }])),
  ...Object.fromEntries(
    sandboxAgainstList.map((file) => [
      file,
      {
        imports: [
          ...list,
          "test/interface/sandbox-harness.ts",
          "test/setup/exchange.ts",
          "test/setup/vector-templates.ts",
          "sandbox/service",
        ],
        packages: ["vitest"],
      },
    ]),
  ),
  bench: {
    imports: [...provider, "sdk", ...automation, ...sandbox, "examples", "test"],
    packages: "declared",
  },
  "vitest.config.ts": { imports: ["sandbox/start", "test"], packages: ["vitest"] },
};

interface Source {
  /** From the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  /** Undefined where it is no constant text. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
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
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

function isLoader(callee: ts.Expression): boolean {
  return (
    callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require")
  );
}

function homeOf(path: string): string | undefined {
  return Object.keys(house)
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
    const rule = home === undefined ? undefined : house[home];
    if (home === undefined || rule === undefined) return [`${source.path}: no entry of the house holds it`];
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
function circles(sources: readonly Source[]): string[] {
  const graph = importGraph(sources);
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
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

function filesIn(folder: string, ending: RegExp): Source[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .filter((path) => ending.test(path) && !path.includes("node_modules/"))
    .map(read);
}

function read(path: string): Source {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const orgseatManifest = manifestSchema.parse(JSON.parse(read("package.json").text));
const sandboxManifest = manifestSchema.parse(JSON.parse(read("sandbox/package.json").text));
/** Packages that a test installs by itself, with lock files of their own. */
const ownInstalls = ["test/linters", "test/mutants", "test/prism", "test/stores"];
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

const orgseat = ["provider", "sdk"].flatMap((folder) => filesIn(folder, /\.ts$/));
const sandboxFiles = filesIn("sandbox", /\.ts$/);
const shipped = [...orgseat, ...sandboxFiles];
const others = ["examples", "test", "bench"].flatMap((folder) => filesIn(folder, /\.ts$/));
const rootFiles = readdirSync(root)
  .filter((name) => name.endsWith(".ts"))
  .map(read);
const all = [...shipped, ...others, ...rootFiles];

describe("the house", () => {
  test("every import keeps to the table", () => {
    expect(violations(all)).toEqual([]);
  });

  test("no file imports itself by way of others", () => {
    expect(circles(shipped)).toEqual([]);
  });
  test("no path in the temporary folder can be guessed: another user of the machine could be there first", () => {
    const files = [...all, ...["sandbox", "sdk", "test"].flatMap((folder) => filesIn(folder, /\.[cm]?js$/))];
    const guessable = files.flatMap(({ path, text }) =>
      [...text.matchAll(/^.*\btmpdir\(\).*$/gm)]
        .filter(([line]) => !/join\(tmpdir\(\), "[\w-]+-"\)/.test(line))
        .map(([line]) => `${path}: ${line.trim()}`),
    );
    expect(guessable.filter((line) => !line.startsWith("test/house.test.ts"))).toEqual([]);
  });

  test.each([
    ["orgseat", orgseat, orgseatManifest],
    ["orgseat-sandbox", sandboxFiles, sandboxManifest],
  ])("the package %s depends on what it imports, and on nothing else", (_, sources, { dependencies }) => {
    const imported = new Set(
      sources
        .flatMap(importsOf)
        .flatMap(({ specifier }) => specifier ?? [])
        .filter((specifier) => !specifier.startsWith(".") && !isBuiltin(specifier))
        .map(packageOf)
        .filter((name) => !bundled.includes(name)),
    );
    expect([...imported].sort()).toEqual(Object.keys(dependencies).sort());
  });

  test("the package orgseat names no file of the sandbox, its launchers included", () => {
    const files = [...orgseat, ...["provider", "sdk"].flatMap((folder) => filesIn(folder, /\.[cm]?js$/))];
    expect(files.map(({ path }) => path)).toContain("sdk/bin/launch.js");
    expect(files.flatMap((file) => namesOfSandbox(file))).toEqual([]);
    const loader = {
      path: "sdk/bin/x.js",
      text: 'spawn(join(root, "sandbox", "cli.js")); // of the sandbox',
    };
    expect(namesOfSandbox(loader)).toEqual(['sdk/bin/x.js: "sandbox"']);
  });
});

describe("the documents", () => {
  test("docs/dependencies.md has one row for each package of a package.json and no other", () => {
    const rows = read("docs/dependencies.md").text.matchAll(/^\| `([^`]+)` \|/gm);
    expect([...rows].map(([, name]) => name).sort()).toEqual([...declaredPackages].sort());
  });

  test.each([".", ...ownInstalls])("the package-lock.json of %s names no registry", (folder) => {
    expect(read(join(folder, "package-lock.json")).text).not.toMatch(/"resolved": "\w+:/);
  });

  test("every decision that code names is in docs/contract.md, once", () => {
    const rows = [...read("docs/contract.md").text.matchAll(/^\| (D\d+) \|/gm)].map(([, id]) => id);
    expect(rows).toEqual([...new Set(rows)]);
    const unknown = all.flatMap(({ path, text }) =>
      [...text.matchAll(/\bD\d+\b/g)].filter(([id]) => !rows.includes(id)).map(([id]) => `${path}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  test("every file and folder that a document names is there", () => {
    // What a full run recorded names the files of its own commit.
    const written = filesIn("docs", /\.md$/).filter(({ path }) => path !== "docs/reliability.md");
    const documents = [...written, read("CONTRIBUTING.md")];
    const missing = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:provider|sdk|sandbox|test|docs)\/[\w./-]*)`/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("the checker itself", () => {
  test.each([
    ["a package", "provider/resources/seat.ts", 'import { Pool } from "undici";', "undici", "zod"],
    [
      "a type",
      "provider/api/x.ts",
      'import type { Output } from "@pulumi/pulumi";',
      "@pulumi/pulumi",
      "zod, undici",
    ],
    [
      "the client",
      "sandbox/service/x.ts",
      'export * from "../../provider/api/client.ts";',
      "client.ts",
      "calls.ts",
    ],
    ["a call of import", "sandbox/engine/x.ts", 'await import("../service/index.ts");', "service", "itself"],
    ["a call of require", "sdk/x.ts", 'const zod = require("zod");', "zod", "@pulumi/pulumi"],
    ["a type in place", "provider/x.ts", 'let x: import("hono").Context;', "hono", "grpc-js"],
    [
      "a value where types are allowed",
      "sdk/x.ts",
      'import "../provider/index.ts";',
      "provider",
      "import type",
    ],
    [
      "a type marked inside an import",
      "sdk/x.ts",
      'import { type A } from "../provider/index.ts";',
      "provider",
      "import type",
    ],
    ["another part of Pulumi", "sandbox/engine/x.ts", 'import "@pulumi/pulumi";', "@pulumi/pulumi", "proto"],
    [
      "a way out of an example",
      "examples/a/index.ts",
      'import "../b/index.ts";',
      "../b/index.ts",
      "stands alone",
    ],
    [
      "the contract table in the independent list",
      "test/interface/interface.ts",
      'import "../../provider/api/calls.ts";',
      "calls.ts",
      "itself",
    ],
    [
      "the client before the sandbox",
      "test/interface/sandbox.test.ts",
      'import "../../provider/api/client.ts";',
      "client.ts",
      "sandbox/service",
    ],
    ["a specifier that is computed", "sdk/x.ts", "await import(name);", "?", "constant text"],
  ])("reports %s: file, specifier and rule", (_, path, text, specifier, rule) => {
    const [line, ...more] = violations([{ path, text }]);
    expect(more).toEqual([]);
    expect(line).toContain(`${path} imports "`);
    expect(line).toContain(specifier);
    expect(line).toContain(rule);
  });

  test("reports a file without a place in the table", () => {
    expect(violations([{ path: "tools/x.ts", text: "" }])).toEqual([
      "tools/x.ts: no entry of the house holds it",
    ]);
  });

  test("leaves alone what is allowed, and imports that stand in a text", () => {
    const fine = [
      {
        path: "sdk/x.ts",
        text: 'import type { A } from "../provider/api/schemas.ts"; const t = `require("hono")`;',
      },
      {
        path: "provider/resources/x.ts",
        text: 'import { z } from "zod"; import "../api/schemas.ts"; import "node:util";',
      },
      {
        path: "examples/a/index.ts",
        text: 'import "orgseat"; import "@pulumi/pulumi/automation"; import "./b.ts";',
      },
      { path: "examples/a.ts", text: 'import "./b.ts";' },
    ];
    expect(violations(fine)).toEqual([]);
  });

  test("reports a circle with its way", () => {
    const sources = [
      { path: "sdk/a.ts", text: 'import "./b.ts";' },
      { path: "sdk/b.ts", text: 'export type * from "./c.ts";' },
      { path: "sdk/c.ts", text: 'import type { A } from "./a.ts";' },
    ];
    expect(circles(sources)).toEqual(["sdk/a.ts -> sdk/b.ts -> sdk/c.ts -> sdk/a.ts"]);
  });
});
