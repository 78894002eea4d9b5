/** One lock file a running update, in Pulumi's format: the real CLI sees ours and we see its. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Backend, listFolder, type StackName, writeAtomically } from "./backend.ts";
import { messageOf, UserError } from "./errors.ts";

const lockSchema = z.looseObject({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
});

type Lock = z.infer<typeof lockSchema> & { file: string };

function readLocks(backend: Backend, name: StackName): Lock[] {
  const folder = backend.lockFolder(name);
  const files = listFolder(folder).filter((file) => file.endsWith(".json"));
  return files.flatMap((entry) => {
    const file = join(folder, entry);
    try {
      return [{ ...lockSchema.parse(JSON.parse(readFileSync(file, "utf8"))), file }];
    } catch {
      // It vanished in between, or someone is just writing it: the next look will tell.
      return [];
    }
  });
}

function isDead(lock: Lock): boolean {
  if (lock.hostname !== hostname()) return false;
  try {
    process.kill(lock.pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

function refuse(locks: Lock[]): never {
  const lines = locks.map(
    (lock) =>
      `\n  file://${lock.file}: created by ${lock.username}@${lock.hostname} (pid ${lock.pid}) at ${lock.timestamp}`,
  );
  throw new UserError(
    `the stack is currently locked by ${locks.length} lock(s). Either wait for the other process(es) to end or ` +
      `delete the lock file with \`pulumi cancel\`.${lines.join("")}`,
  );
}

/**
 * Takes the stack's lock and returns how to give it back. A lock whose process on this host has died is removed,
 * which the real CLI leaves to `pulumi cancel`; `warn` hears about it.
 */
export function lockStack(backend: Backend, name: StackName, warn: (text: string) => void): () => void {
  const alive = readLocks(backend, name).filter((lock) => {
    if (!isDead(lock)) return true;
    rmSync(lock.file, { force: true });
    warn(`took over the lock of process ${lock.pid}, which no longer runs: its update was interrupted`);
    return false;
  });
  if (alive.length > 0) refuse(alive);
  const file = join(backend.lockFolder(name), `${randomUUID()}.json`);
  const content = {
    pid: process.pid,
    username: userInfo().username,
    hostname: hostname(),
    timestamp: new Date().toISOString(),
  };
  writeAtomically(file, JSON.stringify(content));
  const others = readLocks(backend, name).filter((lock) => lock.file !== file);
  if (others.length > 0) {
    rmSync(file, { force: true });
    refuse(others);
  }
  return () => {
    try {
      rmSync(file, { force: true });
    } catch (error) {
      warn(
        `there was a problem deleting the lock at ${file}, manual clean up may be required: ${messageOf(error)}`,
      );
    }
  };
}

/** Deletes every lock of a stack. */
export function breakLocks(backend: Backend, name: StackName): void {
  rmSync(backend.lockFolder(name), { recursive: true, force: true });
}
