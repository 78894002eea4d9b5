/** The folder of one run, in which the provider finds what is approved and reports what it did. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** The machine, because its process ids say nothing about those of another one that shares the folder. */
const machine = hostname().replace(/[^\w.-]/g, "_");

/**
 * Makes the folder, which only this user can read, and removes it after the work. Folders of runs that were killed go first.
 * @param rosterFolder where `.orgseat` is
 */
export async function withRunFolder<Result>(
  rosterFolder: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const runs = join(rosterFolder, ".orgseat", "runs");
  await mkdir(runs, { recursive: true, mode: 0o700 });
  const left = (await readdir(runs)).filter(isOfDeadProcess);
  await Promise.all(left.map((name) => rm(join(runs, name), { recursive: true, force: true })));
  const folder = await mkdtemp(join(runs, `${machine}-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isOfDeadProcess(name: string): boolean {
  const pid = name.startsWith(`${machine}-`) && /^(\d+)-\w+$/.exec(name.slice(machine.length + 1))?.[1];
  if (!pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    // A process of another user is alive too.
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
