/** `stack history`: the updates of a stack. */
import { readValue } from "../config.ts";
import { ago, duration } from "../display/table.ts";
import { readHistory, type UpdateRecord } from "../history.ts";
import { readState } from "../locks.ts";
import { maskedConfig } from "../secrets.ts";
import type { Crypter } from "../values.ts";
import { valueJson } from "./config.ts";
import { wantsJson } from "./flags.ts";
import type { GlobalOptions, Session } from "./session.ts";

export interface HistoryOptions extends GlobalOptions {
  json?: boolean;
  output?: string;
  showSecrets?: boolean;
  fullDates?: boolean;
  pageSize: number;
  page: number;
}

export async function printHistory(session: Session, options: HistoryOptions): Promise<void> {
  const name = session.stack();
  readState(session.backend, name, session.warn);
  const page = Math.max(1, options.page);
  const all = readHistory(session.backend, name);
  // A page size of nothing means all of them.
  const size = options.pageSize > 0 ? options.pageSize : Math.max(1, all.length);
  const records = all.slice((page - 1) * size, page * size);
  if (wantsJson(options)) {
    const crypter = options.showSecrets ? (await session.secrets(name)).crypter : undefined;
    const shown = records.map((record) => asJson(record, crypter));
    return session.line(JSON.stringify(shown, null, 2));
  }
  if (records.length === 0) {
    const nothing = page > 1 ? `No stack updates found on page '${page}'` : "Stack has never been updated";
    return session.line(nothing);
  }
  for (const record of records) print(session, record, options.fullDates === true);
}

function print(session: Session, record: UpdateRecord, full: boolean): void {
  const { kind, result, message, startTime, endTime } = record;
  const changes = record.resourceChanges ?? {};
  const [created = 0, deleted = 0, updated = 0, same = 0] = ["create", "delete", "update", "same"].map(
    (op) => changes[op],
  );
  const started = new Date(startTime * 1000);
  const when = full ? started.toISOString() : ago(started, new Date());
  session.line(`Version: ${record.version ?? 0}`);
  session.line(`UpdateKind: ${kind}`);
  session.line(session.paint(result === "succeeded" ? "green" : "red", `Status: ${result}`));
  session.line(`Message: ${message}`);
  session.line(
    `+${created}-${deleted}~${updated} ${same} Updated ${when} took ${duration(endTime - startTime)}`,
  );
  for (const [key, value] of Object.entries(record.environment ?? {}).sort()) {
    if (value.trim() !== "") session.line(`    ${key}: ${value}`);
  }
  session.line();
}

function asJson(record: UpdateRecord, crypter: Crypter | undefined) {
  const config = Object.entries(record.config ?? {}).map(([key, raw]) => [key, configEntry(raw, crypter)]);
  const instant = (seconds: number) => new Date(seconds * 1000).toISOString();
  return {
    version: record.version ?? 0,
    kind: record.kind,
    startTime: instant(record.startTime),
    message: record.message,
    environment: record.environment ?? {},
    config: Object.fromEntries(config),
    result: record.result,
    endTime: instant(record.endTime),
    resourceChanges: record.resourceChanges ?? {},
  };
}

function configEntry(raw: unknown, crypter: Crypter | undefined) {
  const value = readValue(raw, () => crypter ?? maskedConfig);
  return valueJson(value, value.secret && !crypter);
}
