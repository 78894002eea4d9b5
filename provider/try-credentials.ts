/**
 * Whether calls can be made at all: one access token is asked for with the configured service account, by the rules of
 * the provider process, and nothing else is sent.
 */
import { type Clock, systemClock } from "./api/clock.ts";
import { shownAddress } from "./api/endpoint.ts";
import { ApiError } from "./api/errors.ts";
import { connect, obstacleTo, organizationCredentials } from "./connection.ts";
import type { Configuration } from "./revoke.ts";
import { readSettings } from "./settings.ts";

/** How long a person waits for the answer, repeats included. */
const PATIENCE_MS = 6_000;

/** @param clock for tests; default: the time of the machine @throws Error that says why no call would be made */
export async function tryCredentials(
  { config, environment }: Configuration,
  clock: Clock = systemClock,
): Promise<void> {
  const settings = readSettings(config, environment);
  const fault = obstacleTo(settings, "organization");
  if (fault !== undefined) throw new Error(fault);
  const client = connect(settings, clock, () => undefined);
  try {
    await client.authenticate(organizationCredentials(settings, undefined), {
      deadline: clock.monotonic() + PATIENCE_MS,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Error(`no access token from ${shownAddress(settings.tokenUrl ?? "")}: ${reasonOf(error)}`);
  } finally {
    await client.close();
  }
}

function reasonOf({ code, status, reason }: ApiError): string {
  if (code === "out-of-time") return `no answer within ${PATIENCE_MS / 1000} s. Is the service up?`;
  const answered = status === undefined ? "" : ` (HTTP ${status})`;
  const text = `${reason.replace(/[.\s]*$/, "")}${answered}`;
  return code === "unauthorized" ? `${text}. Correct the credentials` : text;
}
