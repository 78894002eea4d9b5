/**
 * Checks whether calls are possible: requests one access token with the configured service account, with the rules of the
 * provider process, and sends nothing else.
 */
import { type Clock, systemClock } from "./api/clock.ts";
import { shownAddress } from "./api/endpoint.ts";
import { ApiError } from "./api/errors.ts";
import { configurationErrorOf, connect, organizationCredentials } from "./connection.ts";
import type { SettingsSource } from "./revoke.ts";
import { readSettings } from "./settings.ts";

/** For the request with its repeats. */
const TIMEOUT_MS = 6_000;

/** @param clock for tests; default: the time of the machine @throws Error that says why calls are not possible */
export async function tryCredentials(
  { config, environment }: SettingsSource,
  clock: Clock = systemClock,
): Promise<void> {
  const settings = readSettings(config, environment);
  const error = configurationErrorOf(settings, "organization");
  if (error !== undefined) throw new Error(error);
  const client = connect(settings, clock, () => undefined);
  try {
    await client.authenticate(organizationCredentials(settings, undefined), {
      deadline: clock.monotonic() + TIMEOUT_MS,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Error(
      `cannot get an access token from ${shownAddress(settings.tokenUrl ?? "")}: ${reasonOf(error)}`,
    );
  } finally {
    await client.close();
  }
}

function reasonOf({ code, status, reason }: ApiError): string {
  if (code === "out-of-time")
    return `no response within ${TIMEOUT_MS / 1000} s. Check that the service is running`;
  const answered = status === undefined ? "" : ` (HTTP ${status})`;
  const text = `${reason.replace(/[.\s]*$/, "")}${answered}`;
  return code === "unauthorized" ? `${text}. Correct the credentials` : text;
}
