/** The resources of one provider process against a service whose every answer a test writes, on a clock that stands. */
import { onTestFinished } from "vitest";
import { definitions } from "../../provider/definitions.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import type { LogSeverity } from "../../provider/runtime/log.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import { credentials, type Received, type Script, Service, TestClock } from "../provider/api/service.ts";

export type Props = Record<string, unknown>;

export const ORGANIZATION = "the-org";
export const API_KEY = "7d0f4a1e-5b2c-4f63-9a08-1c2d3e4f5a6b";
/** Half a year after the start of `TestClock`, which is the first of January 2027. */
export const SUBSCRIPTION_END = "2027-06-30T23:59:59Z";

/** What every resource of a program carries, as Pulumi hands it over. */
export const common = {
  organizationId: ORGANIZATION,
} as const;

/** Configuration of the process as environment variables, the addresses aside. */
const configured = {
  ORGSEAT_ORGANIZATION_ID: ORGANIZATION,
  ORGSEAT_SUBSCRIPTION_EXPIRES_AT: SUBSCRIPTION_END,
  ORGSEAT_USERNAME: credentials.user?.username,
  ORGSEAT_PASSWORD: credentials.user?.password,
  ORGSEAT_CLIENT_ID: credentials.serviceAccount?.clientId,
  ORGSEAT_CLIENT_SECRET: credentials.serviceAccount?.clientSecret,
} as const;

/** @param onCall answers a call; the token endpoint answers by itself */
export async function scripted(onCall: Script, environment: Readonly<Record<string, string>> = {}) {
  const service = await Service.start(onCall);
  const clock = new TestClock();
  const messages: { severity: LogSeverity; text: string }[] = [];
  onTestFinished(() => service[Symbol.asyncDispose]());
  /** Another process, as the next run of Pulumi starts one. */
  const startProcess = (): ProviderProcess => {
    const process = new ProviderProcess({
      environment: {
        ORGSEAT_ORG_URL: `${service.url}/api/v1`,
        ORGSEAT_TOKEN_URL: `${service.url}/token`,
        ORGSEAT_MODEL_URL: `${service.url}/m`,
        ORGSEAT_API_KEY: API_KEY,
        ORGSEAT_TIMEOUT: "2s",
        ...configured,
        ...environment,
      },
      clock,
      log: () => ({
        write: (severity, text) => void messages.push({ severity, text }),
        flush: () => Promise.resolve(),
      }),
    });
    onTestFinished(() => process.close());
    return process;
  };
  const process = startProcess();
  return {
    service,
    clock,
    messages,
    process,
    startProcess,
    serviceAccount: new DynamicProvider(definitions.ServiceAccount, process),
    member: new DynamicProvider(definitions.OrgMember, process),
    orgUser: new DynamicProvider(definitions.OrgUser, process),
    seat: new DynamicProvider(definitions.SeatAssignment, process),
    token: new DynamicProvider(definitions.UserToken, process),
    server: new DynamicProvider(definitions.ModelServer, process),
    table: new DynamicProvider(definitions.VectorTable, process),
    onboarding: new DynamicProvider(definitions.Onboarding, process),
    /** Method and path of each call of the model area so far. */
    sentToModels: () => service.calls.map(({ method, url }) => `${method} ${url.replace("/m/", "/")}`),
    /** Method and path below the organization of each call so far. */
    sent: () => service.calls.map(({ method, url }) => `${method} ${url.split(`/${ORGANIZATION}`)[1]}`),
  };
}

/** Answers in turn; the last one stays. */
export function inTurn(...answers: readonly (ReturnType<Script> | Script)[]): Script {
  return (request: Received, count) => {
    const answer = answers[Math.min(count, answers.length) - 1] ?? {};
    return typeof answer === "function" ? answer(request, count) : answer;
  };
}

/** What went wrong, with all that Pulumi is told. */
export async function failure(
  work: Promise<unknown>,
): Promise<Error & { id?: string; properties?: Props; reasons?: string[] }> {
  const error: unknown = await work.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`, { cause: "no failure" }),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error(`rejected with ${String(error)}`);
  if (error.cause === "no failure") throw error;
  return error;
}
