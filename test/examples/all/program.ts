/** What the programs `all-yaml` and `all-python` declare, in one form. */
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
