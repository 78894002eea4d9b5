/** What a test needs of the machine besides the CLI. */
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { searchPath } from "../../provider/util/search-path.ts";
import type { TestEngine } from "./project.ts";

/** @param host of the language; it can be beside the CLI. The emulator runs no other languages. */
export function missingTools({ name, command }: TestEngine, host: string, ...tools: string[]): string[] {
  if (name === "emulator") return ["the CLI"];
  const path = searchPath(process.env);
  return [
    ...(isIn([dirname(command), ...path], host) ? [] : [host]),
    ...tools.filter((tool) => !isIn(path, tool)),
  ];
}

/** Whether a tool is on the PATH. */
export function hasTool(tool: string): boolean {
  return isIn(searchPath(process.env), tool);
}

function isIn(folders: readonly string[], tool: string): boolean {
  return folders.some((one) => isExecutable(join(one, tool)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
