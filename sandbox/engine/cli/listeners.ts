/** The listeners of an operation: the display and an event log. */
import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import type { StackName } from "../backend/backend.ts";
import { hasSecure, type StackConfig } from "../backend/config.ts";
import { type EventSink, eventLines } from "../display/event-json.ts";
import { LineDisplay } from "../display/progress.ts";
import type { DisplayOptions } from "../display/row.ts";
import { EventBus } from "../events.ts";
import type { OperationOptions } from "./operation-flags.ts";
import type { OperationKind } from "./operation-options.ts";
import type { Session } from "./session.ts";

interface Listeners {
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
  kind: OperationKind,
  options: OperationOptions,
  planning: boolean,
): Promise<Listeners> {
  const events = new EventBus();
  const sink = options.eventLog === undefined ? undefined : await openSink(session, options.eventLog);
  if (sink) events.listen(eventLines(sink.write));
  const display = new LineDisplay(displayOptions(session, name, kind, options, planning));
  events.listen(display.listener);
  return {
    events,
    prelude: (config) => events.emit({ kind: "prelude", config: shownConfig(config) }),
    close: async () => {
      events.emit({ kind: "cancel" });
      display.close();
      await sink?.close();
    },
  };
}

/** The configuration as an event shows it, with a mark for each secret. */
function shownConfig(config: StackConfig): Record<string, string> {
  const text = (raw: unknown) => (typeof raw === "string" ? raw : JSON.stringify(raw));
  return Object.fromEntries(
    Object.entries(config.raw()).map(([key, raw]) => [key, hasSecure(raw) ? "[secret]" : text(raw)]),
  );
}

/** A file, or the process of the Automation API. */
async function openSink(session: Session, target: string): Promise<EventSink> {
  if (!target.startsWith("tcp://")) return fileSink(resolve(session.cwd, target));
  const { grpcSink } = await import("../rpc/automation-host.ts");
  return grpcSink(target.slice("tcp://".length));
}

function fileSink(file: string): EventSink {
  return { write: (line) => appendFileSync(file, `${line}\n`), close: async () => {} };
}

function displayOptions(
  session: Session,
  name: StackName,
  kind: OperationKind,
  options: OperationOptions,
  planning: boolean,
): DisplayOptions {
  const action = titles[kind][planning ? 0 : 1];
  return {
    write: session.streams.out,
    paint: session.paint,
    ...name,
    ...{ planning, action: action.toLowerCase() },
    title: `${action} (${session.shown(name)}):`,
    suppressOutputs: options.suppressOutputs === true,
    suppressProgress: options.suppressProgress === true,
  };
}
