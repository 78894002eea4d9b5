/** Adds people with a seat and a token as a script would that keeps nothing but a file of tokens: three requests each, in parallel, again after HTTP 429. */
import { writeFileSync } from "node:fs";
import { interceptors, Pool } from "undici";
import { z } from "zod";

const CONCURRENCY = 16;
const { BENCH_PEOPLE: people = "0", BENCH_OUT: out = "", ...settings } = process.env;
const setting = (name: string): string => z.string(name).parse(settings[`ORGSEAT_${name}`]);

const api = new URL(`${setting("ORG_URL")}/`);
const pool = new Pool(api.origin, { connections: CONCURRENCY });
const requests = pool.compose(
  interceptors.retry({ methods: ["POST"], statusCodes: [429], errorCodes: [], maxRetries: 1000 }),
);

async function post(path: string, headers: Record<string, string>, body: string): Promise<unknown> {
  const answer = await requests.request({ method: "POST", path, headers, body });
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode}`);
  const text = await answer.body.text();
  return text === "" ? {} : JSON.parse(text);
}

const form = new URLSearchParams({
  grant_type: "client_credentials",
  client_id: setting("CLIENT_ID"),
  client_secret: setting("CLIENT_SECRET"),
});
const access = await post(
  new URL(setting("TOKEN_URL")).pathname,
  { "content-type": "application/x-www-form-urlencoded" },
  String(form),
);
const { access_token: bearer } = z.object({ access_token: z.string() }).parse(access);
const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
const users = `${api.pathname}organizations/${setting("ORGANIZATION_ID")}/users`;

async function add(email: string): Promise<[email: string, token: string]> {
  const { id } = z.object({ id: z.string() }).parse(await post(users, headers, JSON.stringify({ email })));
  await post(`${users}/${id}/seats`, headers, "{}");
  const issued = await post(
    `${users}/${id}/token`,
    headers,
    JSON.stringify({ expires_at: setting("SUBSCRIPTION_EXPIRES_AT") }),
  );
  return [email, z.object({ token: z.string() }).parse(issued).token];
}

const emails = Array.from({ length: Number(people) }, (_, index) => `person-${index}@acme.example`);
const tokens: Record<string, string> = {};
const next = emails.values();
await Promise.all(
  Array.from({ length: CONCURRENCY }, async () => {
    for (const email of next) {
      const [name, token] = await add(email);
      tokens[name] = token;
    }
  }),
);
writeFileSync(out, JSON.stringify(tokens), { mode: 0o600 });
await pool.close();
