/** The verb `service`: runs the service in the foreground and prints its configuration. */
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { environmentName } from "../../provider/config/setting-values.ts";
import { shellWord } from "../../provider/util/text.ts";
import {
  type OrganizationSeed,
  type PlatformName,
  type RunningService,
  sandboxServiceAccount,
  startService,
} from "./index.ts";

/** The ports, the data folder and the seed of the service. */
interface RunServiceOptions {
  readonly dataFolder: string;
  readonly port: number;
  readonly managementPort: number;
  readonly platform: PlatformName;
  /** The seed of a fresh data folder. */
  readonly dataSet?: OrganizationSeed["dataSet"];
  /** The folder that gets `orgseat.env`. */
  readonly folder?: string | undefined;
}

/** Runs until Ctrl-C or SIGTERM. @throws if the service cannot start. */
export async function runService({ dataSet, folder, ...options }: RunServiceOptions): Promise<void> {
  const service = await startService({
    ...options,
    seed: { serviceAccount: sandboxServiceAccount, ...(dataSet ? { dataSet } : {}) },
    onError: (error) => console.error(error),
  });
  const stop = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  // Its first start takes longer than a client waits for an answer.
  await Promise.race([service.loadVectorDatabase().catch((error: unknown) => console.error(error)), stop]);
  console.log(welcome(service, options.dataFolder));
  if (folder !== undefined) console.log(writeVariables(resolve(folder), service));
  if (dataSet !== service.seed.dataSet && dataSet !== undefined) {
    console.log(
      `${options.dataFolder} already contains data, so --seed ${dataSet} has no effect. Pass another folder with --data.\n`,
    );
  }
  await stop;
  await service.close();
}

function welcome(service: RunningService, dataFolder: string): string {
  const keys = configuration(service);
  return `orgseat sandbox: the organization service is running. Press Ctrl-C to stop it. Its data is in ${dataFolder}.

  organization area  ${service.orgUrl}
  token endpoint     ${service.tokenUrl}
  model area         ${service.modelUrl}
  management API     ${service.managementUrl}

This is a sandbox. Its credentials work for this service only.

To configure a stack:
${keys.map(({ key, value, flag = "" }) => `  pulumi config set ${flag}orgseat:${key} ${shellWord(value)}`).join("\n")}

To configure the environment of a shell:
${keys.map(({ key, value }) => `  export ${environmentName(key)}=${shellWord(value)}`).join("\n")}
  # in place of the username and password, as with single sign-on: export ORGSEAT_ADMIN_TOKEN=${shellWord(service.seed.adminToken ?? "")}
`;
}

/** Commands of orgseat in the folder read it. @returns what it did */
function writeVariables(folder: string, service: RunningService): string {
  const file = join(folder, "orgseat.env");
  if (existsSync(file)) return `${file} exists, so the sandbox leaves it as it is.\n`;
  mkdirSync(folder, { recursive: true });
  const lines = configuration(service).map(
    ({ key, value }) => `${environmentName(key)}=${shellWord(value)}\n`,
  );
  writeFileSync(file, `# The configuration of a sandbox.\n${lines.join("")}`, { mode: 0o600 });
  return `Wrote ${file}, which the commands of orgseat in that folder read.\n`;
}

function configuration(service: RunningService): { key: string; value: string; flag?: string }[] {
  const { seed } = service;
  const account = seed.serviceAccount;
  const open = (key: string, value: string) => ({ key, value });
  const secret = (key: string, value: string) => ({ key, value, flag: "--secret " });
  return [
    open("organizationId", seed.organizationId),
    open("orgUrl", service.orgUrl),
    // Pulumi takes it for a secret, because of its name, and would refuse it.
    { ...open("tokenUrl", service.tokenUrl), flag: "--plaintext " },
    open("platform", service.platform),
    open("username", seed.username),
    secret("password", seed.password),
    ...(account ? [open("clientId", account.clientId), secret("clientSecret", account.clientSecret)] : []),
    open("subscriptionExpiresAt", seed.subscriptionExpiresAt),
    open("seats", String(seed.seats)),
    open("modelUrl", service.modelUrl),
    secret("apiKey", seed.apiKey),
  ];
}
