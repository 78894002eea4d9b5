/** Compares this machine's clock with the service's, for commands that decide by the time without a run. */
import { isTooFar, wrongClockText } from "../api/calls/clock-skew.ts";
import { organizationCredentials, type SettingsSource, withClient } from "../service/connection.ts";
import { type Clock, systemClock } from "../util/instants.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";

/** For the request with its retries. */
const TIMEOUT_MS = 6_000;

/**
 * Requests one access token. A service that cannot be asked, or does not say what time it is, proves nothing.
 * @param now of this machine, in milliseconds since 1970
 * @returns why nothing that time decides is done, and what to do; undefined if this machine's clock is right
 */
export async function wrongClock(source: SettingsSource, now: () => number): Promise<string | undefined> {
  const skew = await skewOf(source, { ...systemClock, now });
  return isTooFar(skew) ? `${wrongClockText(skew)}, ${THEN_RUN_AGAIN}` : undefined;
}

async function skewOf(source: SettingsSource, clock: Clock): Promise<number | undefined> {
  try {
    return await withClient(source, { warn: () => undefined, clock }, async ({ client, settings }) => {
      const operation = { deadline: clock.monotonic() + TIMEOUT_MS };
      // A refusal has a date too.
      await client
        .authenticate(organizationCredentials(settings, undefined), operation)
        .catch(() => undefined);
      return client.clockSkewMs();
    });
  } catch {
    return undefined;
  }
}
