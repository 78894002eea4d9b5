import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Resource } from "@pulumi/pulumi";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import * as orgseat from "../../sdk/index.ts";
import { exampleNames, examplesFolder } from "./example.ts";

function sourcesOf(example: string): string[] {
  const folder = join(examplesFolder, example);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

test("every resource class of the package occurs in an example", () => {
  const classes = Object.entries(orgseat)
    .filter(([, value]) => typeof value === "function" && value.prototype instanceof Resource)
    .map(([name]) => name);
  expect(classes).toContain("UserToken");
  const programs = exampleNames()
    .flatMap(sourcesOf)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  expect(classes.filter((name) => !programs.includes(`new ${name}(`))).toEqual([]);
});

describe.each(exampleNames())("the example %s", (example) => {
  const folder = join(examplesFolder, example);

  // The compiler reads the libraries for one in seconds: one program is enough for each change.
  test("type-checks by its own tsconfig.json", { tags: example === "org-members" ? [] : ["ci"] }, () => {
    const { options, fileNames, errors } = configurationOf(folder);
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile;
    host.getSourceFile = (name, ...rest) => {
      const parsed = name.startsWith(examplesFolder) ? undefined : libraries.get(name);
      const source = parsed ?? read(name, ...rest);
      if (source) libraries.set(name, source);
      return source;
    };
    const program = ts.createProgram(fileNames, options, host);
    expect(fileNames.length).toBeGreaterThan(0);
    expect([...errors, ...ts.getPreEmitDiagnostics(program)].map(inWords)).toEqual([]);
  });
});

/** The declarations of libraries, parsed once for all examples: their compiler options are the same. */
const libraries = new Map<string, ts.SourceFile>();

function configurationOf(folder: string): ts.ParsedCommandLine {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, folder);
}

function inWords({ file, messageText }: ts.Diagnostic): string {
  return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
}
