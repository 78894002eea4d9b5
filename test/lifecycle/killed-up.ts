/** A plain `pulumi up` that is killed at a request of its provider. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type InterceptedRequest, InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { halt, killTree } from "../setup/process-tree.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import type { TestStack } from "../setup/stack.ts";

const isUser = ({ method, path }: InterceptedRequest) => method === "POST" && path.endsWith("/users");
export const isToken = ({ method, path }: InterceptedRequest) => method === "POST" && path.endsWith("/token");

export type Place = "before it is sent" | "after its commit" | "after the answer";

/** Runs `up` to a request, and kills engine, program, and provider there; the next run has a fresh folder. */
export async function killedAt(
  place: Place,
  { stack, organization }: { readonly stack: TestStack; readonly organization: Sandbox },
  isMeant = isUser,
): Promise<void> {
  const { orgUrl } = organization.service;
  const proxy = await InterceptingProxy.before(orgUrl);
  stack.environment.ORGSEAT_ORG_URL = proxy.through(orgUrl);
  const caught = proxy.hold(place === "before it is sent" ? "request" : "answer", isMeant);
  const { pid, ended } = stack.start("up", "--yes", "--skip-preview");
  const early = ended.then(({ output }) => Promise.reject(new Error(`ended before the request: ${output}`)));
  const held = await Promise.race([caught, early]);
  early.catch(() => undefined);
  if (place === "after the answer") {
    await halt(pid);
    await held.deliver();
  }
  await killTree(pid);
  await ended;
  await proxy.quiet();
  stack.environment.ORGSEAT_ORG_URL = orgUrl;
  rmSync(join(stack.folder, ".orgseat"), { recursive: true, force: true });
  rmSync(join(stack.folder, "state/.pulumi/locks"), { recursive: true, force: true });
}
