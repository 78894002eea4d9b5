/** A service of the platform `anaconda` behind Prism, with stacks and clients that reach it through Prism only. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import {
  MODEL_BASE,
  type RunningService,
  sandboxServiceAccount,
  startService,
} from "../../sandbox/service/index.ts";
import { handTypedDocument } from "../interface/anaconda/document.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { hangMs } from "../setup/limits.ts";
import { type Sandbox, sandboxOf } from "../setup/sandbox.ts";
import { vectorTemplates } from "../setup/vector-templates.ts";
import { type Prism, startPrism, violationsIn } from "./prism.ts";

export interface Watched {
  readonly organization: Sandbox;
  readonly stack: DirectStack;
  readonly client: ReturnType<typeof clientOf>;
  /** The address of the organization area, through Prism. */
  readonly orgUrl: string;
  /** Everything that passed, as Prism answered it. */
  readonly proxy: InterceptingProxy;
  /** Expects that Prism found nothing so far. @param calls at least so many requests passed */
  expectSound(calls?: number): void;
}

/** Starts the service and Prism once for the tests of the file. @returns what each test begins with */
export function behindPrism(): () => Promise<Watched> {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-prism-"));
  let service: RunningService | undefined;
  let prism: Prism | undefined;
  beforeAll(async () => {
    const seed = { seats: 10, serviceAccount: sandboxServiceAccount };
    service = await startService({
      dataFolder: join(folder, "data"),
      seed,
      vectorTemplates,
      platform: "anaconda",
    });
    const file = join(folder, "openapi.json");
    prism = await startPrism(handTypedDocument(MODEL_BASE), file, service.orgUrl);
  });
  afterAll(async () => {
    await prism?.close();
    await service?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return async () => {
    if (service === undefined || prism === undefined) throw new Error("the service did not start");
    await service.management.reset();
    await service.management.clearFaults();
    // Time passes only if a test or a stack advances it, so that no download ends before the test pauses it.
    await service.management.setClock({ fixedAt: new Date().toISOString() });
    return watchedOf(service, await InterceptingProxy.before(prism.url));
  };
}

function watchedOf(service: RunningService, proxy: InterceptingProxy): Watched {
  const origin = new URL(service.orgUrl).origin;
  const through = (url: string) => url.replace(origin, proxy.address);
  const urls = {
    orgUrl: through(service.orgUrl),
    tokenUrl: through(service.tokenUrl),
    modelUrl: through(service.modelUrl),
  };
  const organization = sandboxOf(service);
  const stack = new DirectStack({
    ...configurationOf(organization, sandboxServiceAccount),
    ...{ ORGSEAT_ORG_URL: urls.orgUrl, ORGSEAT_TOKEN_URL: urls.tokenUrl, ORGSEAT_MODEL_URL: urls.modelUrl },
  });
  let passed = 0;
  const sleep = async (ms: number): Promise<void> => {
    passed += ms;
    await service.management.advance(ms);
  };
  // While the stack waits, time passes at the service: no test waits for a server.
  stack.time = () => ({ monotonic: () => passed, sleep });
  return {
    ...{ organization, stack, proxy, client: clientOf(service, urls), orgUrl: urls.orgUrl },
    expectSound: (calls = 1) => {
      expect(violationsIn(proxy.passed)).toEqual([]);
      expect(proxy.passed.length).toBeGreaterThanOrEqual(calls);
    },
  };
}

/** Both areas, without resources. */
function clientOf(
  { seed, platform }: RunningService,
  urls: { readonly orgUrl: string; readonly tokenUrl: string; readonly modelUrl: string },
) {
  const client = createClient({ ...urls, platform: platforms[platform] });
  onTestFinished(() => client.close());
  const { username, password, apiKey } = seed;
  const serviceAccount = sandboxServiceAccount;
  const credentials = { user: { username, password }, serviceAccount, apiKey };
  return {
    org: client.organization(seed.organizationId, credentials),
    models: client.models(credentials),
    operation: { deadline: performance.now() + hangMs },
  };
}
