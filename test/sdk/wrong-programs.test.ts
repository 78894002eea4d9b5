// @module-tag ci
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const file = join(packageRoot, "test", "sdk", "wrong-programs.ts");
const MARK = "@ts-expect-error: ";

test("wrong programs: the compiler rejects each with the message that its comment names, and nothing else", () => {
  const marked = ts.sys.readFile(file) ?? "";
  const expected = marked
    .split("\n")
    .flatMap((line, index) =>
      line.includes(MARK) ? [{ line: index + 1, says: line.split(MARK)[1] ?? "" }] : [],
    );
  expect(expected.length).toBeGreaterThan(40);
  const found = errorsOf(marked.replaceAll(MARK, ""));
  expect(found.map(({ line }) => line)).toEqual(expected.map(({ line }) => line));
  for (const [index, { says }] of expected.entries()) expect(found[index]?.text).toContain(says);
});

/** The compiler's errors in the file, were this its text: lines from 0, in their order. */
function errorsOf(text: string): { line: number; text: string }[] {
  const config = ts.readConfigFile(join(packageRoot, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, packageRoot);
  const host = ts.createCompilerHost(options);
  const { readFile } = host;
  host.readFile = (name) => (name === file ? text : readFile(name));
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  const errors = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return errors.map(({ start = 0, messageText }) => ({
    line: source?.getLineAndCharacterOfPosition(start).line ?? -1,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}
