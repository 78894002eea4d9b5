/** A program as data, and what makes its resources: in its own process, or in one that hosts inline programs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceType } from "../../provider/resources/resource-types.ts";

/** One resource of a program. A text `$name.property` in `args` is that output of another resource. */
export interface Declared {
  readonly type: ResourceType;
  readonly name: string;
  readonly args?: Record<string, unknown>;
  readonly options?: Record<string, unknown>;
}

export interface DeclaredProgram {
  readonly resources: readonly Declared[];
  readonly exports: Readonly<Record<string, string>>;
}

/** The file of a project's folder that lists its program. */
export const programFile = "program.json";

type ResourceClass = new (name: string, args: never, options: never) => object;

/**
 * Makes the resources that the file lists.
 * @param classes those of the package, as the program has imported them
 * @returns the outputs of the stack
 */
export function makeDeclared(
  classes: Readonly<Record<Declared["type"], ResourceClass>>,
  folder: string,
): Record<string, unknown> {
  const { resources, exports }: DeclaredProgram = JSON.parse(readFileSync(join(folder, programFile), "utf8"));
  const made = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value === "object" && value !== null) return resolveAll(value);
    if (typeof value !== "string" || !value.startsWith("$")) return value;
    const [name = "", ...path] = value.slice(1).split(".");
    return path.reduce((at: unknown, key) => Reflect.get(Object(at), key), made.get(name));
  };
  const resolveAll = (values: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, resolve(value)]));
  for (const { type, name, args = {}, options = {} } of resources) {
    made.set(name, Reflect.construct(classes[type], [name, resolveAll(args), resolveAll(options)]));
  }
  return resolveAll(exports);
}
