/** The provider's objects as Pulumi's process calls them, freshly configured: each run of Pulumi has its own. */
import { deepEqual } from "node:assert/strict";
import type { dynamic } from "@pulumi/pulumi";
import { definitions } from "../../provider/definitions.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import type { LogSeverity } from "../../provider/runtime/log.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import { type Clock, systemClock } from "../../provider/util/instants.ts";
import { byType } from "./by-type.ts";

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
  readonly severity: LogSeverity;
  readonly text: string;
}

/** Holds each update against the outputs that its preview shows as known. */
class Previewed extends DynamicProvider {
  override async update(id: string, olds: Props, news: Props) {
    const stable = this.#stable(olds, news);
    const updated = await super.update(id, olds, news);
    for (const key of stable)
      deepEqual(updated.outs?.[key], olds[key], `${id} has another ${key} than its preview`);
    return updated;
  }

  /** None of a state that cannot be read, of which the update says why. */
  #stable(olds: Props, news: Props): readonly string[] {
    try {
      return this.stableOutputs(olds, news);
    } catch {
      return [];
    }
  }
}

type Props = Readonly<Record<string, unknown>>;

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
  const made = byType(
    (type): Required<dynamic.ResourceProvider> => new Previewed(definitions[type], process),
  );
  return { process, made };
}
export type DirectProviders = ReturnType<typeof directProviders>["made"];
