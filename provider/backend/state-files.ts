/** The files of a stack in a backend that is a folder. Nothing is written. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../util/json.ts";
import { homeFolder } from "../util/search-path.ts";
import type { StateFile, StatePlace } from "./state-faults.ts";

interface Stack {
  /** The address of the backend, as in PULUMI_BACKEND_URL. */
  readonly backend: string;
  readonly project: string;
  /** The short name. */
  readonly stack: string;
}

const whoamiSchema = z.object({ url: z.string().optional() });

/** The address of the backend that `pulumi whoami --json` prints; empty if it prints none. */
export function backendIn(whoami = ""): string {
  return whoamiSchema.safeParse(parseJson(whoami)).data?.url ?? "";
}

/** Where the state of a stack is. Without files if the backend is not a folder, or if there are none. */
export function statePlace({ backend, project, stack }: Stack): StatePlace {
  const [, path] = /^file:\/\/([^?]+)/.exec(backend) ?? [];
  if (path === undefined) return { stack, backend, files: [] };
  const stacks = join(
    path.replace(/^~(?=\/|$)/, () => homeFolder()),
    ".pulumi",
    "stacks",
  );
  // Older versions of Pulumi have no folder of the project.
  const [own] = [join(stacks, project), stacks].filter((folder) =>
    [".json", ".json.gz"].some((end) => existsSync(join(folder, stack + end))),
  );
  if (own === undefined) return { stack, backend, files: [] };
  const names = [".json", ".json.gz"].flatMap((end) =>
    ["", ".attrs", ".bak", ".bak.attrs"].map((suffix) => join(own, stack + end + suffix)),
  );
  return { stack, backend, files: names.flatMap(fileOf) };
}

function fileOf(file: string): StateFile[] {
  if (!existsSync(file)) return [];
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // Pulumi says why it cannot be read.
    return [];
  }
  if (text.trim() === "") return [{ file, content: "empty" }];
  const isJson = /\.gz(\.bak)?$/.test(file) || parseJson(text) !== undefined;
  return [{ file, content: isJson ? "whole" : "broken" }];
}
