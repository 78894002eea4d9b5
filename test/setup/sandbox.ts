/** A service of a test's own: random ports, its own data folder, gone with the test. */
import { onTestFinished } from "vitest";
import {
  type LoggedRequest,
  type OrganizationSeed,
  type PlatformName,
  type RunningService,
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
): Promise<Sandbox> {
  const service = await startService({ dataFolder, seed, vectorTemplates, platform });
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

/** A service account made over the wire, for what needs one to begin with. */
export async function makeServiceAccount({
  service,
}: Sandbox): Promise<{ clientId: string; clientSecret: string }> {
  const { createClient, platforms } = await import("../../provider/api/index.ts");
  const { username, password, organizationId } = service.seed;
  const client = createClient({
    orgUrl: service.orgUrl,
    tokenUrl: service.tokenUrl,
    platform: platforms[service.platform],
  });
  try {
    const api = client.organization(organizationId, { user: { username, password } });
    const account = await api.createServiceAccount("tests", { deadline: performance.now() + hangMs });
    return { clientId: account.client_id, clientSecret: account.client_secret };
  } finally {
    await client.close();
  }
}
