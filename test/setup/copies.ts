/** A stack and its organization with marked secrets, prepared once and copied for each case of a suite. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type OrganizationSeed,
  type PlatformName,
  type ServiceOptions,
  sandboxServiceAccount,
} from "../../sandbox/service/index.ts";
import { InterceptingProxy } from "./intercepting-proxy.ts";
import { type ProjectStack, projectEnvironment } from "./project.ts";
import { type Sandbox, sandbox, temporaryFolder } from "./sandbox.ts";
import { marked } from "./secrets.ts";
import { type Declared, TestStack, testStack } from "./stack.ts";

export interface Copy {
  readonly organization: Sandbox;
  readonly stack: TestStack;
  /** All requests of the stack go through it. */
  readonly proxy: InterceptingProxy;
}

const seed: Partial<OrganizationSeed> = {
  password: marked.password,
  serviceAccount: { ...sandboxServiceAccount, clientSecret: marked.clientSecret },
};
export const markedCredentials = {
  ORGSEAT_PASSWORD: marked.password,
  ORGSEAT_CLIENT_ID: sandboxServiceAccount.clientId,
  ORGSEAT_CLIENT_SECRET: marked.clientSecret,
  PULUMI_CONFIG_PASSPHRASE: marked.passphrase,
} as const;

/** An organization whose secrets are marked, those too that it makes. */
export async function markedSandbox(
  more: Partial<OrganizationSeed> = {},
  dataFolder = temporaryFolder(),
  platform?: PlatformName,
  ids: Pick<ServiceOptions, "newId"> = {},
) {
  const organization = await sandbox({ ...seed, ...more }, dataFolder, platform, ids);
  const { management } = organization.service;
  await management.setSwitches({ secretMarker: marked.minted, accessTokenMarker: marked.accessToken });
  return organization;
}

/**
 * @returns what makes a copy of the stack: before its first run, or (`full`) after the program has run
 */
export async function prepareCopies(
  program: readonly Declared[],
  platform: PlatformName,
): Promise<(full: boolean) => Promise<Copy>> {
  const data = temporaryFolder();
  const copies = temporaryFolder();
  const organization = await markedSandbox({}, data, platform);
  const original = await testStack(organization, markedCredentials);
  cpSync(original.folder, join(copies, "empty"), { recursive: true });
  original.declare(program);
  const made = await original.up();
  if (made.code !== 0) throw new Error(made.output);
  cpSync(original.folder, join(copies, "full"), { recursive: true });
  await organization.service.close();
  cpSync(data, join(copies, "data"), { recursive: true });

  return async (full) => {
    const folder = temporaryFolder();
    const dataFolder = temporaryFolder();
    cpSync(join(copies, full ? "full" : "empty"), folder, { recursive: true });
    if (full) cpSync(join(copies, "data"), dataFolder, { recursive: true });
    const copy = await markedSandbox({}, dataFolder, platform);
    const proxy = await InterceptingProxy.before(copy.service.orgUrl);
    const environment = {
      ORGSEAT_USERNAME: copy.service.seed.username,
      ...markedCredentials,
      PULUMI_STACK: "test",
    };
    const stack = new TestStack(copy, folder, projectEnvironment(copy, folder, environment));
    stack.programs = "process";
    routeThrough(proxy, stack);
    return { organization: copy, stack, proxy };
  };
}

/** Lets a stack reach its service through a proxy, and keeps its temporary files where they can be searched. */
export function routeThrough(
  proxy: InterceptingProxy,
  { environment, folder, sandbox: { service } }: ProjectStack,
): void {
  environment.ORGSEAT_ORG_URL = proxy.through(service.orgUrl);
  environment.ORGSEAT_TOKEN_URL = proxy.through(service.tokenUrl);
  // Without it Pulumi writes no event logs.
  environment.PULUMI_DEBUG_COMMANDS = "true";
  environment.TMPDIR = join(folder, "temporary");
  mkdirSync(environment.TMPDIR, { recursive: true });
}
