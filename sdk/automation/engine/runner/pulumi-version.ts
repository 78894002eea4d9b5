/**
 * The Pulumi CLI of a run. Reading its version takes a process, so orgseat keeps the version until the file changes.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { z } from "zod";
import { PULUMI } from "../../../../provider/util/pulumi-command.ts";
import { searchPath } from "../../../../provider/util/search-path.ts";
import { cacheFolder } from "../folders.ts";

const knownSchema = z.object({ cli: z.string(), version: z.string() });

/** @throws Error if there is no Pulumi CLI, or one that this package's Pulumi library cannot work with */
export async function pulumiCommand(environment: NodeJS.ProcessEnv): Promise<PulumiCommand> {
  const file = join(cacheFolder(environment), "pulumi-version.json");
  const cli = identify(environment);
  const known = read(file);
  if (known !== undefined && known.cli === cli) return commandOf(known.version);
  const command = await PulumiCommand.get();
  if (cli !== undefined && command.version !== null) write(file, { cli, version: String(command.version) });
  return command;
}

/** The file that will be run, and when it was written; another Pulumi library may not work with it. */
function identify(environment: NodeJS.ProcessEnv): string | undefined {
  for (const folder of searchPath(environment)) {
    const file = join(folder, PULUMI);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile()) return [file, found.mtimeMs, found.size].join(" ");
  }
  return undefined;
}

/** Its constructor is private. */
function commandOf(version: string): PulumiCommand {
  return Object.create(PulumiCommand.prototype, {
    command: { value: "pulumi" },
    version: { value: version },
  });
}

function read(file: string): z.output<typeof knownSchema> | undefined {
  try {
    return knownSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Without it the next run asks again. */
function write(file: string, known: z.output<typeof knownSchema>): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const own = `${file}.${process.pid}`;
    writeFileSync(own, JSON.stringify(known));
    renameSync(own, file);
  } catch {}
}
