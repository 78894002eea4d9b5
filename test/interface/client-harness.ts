/** The client in front of a small recording service whose every answer a test writes. */

import type { ApiError } from "../../provider/api/calls/errors.ts";
import type { ModelApi } from "../../provider/api/calls/models.ts";
import type { OrganizationApi } from "../../provider/api/calls/organization.ts";
import { type Platform, platforms } from "../../provider/api/calls/platform.ts";
import type { Credentials } from "../../provider/api/client/credentials.ts";
import type { TimeLimit } from "../../provider/util/instants.ts";
import { failureOf, type Script, type Scripted, Service, TestClock } from "../provider/api/service.ts";

export const API_KEY = "7a1f0f3c-2d0e-4a55-9a53-0d8f7c1b2e3d";
export const credentials = {
  user: { username: "admin@acme.example", password: "password of the admin" },
  serviceAccount: { clientId: "the-account", clientSecret: "secret of the account" },
  apiKey: API_KEY,
} as const satisfies Credentials;

export const ORGANIZATION_BASE = "/api/v1";
export const MODEL_BASE = "/models/at/home";

/** Both areas of one client, and the time that a call has. */
export interface Areas {
  readonly org: OrganizationApi;
  readonly models: ModelApi;
  readonly operation: TimeLimit;
}
export type Make = (areas: Areas) => Promise<unknown>;

/** The service with the areas of a client of it, gone with the block. */
export interface Serving extends AsyncDisposable {
  readonly service: Service;
  readonly areas: Areas;
}

/** @param script answers the calls; the token endpoint answers by itself */
export async function serving(
  script: Script,
  own: Credentials = credentials,
  platform: Platform = platforms.basic,
): Promise<Serving> {
  const service = await Service.start(script);
  const clock = new TestClock();
  const client = service.client({ modelUrl: service.url + MODEL_BASE, clock, platform });
  const operation = { deadline: clock.monotonic() + 5_000 };
  return {
    service,
    areas: { org: client.organization("the-org", own), models: client.models(own), operation },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** What the client makes of one answer. */
export async function answered(make: Make, answer: Scripted, platform?: Platform): Promise<unknown> {
  await using one = await serving(() => answer, credentials, platform);
  return await make(one.areas);
}

/** The error that the client makes of one answer. */
export async function refused(make: Make, answer: Scripted, platform?: Platform): Promise<ApiError> {
  await using one = await serving(() => answer, credentials, platform);
  return await failureOf(make(one.areas));
}
