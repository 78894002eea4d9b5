/**
 * What a provider process learns of the end of Pulumi's engine: it has credentials in its environment, and ends after
 * `kill -9` of the engine. Without packages: sdk/entry/lazy-closures.cjs loads it before them.
 */
import { subscribe } from "node:diagnostics_channel";
import { connect } from "node:net";
import { propertyOf } from "../util/json.ts";

const CHECK_MS = 500;
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `cancel` when the engine cancels the run, as after Ctrl-C. Signals do not show it: the engine starts its providers in
 * process groups of their own. It calls them instead, and Pulumi's process of dynamic providers answers that call without
 * them, so this listens where Node.js announces each call.
 */
export function onEngineCancel(cancel: () => void): void {
  subscribe("http2.server.stream.start", (message) => {
    if (propertyOf(propertyOf(message, "headers"), ":path") === CANCEL) cancel();
  });
}

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
