/** A service of a test's own: random ports, its own data folder, gone with the test. */
import { createHash } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Credentials, OrganizationApi, TimeLimit } from "../../provider/api/index.ts";
import {
  type LoggedRequest,
  type OrganizationSeed,
  type PlatformName,
  type RunningService,
  type ServiceOptions,
  startService,
} from "../../sandbox/service/index.ts";
import { hangMs } from "./limits.ts";
import { temporaryFolder } from "./temporary.ts";
import { vectorTemplates } from "./vector-templates.ts";

export { temporaryFolder };

export interface Sandbox {
  readonly service: RunningService;
  readonly organizationId: string;
  /** The calls since the last time this was asked, in order: numbers, and `token`. */
  calls(): Promise<(number | "token" | null)[]>;
  /** The same, whole. */
  requests(): Promise<LoggedRequest[]>;
}

/**
 * @param dataFolder may hold the data of an earlier service; the seed is then ignored
 * @param platform the calls of the service; default: `basic`
 */
export async function sandbox(
  seed: Partial<OrganizationSeed> = {},
  dataFolder = temporaryFolder(),
  platform?: PlatformName,
  more: Pick<ServiceOptions, "newId"> = {},
): Promise<Sandbox> {
  const service = await startService({ dataFolder, seed, vectorTemplates, platform, ...more });
  onTestFinished(() => service.close());
  return sandboxOf(service);
}

/** A service that someone else closes. */
export function sandboxOf(service: RunningService): Sandbox {
  let seen = 0;
  const requests = async (): Promise<LoggedRequest[]> => {
    const found = await service.management.requests(seen);
    seen = found.at(-1)?.number ?? seen;
    return found;
  };
  return {
    service,
    organizationId: service.seed.organizationId,
    requests,
    calls: async () => (await requests()).map(({ call }) => call),
  };
}

/** Calls of the organization area, past every state. */
export async function callService<T>(
  { service }: Sandbox,
  credentials: Credentials,
  work: (api: OrganizationApi, operation: TimeLimit) => Promise<T>,
): Promise<T> {
  const { createClient, platforms } = await import("../../provider/api/index.ts");
  const client = createClient({ ...service, platform: platforms[service.platform] });
  try {
    const api = client.organization(service.seed.organizationId, credentials);
    return await work(api, { deadline: performance.now() + hangMs });
  } finally {
    await client.close();
  }
}

/** A service account made over the wire, for what needs one to begin with. */
export function makeServiceAccount(sandbox: Sandbox): Promise<{ clientId: string; clientSecret: string }> {
  const { username, password } = sandbox.service.seed;
  return callService(sandbox, { user: { username, password } }, async (api, operation) => {
    const account = await api.createServiceAccount("tests", operation);
    return { clientId: account.client_id, clientSecret: account.client_secret };
  });
}

/** The same users and tokens have the same ids in each run of a seed. */
export function repeatableIds(seed: number): (owner: string) => string {
  const made = new Map<string, number>();
  return (owner) => {
    const count = (made.get(owner) ?? 0) + 1;
    made.set(owner, count);
    const hex = createHash("sha256").update(`${seed} ${owner} ${count}`).digest("hex");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
  };
}
