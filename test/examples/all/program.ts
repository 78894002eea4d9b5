/** What the programs `all-yaml` and `all-python` declare, in one form; and a Node program that registers the same. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";
import { examplesFolder } from "../example.ts";

/** Texts of the form `${user.id}` refer to a variable or a resource by its key. */
export type Program = z.infer<typeof programSchema>;

const valuesSchema = z.record(z.string(), z.unknown());
const programSchema = z.object({
  variables: z.record(
    z.string(),
    z.object({ function: z.string(), arguments: valuesSchema, return: z.string().nullable() }),
  ),
  resources: z.record(z.string(), z.object({ type: z.string(), name: z.string(), properties: valuesSchema })),
  outputs: z.record(z.string(), z.string()),
});

const invokeSchema = z.strictObject({
  function: z.string(),
  arguments: valuesSchema.default({}),
  return: z.string().optional(),
});
const yamlSchema = z.object({
  variables: z.record(z.string(), z.strictObject({ "fn::invoke": invokeSchema })),
  resources: z.record(
    z.string(),
    z.strictObject({
      type: z.string(),
      name: z.string().optional(),
      properties: valuesSchema.default({}),
    }),
  ),
  outputs: z.record(z.string(), z.string()),
});

export function yamlProgram(): Program {
  const text = readFileSync(join(examplesFolder, "all-yaml", "Pulumi.yaml"), "utf8");
  const { variables, resources, outputs } = yamlSchema.parse(parse(text));
  return {
    variables: mapped(variables, ({ "fn::invoke": invoke }) => ({
      ...invoke,
      return: invoke.return ?? null,
    })),
    resources: mapped(resources, ({ name, ...resource }, key) => ({ ...resource, name: name ?? key })),
    outputs,
  };
}

/** Runs Python, but not the program. */
export function pythonProgram(): Program {
  const script = fileURLToPath(new URL("declared.py", import.meta.url));
  const program = join(examplesFolder, "all-python", "__main__.py");
  return programSchema.parse(JSON.parse(execFileSync("python3", [script, program], { encoding: "utf8" })));
}

function mapped<One, Other>(
  record: Readonly<Record<string, One>>,
  change: (one: One, key: string) => Other,
): Record<string, Other> {
  return Object.fromEntries(Object.entries(record).map(([key, one]) => [key, change(one, key)]));
}

/** Registers the resources by their types in the plugin's schema, as the hosts of other languages do. */
export function nodeProgram(program: Program): string {
  return `import * as pulumi from "@pulumi/pulumi";
const program = ${JSON.stringify(program, null, 2)};
const known = {};
const referred = JSON.stringify(program).matchAll(/\\$\\{(\\w+)\\.(\\w+)/g);
const outputsOf = Map.groupBy(referred, ([, key]) => key);

function valueOf(value) {
  if (Array.isArray(value)) return value.map(valueOf);
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, valueOf(one)]));
  const [, path] = /^\\$\\{(.+)\\}$/.exec(value) ?? [];
  return path === undefined ? value : referredBy(path);
}

function referredBy(path) {
  const [key, ...names] = path.split(/[.[\\]]+/).filter((name) => name !== "");
  const one = known[key];
  if (!pulumi.Resource.isInstance(one)) return names.reduce((value, name) => value[name], one);
  const [first, ...rest] = names;
  return rest.reduce((value, name) => value.apply((whole) => whole?.[name]), pulumi.output(one[first]));
}

for (const [key, { function: name, arguments: given, return: result }] of Object.entries(program.variables)) {
  const found = await pulumi.runtime.invoke(name.replace(":", ":index:"), valueOf(given));
  known[key] = result === null ? found : found[result];
}
for (const [key, { type, name, properties }] of Object.entries(program.resources)) {
  const expected = Object.fromEntries((outputsOf.get(key) ?? []).filter(([, , output]) => output !== "id").map(([, , output]) => [output, undefined]));
  const inputs = { ...expected, ...valueOf(properties) };
  const token = type.replace(":", ":index:");
  known[key] = token.endsWith(":OrgMember")
    ? new pulumi.ComponentResource(token, name, inputs, {}, true)
    : new pulumi.CustomResource(token, name, inputs);
}
export const outputs = valueOf(program.outputs);
`;
}
