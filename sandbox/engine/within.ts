import { setTimeout as wait } from "node:timers/promises";

/** The value of the promise, or undefined after that time. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const settled = new AbortController();
  try {
    return await Promise.race([promise, wait(ms, undefined, { signal: settled.signal })]);
  } finally {
    settled.abort();
  }
}
