/** A plain `pulumi up` that is killed at a request of its provider. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type InterceptedRequest, InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { killTree } from "../setup/process-tree.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import type { TestStack } from "../setup/stack.ts";

/** Runs `up` to a request, and kills engine, program, and provider after its commit; the next run has a fresh folder. */
export async function killedAfter(
  isMeant: (passed: InterceptedRequest) => boolean,
  { stack, organization }: { readonly stack: TestStack; readonly organization: Sandbox },
): Promise<void> {
  const { orgUrl } = organization.service;
  const proxy = await InterceptingProxy.before(orgUrl);
  stack.environment.ORGSEAT_ORG_URL = proxy.through(orgUrl);
  const caught = proxy.hold("answer", isMeant);
  const { pid, ended } = stack.start("up", "--yes", "--skip-preview");
  const early = ended.then(({ output }) => Promise.reject(new Error(`ended before the request: ${output}`)));
  await Promise.race([caught, early]);
  early.catch(() => undefined);
  await killTree(pid);
  await ended;
  await proxy.quiet();
  stack.environment.ORGSEAT_ORG_URL = orgUrl;
  rmSync(join(stack.folder, ".orgseat"), { recursive: true, force: true });
  rmSync(join(stack.folder, "state/.pulumi/locks"), { recursive: true, force: true });
}
