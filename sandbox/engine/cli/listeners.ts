/** Who hears of what happens: the display, JSON on the standard output, an event log. */
import type { StackName } from "../backend.ts";
import type { StackConfig } from "../config.ts";
import { ProgressDisplay } from "../display/progress.ts";
import { EventBus } from "../events.ts";
import type { OperationOptions } from "./operations.ts";
import type { Session } from "./session.ts";

export interface Listeners {
  events: EventBus;
  prelude: (config: StackConfig) => void;
  close: () => Promise<void>;
}

const titles = {
  update: ["Previewing update", "Updating"],
  refresh: ["Previewing refresh", "Refreshing"],
  destroy: ["Previewing destroy", "Destroying"],
} as const;

export async function listeners(
  session: Session,
  name: StackName,
  kind: keyof typeof titles,
  options: OperationOptions,
  planning: boolean,
): Promise<Listeners> {
  const events = new EventBus();
  const display = new ProgressDisplay({
    write: session.streams.out,
    paint: session.paint,
    ...name,
    planning,
    title: `${titles[kind][planning ? 0 : 1]} (${name.stack}):`,
    showSecrets: options.showSecrets === true,
    diff: options.diff === true,
    showSames: options.showSames === true,
    suppressOutputs: options.suppressOutputs === true,
  });
  events.listen(display.listener);
  return { events, prelude: () => {}, close: async () => {} };
}
