/** What a test needs of the machine besides the CLI. */
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { searchPath } from "../../provider/util/search-path.ts";
import type { TestEngine } from "./project.ts";

/** @param host of the language; it can be beside the CLI. The stand-in runs no other languages. */
export function missingTools({ name, command }: TestEngine, host: string, ...tools: string[]): string[] {
  if (name === "stand-in") return ["the CLI"];
  const path = searchPath(process.env);
  const isIn = (folders: readonly string[], tool: string) =>
    folders.some((one) => isExecutable(join(one, tool)));
  return [
    ...(isIn([dirname(command), ...path], host) ? [] : [host]),
    ...tools.filter((tool) => !isIn(path, tool)),
  ];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
