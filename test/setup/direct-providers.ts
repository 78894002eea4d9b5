/** The provider's objects as Pulumi's process calls them, freshly configured: each run of Pulumi has its own. */
import { type Clock, systemClock } from "../../provider/api/clock.ts";
import { dynamicProvider } from "../../provider/dynamic.ts";
import type { Severity } from "../../provider/engine-log.ts";
import { ProviderProcess } from "../../provider/process.ts";
import { modelServer } from "../../provider/resources/model-server.ts";
import { onboarding } from "../../provider/resources/onboarding.ts";
import { orgUser } from "../../provider/resources/org-user.ts";
import { seatAssignment } from "../../provider/resources/seat-assignment.ts";
import { serviceAccount } from "../../provider/resources/service-account.ts";
import { userToken } from "../../provider/resources/user-token.ts";
import { vectorTable } from "../../provider/resources/vector-table.ts";

/** Pauses between attempts are shorter here, so that thousands of cases fit a test. */
const QUICKER = 50;

/** Time that passes by pauses alone: how often something is tried does not depend on how busy the machine is. */
export function pausesOnly(): Pick<Clock, "monotonic" | "sleep"> {
  let passed = 0;
  return {
    monotonic: () => passed,
    sleep: (ms) => {
      passed += ms;
      return systemClock.sleep(ms / QUICKER);
    },
  };
}

/** Time as it is, with quicker pauses. */
export const realTime: Pick<Clock, "monotonic" | "sleep"> = {
  monotonic: systemClock.monotonic,
  sleep: (ms) => systemClock.sleep(ms / QUICKER),
};

/** A message of the provider to the person. */
export interface Message {
  readonly severity: Severity;
  readonly text: string;
}

/** @param configuration `ORGSEAT_*` @param messages gets what the providers say */
export function directProviders(
  configuration: Readonly<Record<string, string>>,
  now: () => number,
  messages: Message[],
  time: Pick<Clock, "monotonic" | "sleep"> = realTime,
) {
  const process = new ProviderProcess({
    environment: configuration,
    clock: { ...time, now },
    log: () => ({
      write: (severity, text) => void messages.push({ severity, text }),
      flush: () => Promise.resolve(),
    }),
  });
  const made = {
    ServiceAccount: dynamicProvider(serviceAccount, process),
    OrgUser: dynamicProvider(orgUser, process),
    SeatAssignment: dynamicProvider(seatAssignment, process),
    UserToken: dynamicProvider(userToken, process),
    Onboarding: dynamicProvider(onboarding, process),
    ModelServer: dynamicProvider(modelServer, process),
    VectorTable: dynamicProvider(vectorTable, process),
  };
  return { process, made };
}
export type DirectProviders = ReturnType<typeof directProviders>["made"];
