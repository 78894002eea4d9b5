/**
 * Ends a provider process, which has credentials in its environment, after `kill -9` of Pulumi's engine. Without packages:
 * sdk/entry/lazy-closures.cjs loads it before them.
 */
import { connect } from "node:net";

const CHECK_MS = 2_000;

/**
 * Calls `end` once, when nothing listens at the address any longer. The parent process does not show it: a shell or a
 * language host, which outlive a killed engine, is between the engine and its providers.
 */
export function onEngineEnd(address: string, end: () => void, checkMs = CHECK_MS): void {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  if (host === undefined) return;
  const check = (): void => {
    const socket = connect({ host, port: Number(port) });
    socket.unref();
    socket.once("connect", () => socket.destroy());
    // Other errors, such as too many open files, do not mean that the engine has ended.
    socket.once("error", (error) => {
      if (!("code" in error) || error.code !== "ECONNREFUSED") return;
      clearInterval(timer);
      end();
    });
  };
  const timer = setInterval(check, checkMs).unref();
  check();
}
