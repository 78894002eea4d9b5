/** A proxy in front of a service that counts what passes, and a server that must get nothing at all. */
import { createServer, request, type Server } from "node:http";
import { onTestFinished } from "vitest";

export interface Proxy {
  readonly address: string;
  /** Method and path of every request so far, the query left out. */
  readonly passed: readonly string[];
}

/** @param target where requests go on to; undefined: every request is counted and answered 500 */
export async function countingProxy(target?: string): Promise<Proxy> {
  const passed: string[] = [];
  const server = createServer((incoming, outgoing) => {
    passed.push(`${incoming.method} ${incoming.url?.split("?")[0]}`);
    if (target === undefined) {
      outgoing.writeHead(500).end();
      return;
    }
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url ?? "/", target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return { address: await listening(server), passed };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return `http://127.0.0.1:${address.port}`;
}
