/** Who hears of what happens: the display, JSON on the standard output, an event log. */
import { resolve } from "node:path";
import type { StackName } from "../backend.ts";
import type { StackConfig } from "../config.ts";
import { PreviewDigest } from "../display/digest.ts";
import { eventLines } from "../display/event-json.ts";
import { ProgressDisplay } from "../display/progress.ts";
import { EventBus, type EventListener } from "../events.ts";
import type { EventSink } from "../rpc/event-stream.ts";
import type { OperationOptions } from "./operation-flags.ts";
import type { Session } from "./session.ts";

export interface Listeners {
  events: EventBus;
  prelude: (config: StackConfig) => void;
  /** The preview property by property. */
  details: () => string;
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
  const showSecrets = options.showSecrets === true;
  events.listen(session.log.listener);
  const sink = options.eventLog === undefined ? undefined : await openSink(session, options.eventLog);
  if (sink) events.listen(eventLines(sink.write, { showSecrets, internal: true }));
  const digest = planning && options.json ? new PreviewDigest() : undefined;
  if (digest) events.listen(digest.listener);
  else if (options.json)
    events.listen(eventLines((line) => session.line(line), { showSecrets, internal: false }));
  else events.listen(progress(session, name, kind, options, planning));
  return {
    events,
    details: () => "",
    prelude: (config) => events.emit({ kind: "prelude", config: shownConfig(config) }),
    close: async () => {
      events.emit({ kind: "cancel" });
      if (digest) session.line(digest.toString());
      await sink?.close();
    },
  };
}

/** The configuration as an event shows it: secrets as they lie in the file. */
function shownConfig(config: StackConfig): Record<string, string> {
  const text = (raw: unknown) => (typeof raw === "string" ? raw : JSON.stringify(raw));
  return Object.fromEntries(
    Object.entries(config.raw()).map(([key, raw]) => [key, isSecure(raw) ? "[secret]" : text(raw)]),
  );
}

function isSecure(raw: unknown): boolean {
  return JSON.stringify(raw).includes('"secure":');
}

async function openSink(session: Session, target: string): Promise<EventSink> {
  const { fileSink, grpcSink } = await import("../rpc/event-stream.ts");
  return target.startsWith("tcp://")
    ? grpcSink(target.slice("tcp://".length))
    : fileSink(resolve(session.cwd, target));
}

function progress(
  session: Session,
  name: StackName,
  kind: keyof typeof titles,
  options: OperationOptions,
  planning: boolean,
): EventListener {
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
  return display.listener;
}
