/**
 * The checks of `orgseat doctor` for the model area: address and API key with "list servers", the database with "list
 * tables", and the health of its parts if it has requests for that.
 */

import { type ApiErrorFields, describeError, isAbsence } from "../api/calls/errors.ts";
import { shownAddress } from "../api/client/endpoint.ts";
import type { Settings } from "../config/settings.ts";
import { isDatabaseStopped } from "../service/connection.ts";
import { counted } from "../util/text.ts";
import { howToSet, isModelAreaWritten, type RawConfiguration } from "./configuration.ts";
import { firstHalf, isForeign, type ProbeParts, type ProbeResult, probeCall } from "./probe.ts";
import { type Check, failed, missing, ok, unchecked } from "./report.ts";

const WHAT = "servers, model files, and vector tables";

/** Checks what is configured: the model area is optional. */
export async function checkModelArea(
  settings: Settings,
  written: RawConfiguration,
  parts: ProbeParts,
): Promise<Check[]> {
  const { modelUrl, apiKey } = settings;
  const needed = `${WHAT} need`;
  if (!isModelAreaWritten(written)) {
    const text = `neither modelUrl nor apiKey is set; ${needed} both`;
    return [missing("model area", text, howToSet("modelUrl", "apiKey"), false)];
  }
  const lacking = (["modelUrl", "apiKey"] as const)
    // `settings.issues` reports an invalid value.
    .filter((key) => written(key) === undefined)
    .map((key) => missing(key, `not set; ${needed} it`, howToSet(key), true));
  if (modelUrl === undefined) return lacking;
  const servers = await probeCall(parts.platform.calls.listServers, {}, modelUrl, apiKey, firstHalf(parts));
  const found = [...lacking, ...checkServers(modelUrl, apiKey, servers)];
  if (apiKey === undefined || servers.value === undefined) return found;
  const [tables, health] = await Promise.all([
    probeCall(parts.platform.calls.listTables, {}, modelUrl, apiKey, parts),
    checkHealth(modelUrl, apiKey, parts),
  ]);
  return [...found, ...health.checks, checkDatabase(tables, health.lacks.has(VECTOR))];
}

const API = "the API";
const VECTOR = "vector tables";
const LIST = new Intl.ListFormat("en");

/** Whether the service, which answers other requests, does not have this one. */
function isUnknown(error: ApiErrorFields | undefined): boolean {
  return error?.code === "unknown-route" || (error?.code === "refused" && isAbsence(error.status));
}

/** None in a platform without these calls. */
async function checkHealth(
  modelUrl: string,
  apiKey: string,
  parts: ProbeParts,
): Promise<{ readonly checks: Check[]; readonly lacks: ReadonlySet<string> }> {
  const {
    checkModelArea: api,
    checkModels,
    checkServers: servers,
    checkVectorDatabase,
  } = parts.platform.calls;
  const probes = [
    [API, api],
    ["models", checkModels],
    ["servers", servers],
    [VECTOR, checkVectorDatabase],
  ] as const;
  const name = "model service";
  const results = await Promise.all(
    probes.map(async ([part, call]) => {
      const result = call && (await probeCall(call, {}, modelUrl, apiKey, parts));
      return result && { part, error: result.error };
    }),
  );
  const asked = results.filter((result) => result !== undefined);
  // Some products lack some of these requests.
  const lacks = new Set<string>(asked.flatMap(({ part, error }) => (isUnknown(error) ? part : [])));
  const known = asked.filter(({ part }) => !lacks.has(part));
  const broken = known.flatMap(({ part, error }) => (error ? [`${part}: ${describeError(error)}`] : []));
  if (broken.length > 0) {
    const advice = "check the model service; its logs say why";
    return { checks: [failed(name, "service-failed", broken.join("; "), advice)], lacks };
  }
  const healthy = known.flatMap(({ part }) => (part === API ? [] : part));
  return { checks: healthy.length === 0 ? [] : [ok(name, `healthy: ${LIST.format(healthy)}`)], lacks };
}

/** @param lacksHealth whether the service does not know the request for the health of the database either */
function checkDatabase({ value, error }: ProbeResult<unknown>, lacksHealth: boolean): Check {
  const name = "vector database";
  if (value !== undefined) return ok(name, "running");
  const hasNone = lacksHealth && isUnknown(error) && error?.serviceCode === undefined;
  if (error?.code === "unknown-route" || hasNone) return ok(name, "this service has no vector database");
  if (error !== undefined && isDatabaseStopped(error)) {
    const text = "not running (DATABASE_NOT_RUNNING); requests for vector tables fail";
    return failed(
      name,
      "not-ready",
      text,
      "start it in the service; servers and model files work without it",
    );
  }
  const text = error === undefined ? "the response has no list of tables" : describeError(error);
  return failed(name, error?.code ?? "bad-answer", text, "check the vector database in the service");
}

function checkServers(
  modelUrl: string,
  apiKey: string | undefined,
  { value, error, response }: ProbeResult<{ data: readonly unknown[] }>,
): Check[] {
  const place = shownAddress(modelUrl);
  if (value !== undefined) {
    const area = ok("model area", `${place} answers, with ${counted(value.data.length, "server")}`);
    return apiKey === undefined ? [area] : [area, ok("apiKey", `accepted; manages ${WHAT}`)];
  }
  if (error === undefined || isForeign(error, response)) {
    const text =
      error === undefined ? `the response of ${place} has no list of servers` : describeError(error);
    const advice = "check orgseat:modelUrl with its path, orgseat:platform, and that the service is running";
    const area = failed("model area", error?.code ?? "bad-answer", text, advice);
    return apiKey === undefined
      ? [area]
      : [area, unchecked("apiKey", "the request to the model area failed")];
  }
  const area = ok("model area", `${place} answers`);
  if (apiKey === undefined) return [area];
  const next = "correct apiKey; the environment takes precedence over the stack's configuration";
  return [area, failed("apiKey", error.code, describeError(error), next)];
}
