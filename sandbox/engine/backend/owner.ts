/** The process that holds a lock or writes a journal, and whether it still runs. */
import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { z } from "zod";

/** In the format of Pulumi's locks. The Pulumi CLI ignores `started`. */
export const ownerSchema = z.looseObject({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
  /** The start time of the process in the system's units, because the system reuses process ids. */
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

/** Whether the process has certainly ended. False for processes of other machines. */
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

/** Fields 3 and 22 of the process's entry in Linux; undefined on other systems. */
function inProcessTable(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    const entry = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command's name, which may contain any character.
    const fields = entry.slice(entry.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}

/** The process in messages. */
export function describeOwner({ username, hostname, pid, timestamp }: Owner): string {
  return `${username}@${hostname} (pid ${pid}) at ${timestamp}`;
}
