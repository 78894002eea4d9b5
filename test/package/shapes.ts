/** The shapes of project that the package is used from. */
import type { Compiler } from "./install.ts";

export interface Shape {
  readonly name: string;
  readonly compiler: Compiler;
  readonly files: Readonly<Record<string, string>>;
}

const resources = `const bot = new orgseat.ServiceAccount("bot", { name: "build-bot" });
const ada = new orgseat.OrgMember("ada", { email: "ada@acme.example", seat: true, token: {}, credentials: bot });
`;

/** What must not compile, as long as the types are there. */
export const wrongLine = `new orgseat.ServiceAccount("wrong", { name: 1 });\n`;

/** What Pulumi's own template for TypeScript writes. */
const templateConfig = {
  compilerOptions: {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
    sourceMap: true,
    experimentalDecorators: true,
    pretty: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
  },
  files: ["index.ts"],
};

export const esm: Shape = {
  name: "an ESM project whose types Node strips",
  compiler: "typescript",
  files: {
    "Pulumi.yaml": `name: esm
main: index.ts
runtime:
  name: nodejs
  options:
    typescript: false
`,
    "package.json": JSON.stringify({ name: "esm", type: "module", private: true }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { module: "nodenext", target: "es2023", types: ["node"], strict: true },
      files: ["index.ts"],
    }),
    "index.ts": `import * as orgseat from "orgseat";
import type { Output } from "@pulumi/pulumi";
${resources}export const userId: Output<string> = ada.userId;
`,
  },
};

export const template: Shape = {
  name: "the project of Pulumi's TypeScript template",
  compiler: "typescript-5",
  files: {
    "Pulumi.yaml": "name: template\nruntime: nodejs\n",
    "package.json": JSON.stringify({ name: "template", main: "index.ts" }),
    "tsconfig.json": JSON.stringify(templateConfig),
    "index.ts": `import * as pulumi from "@pulumi/pulumi";
import * as orgseat from "orgseat";
${resources}export const userId: pulumi.Output<string> = ada.userId;
`,
  },
};

export const javascript: Shape = {
  name: "a JavaScript project without TypeScript",
  compiler: "none",
  files: {
    "Pulumi.yaml": "name: plain\nruntime: nodejs\n",
    "package.json": JSON.stringify({ name: "plain", main: "index.js" }),
    "index.js": `"use strict";
const orgseat = require("orgseat");
${resources}exports.userId = ada.userId;
`,
  },
};

export const shapes = [esm, template, javascript];
