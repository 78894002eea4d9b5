/** `history`: the updates of a stack. */

import { readHistory, type UpdateRecord } from "../history.ts";
import { readState } from "../locks.ts";
import type { Crypter } from "../values.ts";
import type { GlobalOptions, Session } from "./session.ts";

interface HistoryOptions extends GlobalOptions {
  json?: boolean;
  showSecrets?: boolean;
  pageSize: string;
  page: string;
}

/** An instant as Pulumi prints it in JSON. */
export function parseTime(text: string): string {
  return new Date(text).toISOString();
}

export async function printHistory(session: Session, options: HistoryOptions): Promise<void> {
  const name = session.stack();
  readState(session.backend, name, session.warn);
  const size = Math.max(1, Number(options.pageSize) || 10);
  const page = Math.max(1, Number(options.page) || 1);
  const records = readHistory(session.backend, name).slice((page - 1) * size, page * size);
  const crypter = options.showSecrets ? (await session.secrets(name)).crypter : undefined;
  if (options.json)
    return session.line(
      JSON.stringify(
        records.map((record) => shown(record, crypter)),
        null,
        2,
      ),
    );
  if (records.length === 0) return session.line("Stack has never been updated");
  for (const record of records) {
    session.line(`UpdateKind: ${record.kind}`);
    session.line(`Status: ${record.result}${record.message === "" ? "" : ` (${record.message})`}`);
    const changes = Object.entries(record.resourceChanges ?? {}).map(([op, count]) => `${op} ${count}`);
    session.line(`    ${new Date(record.startTime * 1000).toISOString()}  ${changes.join(", ")}`);
    session.line();
  }
}

function shown(record: UpdateRecord, crypter: Crypter | undefined) {
  const config = Object.entries(record.config ?? {}).map(([key, raw]) => [key, configEntry(raw, crypter)]);
  return {
    kind: record.kind,
    startTime: new Date(record.startTime * 1000).toISOString(),
    message: record.message,
    environment: record.environment ?? {},
    config: Object.fromEntries(config),
    version: record.version ?? 0,
    result: record.result,
    endTime: new Date(record.endTime * 1000).toISOString(),
    resourceChanges: record.resourceChanges ?? {},
  };
}

function configEntry(raw: unknown, crypter: Crypter | undefined): { value?: string; secret: boolean } {
  if (typeof raw === "object" && raw !== null && "secure" in raw && typeof raw.secure === "string") {
    return crypter ? { value: crypter.decrypt(raw.secure), secret: true } : { secret: true };
  }
  return { value: typeof raw === "string" ? raw : JSON.stringify(raw), secret: false };
}
