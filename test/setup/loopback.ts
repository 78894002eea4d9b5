import type { Server } from "node:http";
import { onTestFinished } from "vitest";

/** Starts a server on a free port of the loopback address. It ends with the test. @returns its address */
export async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${bound.port}`;
}
