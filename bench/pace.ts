/** How quickly a service answers: at once, after 150 ms, or 20 requests a second and no more. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunningService } from "../sandbox/service/index.ts";

export const paces = ["at once", "150 ms a call", "20 requests a second"] as const;
export type Pace = (typeof paces)[number];

/** The delay of each answer; the service works on any number of requests at the same time. */
export const DELAY_MS: Readonly<Record<Pace, number>> = {
  "at once": 0,
  "150 ms a call": 150,
  "20 requests a second": 0,
};
const PER_SECOND = 20;

/** Has the service answer at this pace during the work, which gets the service with its addresses. */
export async function atPace<T>(
  pace: Pace,
  service: RunningService,
  work: (service: RunningService) => Promise<T>,
): Promise<T> {
  if (pace === "20 requests a second") return behindLimit(service, work);
  const fault = { kind: "delay", ms: DELAY_MS[pace] } as const;
  if (fault.ms > 0) await service.management.addFaults({ times: "always", fault });
  return work(service);
}

/** A proxy answers what is too much with HTTP 429 and the seconds to wait, as gateways in front of a service do. */
async function behindLimit<T>(
  service: RunningService,
  work: (service: RunningService) => Promise<T>,
): Promise<T> {
  let second = 0;
  let admitted = 0;
  const server = createServer((asked, answer) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) [second, admitted] = [now, 0];
    if (admitted >= PER_SECOND) {
      asked.resume();
      answer.writeHead(429, { "retry-after": "1", "content-type": "application/json" });
      answer.end('{"detail":"too many requests"}');
      return;
    }
    admitted += 1;
    const { method, headers } = asked;
    const target = new URL(asked.url ?? "/", service.orgUrl);
    const forwarded = request(target, { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    forwarded.once("error", () => answer.destroy());
    asked.pipe(forwarded);
  });
  const origin = await listening(server);
  const through = (url: string): string => origin + new URL(url).pathname;
  const { orgUrl, tokenUrl } = service;
  try {
    return await work({ ...service, orgUrl: through(orgUrl), tokenUrl: through(tokenUrl) });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port }: Partial<AddressInfo> = Object(server.address());
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}
