/** Several copies of this package in one program, such as those of the packages of a workspace, and the one of the provider. */
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { programError } from "./program-error.ts";

/**
 * What all copies of this package in a process share.
 * @param name a new one if a release changes what the value is
 */
export function ofAllCopies<Value>(
  name: string,
  isValue: (found: unknown) => found is Value,
  make: () => Value,
): Value {
  const key = Symbol.for(`orgseat.${name}`);
  const found: unknown = Reflect.get(globalThis, key);
  if (isValue(found)) return found;
  const made = make();
  Reflect.set(globalThis, key, made);
  return made;
}

/** Before the program can change it. */
const folder = process.cwd();
let isFound = false;

/**
 * Requires that the process of dynamic providers finds this package. It looks from the folder of the program, whichever copies
 * the program has loaded.
 */
export function requireProvider(): void {
  // Pulumi sets the variable for programs that the CLI starts. Mocks need no provider, and an inline program doesn't know its folder.
  if (isFound || process.env.PULUMI_NODEJS_MONITOR === undefined) return;
  try {
    createRequire(join(folder, "program.js")).resolve("orgseat/provider");
  } catch (cause) {
    throw programError(
      "invalid-program",
      `Pulumi cannot load orgseat/provider from the folder of the program, ${folder}. Add orgseat to the dependencies of the program itself, as in the packages that it imports, and install`,
      { cause },
    );
  }
  isFound = true;
}
