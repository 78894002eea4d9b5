/** The process that holds a lock or writes a journal, and whether it still runs. */
import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { z } from "zod";

/** In Pulumi's form of a lock; `started` is ours, and the real CLI passes over it. */
export const ownerSchema = z.looseObject({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
  /** When the process began, as the system counts: its number may be another's one day. */
  started: z.string().optional(),
});

export type Owner = z.infer<typeof ownerSchema>;

export function thisProcess(): Owner {
  const started = inProcessTable(process.pid)?.started;
  return {
    pid: process.pid,
    username: userInfo().username,
    hostname: hostname(),
    timestamp: new Date().toISOString(),
    ...(started !== undefined && { started }),
  };
}

/** Whether it surely runs no more. Of another machine's processes nobody here can tell. */
export function isDead(owner: Owner): boolean {
  if (owner.hostname !== hostname()) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
  const found = inProcessTable(owner.pid);
  if (!found) return false;
  return found.state === "Z" || (owner.started !== undefined && owner.started !== found.started);
}

/** What Linux tells of a process: fields 3 and 22 of its entry. Other systems tell nothing. */
function inProcessTable(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    const entry = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command's name, which may hold anything.
    const fields = entry.slice(entry.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}

/** Who it is, for people. */
export function describeOwner({ username, hostname, pid, timestamp }: Owner): string {
  return `${username}@${hostname} (pid ${pid}) at ${timestamp}`;
}
