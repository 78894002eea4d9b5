/** Loads the module that a roster names in `deliver`, so that it registers resources in the program of this process. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { RUN_AGAIN } from "../../../provider/util/text.ts";
import type { Deliver } from "../../roster/program/deliver.ts";

/** Packages of which the module, and the packages that it imports, get the copy of this process. */
const SHARED = /^(?:@pulumi\/pulumi|orgseat)(?:\/|$)/;

const own = createRequire(import.meta.url);

/** A second copy of Pulumi's library would know no engine. */
function shareCopies(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      if (!SHARED.test(specifier) || context.parentURL === import.meta.url) return next(specifier, context);
      if (context.conditions.includes("import"))
        return next(specifier, { ...context, parentURL: import.meta.url });
      // A `require` ignores another parent in the context.
      return { url: pathToFileURL(own.resolve(specifier)).href, shortCircuit: true };
    },
  });
}

/**
 * Loads it synchronously: then the program's context reaches the top level of the module.
 * @param file an absolute path @param hash its SHA-256 in the plan; default: any @throws Error that names the file
 */
export function loadDeliver(file: string, hash?: string): Deliver {
  if (hash !== undefined && hash !== hashOfModule(file))
    throw new CodedError(
      "file-changed",
      `${basename(file)} has changed since the command read it. ${RUN_AGAIN}`,
    );
  shareCopies();
  const deliver = functionIn(load(file));
  if (deliver !== undefined) return deliver;
  throw new CodedError(
    "invalid-program",
    `${basename(file)} exports no function. Write: export default (member) => { ... }, or export a function named deliver`,
  );
}

/** The SHA-256 of a module in hex, without what it imports. */
export function hashOfModule(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

function load(file: string): unknown {
  try {
    return own(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new CodedError("invalid-program", `cannot load ${basename(file)}: ${reason}`);
  }
}

function functionIn(loaded: unknown): Deliver | undefined {
  if (isDeliver(loaded)) return loaded;
  if (typeof loaded !== "object" || loaded === null) return undefined;
  const { default: made, deliver }: { default?: unknown; deliver?: unknown } = loaded;
  return [made, deliver].find(isDeliver) ?? (made === loaded ? undefined : functionIn(made));
}

function isDeliver(value: unknown): value is Deliver {
  return typeof value === "function";
}
