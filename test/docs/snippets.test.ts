/** The programs in the documentation compile against the package. */
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import * as orgseat from "../../sdk/index.ts";
import { allPages, codeBlocks } from "./pages.ts";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
};

test("each TypeScript block of the pages compiles", () => {
  const blocks = allPages()
    .flatMap(codeBlocks)
    .filter(({ language }) => language === "ts");
  expect(blocks.length).toBeGreaterThan(8);
  const files = new Map(blocks.map((block, index) => [virtualFile(block.page, index), program(block.text)]));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version);
  };
  const errors = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
  expect(
    errors.map(({ file, messageText }) => {
      return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    }),
  ).toEqual([]);
});

test("each block that chooses a folder as backend creates it, because Pulumi does not", () => {
  const blocks = allPages()
    .flatMap(codeBlocks)
    .filter(({ text }) => text.includes("=file://$PWD/"));
  expect(blocks.length).toBeGreaterThan(2);
  const lacking = blocks.filter(({ text }) => {
    const [, folder = ""] = /=file:\/\/\$PWD\/(\S+)/.exec(text) ?? [];
    return !new RegExp(`^ *mkdir -p (?:[\\w./-]+/)?${folder.replaceAll(".", "\\.")}(?: |$)`, "m").test(text);
  });
  expect(lacking.map(({ page }) => page)).toEqual([]);
});

function virtualFile(page: string, index: number): string {
  return join(packageRoot, `${page.replaceAll("/", "-")}-${index}.ts`);
}

/** A block without an import uses the package's names. */
function program(text: string): string {
  if (/^import /m.test(text)) return text;
  return `import { ${Object.keys(orgseat).join(", ")} } from "orgseat";\n${text}`;
}
