/** Who hears of what happens: the display, JSON on the standard output, an event log, the log of `-v`. */
import { resolve } from "node:path";
import type { StackName } from "../backend.ts";
import type { StackConfig } from "../config.ts";
import { DiffView } from "../display/diff.ts";
import { PreviewDigest } from "../display/digest.ts";
import { eventLines } from "../display/event-json.ts";
import type { DisplayOptions } from "../display/options.ts";
import { DiffDisplay, type Display, LineDisplay } from "../display/progress.ts";
import { TreeDisplay } from "../display/tree.ts";
import { EventBus } from "../events.ts";
import type { EventSink } from "../rpc/event-stream.ts";
import type { OperationOptions } from "./operation-flags.ts";
import type { Kind } from "./operation-options.ts";
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
  kind: Kind,
  options: OperationOptions,
  planning: boolean,
): Promise<Listeners> {
  const events = new EventBus();
  events.listen(session.log.listener);
  const sink = options.eventLog === undefined ? undefined : await openSink(session, options.eventLog);
  if (sink) events.listen(eventLines(sink.write, { internal: true }));
  const shown = displayOptions(session, name, kind, options, planning);
  const digest = planning && options.json ? new PreviewDigest(shown) : undefined;
  const display = options.json ? undefined : displayOf(session, shown, options.diff === true);
  const toLines = eventLines((line) => session.line(line), { internal: false });
  const listener = digest?.listener ?? display?.listener ?? toLines;
  events.listen(listener);
  const details = planning && session.interactive && !options.yes ? detailsOf(events, shown) : () => "";
  return {
    ...{ events, details },
    prelude: (config) => events.emit({ kind: "prelude", config: shownConfig(config) }),
    close: async () => {
      events.emit({ kind: "cancel" });
      display?.close();
      if (digest) session.line(digest.toString());
      await sink?.close();
    },
  };
}

function displayOf(session: Session, options: DisplayOptions, diff: boolean): Display {
  if (diff) return new DiffDisplay(options);
  return session.terminal ? new TreeDisplay(options, session.terminal.size) : new LineDisplay(options);
}

/** Written down as it happens, since the states go on changing. */
function detailsOf(events: EventBus, options: DisplayOptions): () => string {
  const view = new DiffView(options, true);
  const texts: string[] = [];
  events.listen((event) => texts.push(view.text(event)));
  return () => texts.join("").trim();
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

function displayOptions(
  session: Session,
  name: StackName,
  kind: Kind,
  options: OperationOptions,
  planning: boolean,
): DisplayOptions {
  const action = titles[kind][planning ? 0 : 1];
  return {
    write: session.streams.out,
    writeError: session.streams.err,
    paint: session.paint,
    ...name,
    ...{ planning, action: action.toLowerCase() },
    title: `${action} (${session.shown(name)}):`,
    bullet: session.options.emoji ? "✨" : "@",
    debug: options.debug === true,
    showConfig: options.showConfig === true,
    showReads: options.showReads === true,
    showReplacementSteps: options.showReplacementSteps === true,
    showSames: options.showSames === true,
    showSecrets: options.showSecrets === true,
    suppressOutputs: options.suppressOutputs === true,
    suppressProgress: options.suppressProgress === true,
    truncate: kind !== "refresh" && options.showFullOutput !== true,
    urns: options.urns === true,
  };
}
