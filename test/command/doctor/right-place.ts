import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PlatformName } from "../../../sandbox/service/index.ts";
import { isolatedEnvironment } from "../../../sandbox/start/isolated-environment.ts";
import { pulumiCommand } from "../../setup/project.ts";
import { makeServiceAccount, sandbox, temporaryFolder } from "../../setup/sandbox.ts";

export type Environment = Readonly<Record<string, string>>;

/** A service, and the variables with which all of it is right: of the organization area, and of the model area alone. */
export async function rightPlace(platform?: PlatformName) {
  const made = await sandbox({}, temporaryFolder(), platform);
  const { clientId, clientSecret } = await makeServiceAccount(made);
  const { service } = made;
  const { organizationId, username, password, subscriptionExpiresAt, apiKey = "" } = service.seed;
  const folder = temporaryFolder();
  mkdirSync(join(folder, "state"));
  const pulumi = { folder, passphrase: "for tests", compileCache: "", configuration: {} };
  const environment: Environment = {
    ORGSEAT_ORGANIZATION_ID: organizationId,
    ORGSEAT_ORG_URL: service.orgUrl,
    ORGSEAT_TOKEN_URL: service.tokenUrl,
    ORGSEAT_USERNAME: username,
    ORGSEAT_PASSWORD: password,
    ORGSEAT_CLIENT_ID: clientId,
    ORGSEAT_CLIENT_SECRET: clientSecret,
    ORGSEAT_SUBSCRIPTION_EXPIRES_AT: subscriptionExpiresAt,
    ...(platform !== undefined && { ORGSEAT_PLATFORM: platform }),
    ...isolatedEnvironment({}, pulumi),
    ORGSEAT_PULUMI_PATH: pulumiCommand,
  };
  const model: Environment = {
    ORGSEAT_MODEL_URL: service.modelUrl,
    ORGSEAT_API_KEY: apiKey,
    ORGSEAT_PULUMI_PATH: pulumiCommand,
  };
  return { sandbox: made, environment, model, folder };
}

export function without(environment: Environment, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}
