// @module-tag ci
/** The examples of the schema: every one in each language, and the languages that a tool is at hand for, checked with it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { modelArea } from "../setup/model-area.ts";
import { initialize, ProjectStack, projectEnvironment } from "../setup/project.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { hasTool, missingTools } from "../setup/tools.ts";
import { packageSchema } from "./package-schema.ts";

const schema = packageSchema.parse(
  JSON.parse(readFileSync(join(packageRoot, "provider/plugin/schema.json"), "utf8")),
);
const described = Object.entries({ ...schema.resources, ...schema.functions }).map(
  ([token, { description = "" }]) => [token.split(":").at(-1) ?? "", description] as const,
);

/** The programs of one language, by the resource or function that they show. */
function programsIn(language: string): ReadonlyMap<string, string> {
  return new Map(
    described.map(([name, description]) => {
      const [, text = ""] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(description) ?? [];
      return [name, text];
    }),
  );
}

/** A folder with the programs, each in a file of its own. */
function folderOf(programs: ReadonlyMap<string, string>, fileOf: (name: string) => string): string {
  const folder = temporaryFolder();
  for (const [name, text] of programs) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, fileOf(name)), text);
  }
  return folder;
}

describe("the examples of the schema", () => {
  test.each(["typescript", "python", "go", "csharp", "java", "yaml"])("show everything in %s", (language) => {
    const programs = programsIn(language);
    expect(programs.size).toBe(15);
    expect([...programs].flatMap(([name, text]) => (text === "" ? [name] : []))).toEqual([]);
  });

  test("resources in TypeScript: compile against the classes of the package, which have the same arguments", () => {
    const folder = folderOf(programsIn("typescript"), () => "index.ts");
    const options: ts.CompilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 },
      ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
      paths: {
        "@orgseat/plugin": [join(packageRoot, "sdk/index.ts")],
        "*": [join(packageRoot, "node_modules/*")],
      },
      allowImportingTsExtensions: true,
    };
    const files = Object.keys(schema.resources).map((token) =>
      join(folder, token.split(":").at(-1) ?? "", "index.ts"),
    );
    const found = ts.getPreEmitDiagnostics(ts.createProgram(files, options));
    const errors = found.filter(({ file }) => file?.fileName.startsWith(folder));
    expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  });

  test.skipIf(!hasTool("python3"))("programs in Python compile", () => {
    const folder = folderOf(programsIn("python"), () => "__main__.py");
    expect(execFileSync("python3", ["-m", "compileall", "-q", folder], { encoding: "utf8" })).toBe("");
  });

  test.skipIf(!hasTool("gofmt"))("programs in Go are in the form of gofmt", () => {
    const folder = folderOf(programsIn("go"), () => "main.go");
    const { stdout, stderr } = spawnSync("gofmt", ["-l", folder], { encoding: "utf8" });
    expect(`${stdout}${stderr}`).toBe("");
  });

  const missing = missingTools("pulumi-language-yaml");
  test.skipIf(missing.length > 0)("programs in YAML run, all in one", async () => {
    const organization = await sandbox(
      { seats: 5, serviceAccount: sandboxServiceAccount },
      temporaryFolder(),
      "anaconda",
    );
    const { modelId } = await modelArea(organization);
    await organization.service.management.models.vectorTables();
    const folder = temporaryFolder();
    const part = z.record(z.string(), z.unknown()).optional();
    const parts = [...programsIn("yaml").values()].map((text) =>
      z
        .object({ variables: part, resources: part, outputs: part })
        .parse(parse(text.replaceAll("3f0c2b9e-6a51-4d0e-9a53-0f1de2c5b7a1", modelId))),
    );
    const merged = (key: "variables" | "resources" | "outputs") =>
      Object.assign({}, ...parts.map((one) => one[key]));
    const program = {
      ...{ name: "examples", runtime: "yaml", packages: { orgseat: "./node_modules/orgseat/plugin" } },
      ...{ variables: merged("variables"), resources: merged("resources"), outputs: merged("outputs") },
    };
    expect(Object.keys(program.resources)).toHaveLength(11);
    writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify(program));
    const { seed, modelUrl } = organization.service;
    const { clientId, clientSecret } = sandboxServiceAccount;
    const environment = projectEnvironment(organization, folder, {
      ...{ ORGSEAT_USERNAME: seed.username, ORGSEAT_PASSWORD: seed.password },
      ...{ ORGSEAT_CLIENT_ID: clientId, ORGSEAT_CLIENT_SECRET: clientSecret },
      ...{ ORGSEAT_MODEL_URL: modelUrl, ORGSEAT_API_KEY: seed.apiKey },
    });
    const stack = new ProjectStack(organization, folder, environment);
    await initialize(stack);
    const preview = await stack.preview();
    expect(preview, preview.output).toMatchObject({ code: 0 });
  });
});
