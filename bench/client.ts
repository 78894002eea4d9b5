/** The throughput of the client, relative to undici with the same requests and the same concurrency. */
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { createClient, platforms } from "../provider/api/index.ts";
import { alternate, type Figure, timed } from "./measure.ts";

const CALLS = 8_000;
const CONCURRENCY = 16;
const AIM = 0.9;
const TOKEN = JSON.stringify({ token: "t".repeat(40), expires_at: "2030-06-30T23:59:59Z" });
const ACCESS = JSON.stringify({ access_token: "a".repeat(40), expires_in: 900 });
const BODY = JSON.stringify({ expires_at: "2030-06-30T23:59:59Z" });

export async function measureClient(): Promise<Figure[]> {
  const server = fork(fileURLToPath(import.meta.url), ["serve"]);
  const port = await new Promise<number>((resolve) =>
    server.once("message", (message) => resolve(Number(message))),
  );
  const origin = `http://127.0.0.1:${port}`;
  const settings = { orgUrl: origin, tokenUrl: `${origin}/token`, platform: platforms.basic };
  const client = createClient({ ...settings, concurrency: CONCURRENCY });
  const organization = client.organization("o", {
    serviceAccount: { clientId: "c", clientSecret: "secret" },
  });
  const pool = new Pool(origin, { connections: CONCURRENCY });
  const headers = { authorization: `Bearer ${"a".repeat(40)}`, accept: "application/json" };
  const operation = () => ({ deadline: performance.now() + 60_000 });
  const post = async () => {
    const withBody = { ...headers, "content-type": "application/json" };
    const path = "/organizations/o/users/u/token";
    const answer = await pool.request({ method: "POST", path, headers: withBody, body: BODY });
    await answer.body.json();
  };
  const remove = async () => {
    const path = "/organizations/o/users/u/seats";
    await (await pool.request({ method: "DELETE", path, headers })).body.dump();
  };
  try {
    return [
      await compare(
        "POST (issue token)",
        () => organization.issueToken("u", "2030-06-30T23:59:59Z", operation()),
        post,
      ),
      await compare("DELETE (remove seat)", () => organization.removeSeat("u", operation()), remove),
    ];
  } finally {
    await Promise.all([client.close(), pool.close()]);
    server.kill();
  }
}

async function compare(
  what: string,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Promise<Figure> {
  const all = (one: () => Promise<unknown>) => timed(() => inParallel(one));
  await all(ours);
  await all(theirs);
  // The time of undici divided by that of the client: the share of its speed that remains.
  const {
    ratio,
    ours: bare,
    theirs: client,
    rounds,
  } = await alternate(
    7,
    () => all(theirs),
    () => all(ours),
  );
  return {
    what: `client calls a second over bare undici, ${what}`,
    aim: `at least ${AIM}`,
    measured: ratio.toFixed(2),
    met: ratio >= AIM,
    detail: `${rate(client)} over ${rate(bare)} calls a second, ${CONCURRENCY} at once, median of ${rounds}`,
  };
}

async function inParallel(one: () => Promise<unknown>): Promise<void> {
  let left = CALLS;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

function rate(ms: number): string {
  return Math.round((CALLS / ms) * 1000).toLocaleString("en");
}

/** The server, in its own process: sends minimal responses of the contract. */
function serve(): void {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "DELETE") return response.writeHead(204).end();
    const body = request.url === "/token" ? ACCESS : TOKEN;
    return response
      .writeHead(200, { "content-type": "application/json", "content-length": body.length })
      .end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address !== "string") process.send?.(address.port);
  });
}

if (process.argv[2] === "serve") serve();
