/** Injects the faults of `fault-injection.ts` into a request. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Fault } from "./base/fault-injection.ts";

/** The result of a fault: a response to send, a connection that is handled, or one that stays open. */
type InjectedResult = Response | "done" | "open";

/** The request for the fault. */
interface FaultTarget {
  readonly socket: Socket;
  /** Runs the request and returns its response. */
  readonly effect: () => Promise<Response>;
  /** Ends every wait when the service closes. */
  readonly closing: AbortSignal;
}

export async function injectFault(fault: Fault, target: FaultTarget): Promise<InjectedResult> {
  switch (fault.kind) {
    case "refuse":
      return refused(fault);
    case "redirect":
      if (fault.phase === "after") await target.effect();
      return new Response(null, { status: fault.status, headers: { location: fault.location } });
    case "cut-before":
      return cut(target.socket);
    case "cut-after":
      await target.effect();
      return cut(target.socket);
    case "cut-middle":
      return cutMiddle(target.socket, await target.effect());
    case "hang":
      if (fault.phase === "after") await target.effect();
      return "open";
    case "delay":
      return slow(fault.ms, fault.phase, target);
    case "raw":
      if (fault.phase === "after") await target.effect();
      target.socket.end(rawBytes(fault));
      return "done";
  }
}

function refused({ status, body, headers }: Extract<Fault, { kind: "refuse" }>): Response {
  const sent = new Headers(headers);
  if (status === 204 || status === 205 || status === 304)
    return new Response(null, { status, headers: sent });
  if (typeof body === "string") return new Response(body, { status, headers: sent });
  if (!sent.has("content-type")) sent.set("content-type", "application/json");
  const json = body ?? { error: { code: "INJECTED_FAULT", message: "refused by a rule of the sandbox" } };
  return new Response(JSON.stringify(json), { status, headers: sent });
}

function cut(socket: Socket): "done" {
  socket.destroy();
  return "done";
}

async function cutMiddle(socket: Socket, answer: Response): Promise<"done"> {
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = [...answer.headers, ["content-length", String(body.length)] as const];
  const head = headOf(answer.status, headers);
  // Ended, not destroyed, so that the written bytes arrive before the connection closes.
  if (body.length > 1) socket.end(Buffer.concat([head, body.subarray(0, Math.floor(body.length / 2))]));
  else socket.end(head.subarray(0, Math.floor(head.length / 2)));
  return "done";
}

async function slow(ms: number, phase: "before" | "after", target: FaultTarget): Promise<InjectedResult> {
  const answer = phase === "after" ? await target.effect() : undefined;
  try {
    await wait(ms, undefined, { signal: target.closing });
  } catch {
    return "done";
  }
  return answer ?? target.effect();
}

function rawBytes(fault: Extract<Fault, { kind: "raw" }>): Buffer {
  const hasConnection = fault.headers.some(([name]) => name.toLowerCase() === "connection");
  const headers = hasConnection ? fault.headers : [...fault.headers, ["Connection", "close"] as const];
  return Buffer.concat([headOf(fault.status, headers), Buffer.from(fault.body, fault.encoding)]);
}

function headOf(status: number, headers: Iterable<readonly [string, string]>): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}`];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
