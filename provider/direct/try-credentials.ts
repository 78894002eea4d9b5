/**
 * Checks whether calls are possible: requests one access token with the configured service account, with the rules of the
 * provider process, and sends nothing else.
 */

import { ApiError } from "../api/calls/errors.ts";
import { shownAddress } from "../api/client/endpoint.ts";
import { organizationCredentials, type SettingsSource, withClient } from "../service/connection.ts";
import { type Clock, systemClock } from "../util/instants.ts";
import { withoutStop } from "../util/text.ts";

/** For the request with its retries. */
const TIMEOUT_MS = 6_000;

/** @param clock for tests; default: the time of the machine @throws Error that says why calls are not possible */
export async function tryCredentials(source: SettingsSource, clock: Clock = systemClock): Promise<void> {
  await withClient(source, { warn: () => undefined, clock }, async ({ client, settings }) => {
    const operation = { deadline: clock.monotonic() + TIMEOUT_MS };
    try {
      await client.authenticate(organizationCredentials(settings, undefined), operation);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new Error(
        `cannot get an access token from ${shownAddress(settings.tokenUrl ?? "")}: ${reasonOf(error)}`,
        { cause: error },
      );
    }
  });
}

function reasonOf({ code, status, reason }: ApiError): string {
  if (code === "out-of-time")
    return `no response within ${TIMEOUT_MS / 1000} s. Check that the service is running`;
  const answered = status === undefined ? "" : ` (HTTP ${status})`;
  const text = `${withoutStop(reason)}${answered}`;
  return code === "unauthorized" ? `${text}. Correct the credentials` : text;
}
