/**
 * The public API of the package: the declarations of each entry, without comments, as one text file each in public-api/, and
 * a hash of what the newest release has of each name. `npm run docs` writes them.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const folder = join(packageRoot, "test", "package", "public-api");
const releasedFile = join(folder, "released.json");

/** Of an entry: for each name, its declarations. */
export interface EntryApi {
  readonly exported: ReadonlyMap<string, string>;
  /** What they refer to. */
  readonly used: ReadonlyMap<string, string>;
}

/** Of the newest release: a hash of each exported name, by entry. Without a version, nothing is released yet. */
const releasedSchema = z.object({
  version: z.string().nullable(),
  entries: z.record(z.string(), z.record(z.string(), z.string())),
});
export type Released = z.output<typeof releasedSchema>;

const manifestSchema = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ types: z.string() })])),
});

/** The declarations that the build has made, by entry. */
export function entryFiles(): ReadonlyMap<string, string> {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  const entries = Object.entries(manifestSchema.parse(manifest).exports).flatMap(([name, entry]) =>
    typeof entry === "string"
      ? []
      : [[join("orgseat", name), entry.types.replace(/^\.\/dist\//, ".orgseat/types/")] as const],
  );
  return new Map(entries.map(([name, types]) => [name, join(packageRoot, types)]));
}

/** @param file with the declarations of an entry */
export async function apiOf(file: string): Promise<EntryApi> {
  const bundle = await rollup({ input: file, plugins: [dts()], external: /^[^./]/, logLevel: "silent" });
  const { output } = await bundle.generate({ format: "es" });
  return declarationsIn(output[0].code);
}

/** @param code declarations with one list of exports at the end, as a bundler writes them */
export function declarationsIn(code: string): EntryApi {
  const source = ts.createSourceFile("entry.d.ts", code, ts.ScriptTarget.Latest, true);
  const printer = ts.createPrinter({ removeComments: true });
  const textOf = (node: ts.Node) => printer.printNode(ts.EmitHint.Unspecified, node, source);
  const exported = new Map<string, string>();
  const used = new Map<string, string>();
  for (const statement of source.statements.filter((one) => !ts.isImportDeclaration(one))) {
    if (ts.isExportDeclaration(statement)) {
      for (const [name, local] of exportsOf(statement)) exported.set(name, `{ ${local} as ${name} };`);
      continue;
    }
    const [ordered = statement] = ts.transform(statement, [inOrder(textOf)]).transformed;
    const text = textOf(ordered).replace(/^declare /, "");
    // A function has a declaration for each way to call it.
    for (const name of namesOf(statement)) used.set(name, [used.get(name) ?? [], text].flat().join("\n"));
  }
  for (const name of exported.keys()) {
    const text = used.get(name);
    if (exported.get(name) !== `{ ${name} as ${name} };` || text === undefined) continue;
    exported.set(name, text);
    used.delete(name);
  }
  return { exported: sorted(exported), used: sorted(used) };
}

/** With the parts of types in order: of a type that it infers, the compiler writes them in the order of other code. */
function inOrder(textOf: (node: ts.Node) => string): ts.TransformerFactory<ts.Statement> {
  const sortedNodes = <Part extends ts.Node>(nodes: readonly Part[]): Part[] =>
    nodes
      .map((node) => ({ node, text: textOf(node) }))
      .toSorted((one, other) => (one.text < other.text ? -1 : 1))
      .map(({ node }) => node);
  return (context) => {
    const { factory } = context;
    const visit = (node: ts.Node): ts.Node => {
      const visited = ts.visitEachChild(node, visit, context);
      if (ts.isUnionTypeNode(visited)) return factory.createUnionTypeNode(sortedNodes(visited.types));
      if (ts.isTypeLiteralNode(visited) && visited.members.every(ts.isPropertySignature))
        return factory.createTypeLiteralNode(sortedNodes(visited.members));
      return visited;
    };
    return (statement) => ts.visitEachChild(statement, visit, context);
  };
}

/** Each exported name with the one that it has inside. */
function exportsOf({ exportClause }: ts.ExportDeclaration): (readonly [string, string])[] {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map(({ name, propertyName }) => [name.text, (propertyName ?? name).text]);
}

function sorted(map: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...map].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement);
  if (isNamed && statement.name) return [statement.name.text];
  throw new Error(`no name in: ${statement.getText()}`);
}

/** The text of the file of an entry. */
export function snapshotOf({ exported, used }: EntryApi): string {
  const others = used.size === 0 ? [] : ["// What these refer to.", ...used.values()];
  return `${[...[...exported.values()].map((text) => `export ${text}`), ...others].join("\n\n")}\n`;
}

export function snapshotFile(entry: string): string {
  return join(folder, `${basename(entry)}.txt`);
}

/** A hash of each exported name: of its declarations, and of what else they refer to that is not exported. */
export function hashesOf({ exported, used }: EntryApi): Record<string, string> {
  const hashOf = (text: string): string => {
    const found = new Set([text]);
    for (const one of found)
      for (const [name] of one.matchAll(/[\w$]+/g)) {
        const referred = used.get(name);
        if (referred !== undefined) found.add(referred);
      }
    return createHash("sha256")
      .update([...found].join("\n"))
      .digest("hex")
      .slice(0, 12);
  };
  return Object.fromEntries([...exported].map(([name, text]) => [name, hashOf(text)]));
}

export function readReleased(): Released {
  if (!existsSync(releasedFile)) return { version: null, entries: {} };
  return releasedSchema.parse(JSON.parse(readFileSync(releasedFile, "utf8")));
}

export interface ChangelogSection {
  readonly version: string;
  readonly isReleased: boolean;
  readonly text: string;
}

/** The sections of the changelog, the newest first. */
export function changelogSections(changelog: string): ChangelogSection[] {
  return changelog
    .split(/^(?=## \[)/m)
    .slice(1)
    .map((text) => {
      const [, version = "", date = ""] = /^## \[(.+?)\] - (.+)$/m.exec(text) ?? [];
      return { version, isReleased: date !== "Unreleased", text };
    });
}

/** The names that are not as in the newest release, and that the section does not have in code: `orgseat: OrgMember`. */
export function unmentioned(released: Released, current: Released["entries"], section: string): string[] {
  if (released.version === null) return [];
  const code = [...section.matchAll(/`[^`]+`/g)].join(" ");
  const words = new Set(code.match(/[\w$]+/g));
  const entries = new Set([...Object.keys(released.entries), ...Object.keys(current)]);
  return [...entries].flatMap((entry) => {
    const [old = {}, now = {}] = [released.entries[entry], current[entry]];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names
      .filter((name) => old[name] !== now[name] && !words.has(name))
      .map((name) => `${entry}: ${name}`);
  });
}

/** Writes the files of all entries, and in the commit of a release its hashes. */
export async function writePublicApi(): Promise<void> {
  const entries: Released["entries"] = {};
  for (const [entry, file] of entryFiles()) {
    const api = await apiOf(file);
    writeFileSync(snapshotFile(entry), snapshotOf(api));
    entries[entry] = hashesOf(api);
  }
  const [newest] = changelogSections(readFileSync(join(packageRoot, "CHANGELOG.md"), "utf8"));
  if (!newest?.isReleased || newest.version === readReleased().version) return;
  const released: Released = { version: newest.version, entries };
  writeFileSync(releasedFile, `${JSON.stringify(released, undefined, 2)}\n`);
}
