/**
 * The checks of `orgseat doctor` for the model area, which is optional: address and API key with "list servers", the
 * database with "list tables", and the health of its parts if it has requests for that.
 */
import { type ApiErrorFields, describeError, saysAbsent } from "../../provider/api/calls/errors.ts";
import { shownAddress } from "../../provider/api/client/endpoint.ts";
import { isDatabaseStopped } from "../../provider/service/connection.ts";
import { counted } from "../../provider/util/text.ts";
import { checkAddress, correct, howToSet, isModelAreaWanted } from "./configuration.ts";
import type { Check, Facts } from "./facts.ts";
import { type Finding, failed, failedCall, missing, ok, unchecked } from "./report.ts";

const WHAT = "servers, model files, and vector tables";
const LIST = new Intl.ListFormat("en");

export const modelChecks: readonly Check[] = [
  {
    name: "model area",
    when: (facts) => !isModelAreaWanted(facts),
    says: () =>
      missing(`neither modelUrl nor apiKey is set; ${WHAT} need both`, howToSet("modelUrl", "apiKey"), false),
  },
  ...(["modelUrl", "apiKey"] as const).map((key) => ({
    name: key,
    // `settings.issues` reports an invalid value.
    when: (facts: Facts) => isModelAreaWanted(facts) && facts.written(key) === undefined,
    says: () => missing(`not set; ${WHAT} need it`, howToSet(key), true),
  })),
  { name: "model area", says: checkArea },
  { name: "apiKey", when: ({ settings }) => settings.apiKey !== undefined, says: checkKey },
  { name: "model service", says: checkHealth },
  { name: "vector database", says: checkDatabase },
];

function checkArea({ settings: { modelUrl = "" }, servers }: Facts): Finding | [] {
  if (servers === undefined) return [];
  const place = shownAddress(modelUrl);
  if (servers.error === undefined)
    return ok(`${place} answers, with ${counted(servers.value.data.length, "server")}`);
  return servers.isForeign ? failedCall(servers.error, checkAddress("modelUrl")) : ok(`${place} answers`);
}

function checkKey({ servers }: Facts): Finding | [] {
  if (servers === undefined) return [];
  if (servers.error === undefined) return ok(`accepted; manages ${WHAT}`);
  if (servers.isForeign) return unchecked("the request to the model area failed");
  return failedCall(servers.error, correct("apiKey"));
}

/** Whether the service, which answers other requests, does not have this one. */
function isUnknown(error: ApiErrorFields | undefined): boolean {
  return error !== undefined && (error.code === "unknown-route" || saysAbsent(error));
}

/** Some products lack some of these requests, and a platform all of them. */
function checkHealth({ health }: Facts): Finding | [] {
  const known = health.flatMap(({ part, answer }) =>
    answer === undefined || isUnknown(answer.error) ? [] : [{ part, error: answer.error }],
  );
  const broken = known.flatMap(({ part, error }) => (error ? [`${part}: ${describeError(error)}`] : []));
  if (broken.length > 0)
    return failed("service-failed", broken.join("; "), "check the model service; its logs say why");
  const healthy = known.map(({ part }) => part).filter((part) => part !== "the API");
  return healthy.length === 0 ? [] : ok(`healthy: ${LIST.format(healthy)}`);
}

function checkDatabase({ tables, health }: Facts): Finding | [] {
  if (tables === undefined) return [];
  const { error } = tables;
  if (error === undefined) return ok("running");
  const own = health.find(({ part }) => part === "vector tables")?.answer;
  const hasNone = isUnknown(own?.error) && isUnknown(error) && error.serviceCode === undefined;
  if (error.code === "unknown-route" || hasNone) return ok("this service has no vector database");
  if (!isDatabaseStopped(error)) return failedCall(error, "check the vector database in the service");
  const text = "not running (DATABASE_NOT_RUNNING); requests for vector tables fail";
  return failed("not-ready", text, "start it in the service; servers and model files work without it");
}
