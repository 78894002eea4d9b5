/** The model area of a service in the platform `anaconda`, and a stack whose pauses pass on the service's clock. */
import type { DirectStack } from "./direct.ts";
import { type ModelArea, modelArea, modelStack } from "./model-area.ts";
import { sandbox } from "./sandbox.ts";
import { temporaryFolder } from "./temporary.ts";

export interface AnacondaArea extends ModelArea {
  /** A stack without an engine. While it waits, time passes at the service: no test waits for a server. */
  stack(): DirectStack;
  /** The calls since the last time this was asked, in order: numbers. */
  calls(): Promise<(number | "token" | null)[]>;
  /** The statuses of the servers, by the documented names. */
  statuses(): Promise<string[]>;
}

const START = Date.parse("2027-01-01T00:00:00Z");

export async function anacondaArea(): Promise<AnacondaArea> {
  const organization = await sandbox({}, temporaryFolder(), "anaconda");
  const { management } = organization.service;
  const standAt = (ms: number) => management.setClock({ fixedAt: new Date(START + ms).toISOString() });
  await standAt(0);
  const area = await modelArea(organization);
  await organization.requests();
  let passed = 0;
  const time = {
    monotonic: () => passed,
    sleep: async (ms: number) => {
      passed += ms;
      await standAt(passed);
    },
  };
  return {
    ...area,
    calls: organization.calls,
    statuses: async () => (await management.snapshot()).servers.map(({ status }) => status),
    stack: () => {
      const stack = modelStack(organization);
      Object.assign(stack.configuration, { ORGSEAT_PLATFORM: "anaconda", ORGSEAT_OPERATION_TIMEOUT: "60s" });
      stack.time = () => time;
      return stack;
    },
  };
}
