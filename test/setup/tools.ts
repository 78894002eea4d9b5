/** What a test needs of the machine besides the CLI. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isExecutable } from "../../provider/util/pulumi-command.ts";
import { searchPath } from "../../provider/util/search-path.ts";
import { pulumiCommand } from "./project.ts";

/** @param host of the language; it can be beside the CLI */
export function missingTools(host: string, ...tools: string[]): string[] {
  const path = searchPath(process.env);
  return [
    ...(isIn([dirname(pulumiCommand), ...path], host) ? [] : [host]),
    ...tools.filter((tool) => !isIn(path, tool)),
  ];
}

/** Whether the CLI has more than the host that the sandbox puts beside a CLI that was built from source. */
export function hasVendorsNodeHost(): boolean {
  return (
    !existsSync(join(dirname(pulumiCommand), "host.mjs")) &&
    missingTools("pulumi-language-nodejs").length === 0
  );
}

/** Whether a tool is on the PATH. */
export function hasTool(tool: string): boolean {
  return isIn(searchPath(process.env), tool);
}

function isIn(folders: readonly string[], tool: string): boolean {
  return folders.some((one) => isExecutable(join(one, tool)));
}
