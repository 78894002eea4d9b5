/** Pages, comments, and messages keep to the words of test/linters/prose.yml. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { runIn } from "../package/install.ts";
import { installedOnDemand } from "../setup/on-demand.ts";
import { repositoryFiles } from "../setup/repository.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const PAGES = ["*.md", "docs/**/*.md", "bench/*.md", "examples/**/*.md"];
const CODE = ["provider", "sdk", "command", "sandbox", "schema", "bench", "release", "examples"].map(
  (folder) => `${folder}/**/*.ts`,
);
const RULES = join(packageRoot, "test", "linters", "prose.yml");

const resultSchema = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(z.object({ line: z.number(), message: z.string() })),
  }),
);

/** What a person reads of a source file, each text in the line where it is: comments, and strings of several words. */
function proseOf(text: string): string {
  const lines = text.split("\n").map(() => "");
  const add = (position: number, prose: string): void => {
    const first = text.slice(0, position).split("\n").length - 1;
    for (const [index, line] of prose.split("\n").entries())
      lines[first + index] = `${lines[first + index]} ${line.replace(/^\s*(\/\*\*?|\*\/?|\/\/)/, "")}`;
  };
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan())
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia)
      add(scanner.getTokenStart(), scanner.getTokenText());
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && node.text.includes(" ")) add(node.getStart(source), node.text);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest);
  visit(source);
  return lines.join("\n");
}

/** @returns `<file>:<line> <message>` for each finding */
async function lint(folder: string): Promise<string[]> {
  const packages = await installedOnDemand("linters");
  const config = join(folder, ".textlintrc.json");
  writeFileSync(config, JSON.stringify({ rules: { prh: { rulePaths: [RULES] } } }));
  const command = [join(packages, "textlint", "bin", "textlint.js"), "--format", "json", "--config", config];
  const { stdout, stderr } = await runIn(dirname(packages), process.execPath, [...command, folder]);
  return resultSchema
    .parse(JSON.parse(stdout || stderr))
    .flatMap(({ filePath, messages }) =>
      messages.map(({ line, message }) => `${filePath.slice(folder.length + 1)}:${line} ${message}`),
    );
}

function textOf(name: string): string {
  return readFileSync(join(packageRoot, name), "utf8");
}

function write(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test("pages, comments, and messages have the words of this project", { tags: ["ci"] }, async () => {
  const folder = temporaryFolder();
  for (const name of repositoryFiles(...PAGES)) write(folder, name, textOf(name));
  for (const name of repositoryFiles(...CODE)) write(folder, `${name}.txt`, proseOf(textOf(name)));
  expect(await lint(folder)).toEqual([]);
});

test("a wrong word is found in its line, in a page and in a message", { tags: ["ci"] }, async () => {
  const folder = temporaryFolder();
  write(folder, "page.md", "# Title\n\nThe email, else the key.\n\n```sh\n# nobody reads this\n```\n");
  write(folder, "code.ts.txt", proseOf('/** Fine. */\nthrow new Error("nobody is there");\n'));
  expect(await lint(folder)).toEqual(["page.md:3 , else => , otherwise", "code.ts.txt:2 nobody => no one"]);
});
