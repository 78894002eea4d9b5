/** The tables at the end of `npm start`, without tokens and secrets. */
import Table from "cli-table3";
import type { StackContents, TrackedMember } from "./state.ts";

const DAY_MS = 86_400_000;

/** @param now milliseconds since 1970 */
export function membersTable(members: readonly TrackedMember[], now: number): string {
  const head = ["Person or purpose", "Seat", "Token expires", "Expiry", "Days left"];
  const table = tableOf(head, "right");
  const sorted = members.toSorted(
    (a, b) => Number(b.name.includes("@")) - Number(a.name.includes("@")) || a.name.localeCompare(b.name),
  );
  for (const { name, seat, token } of sorted) table.push([name, seat ? "yes" : "no", ...dates(token, now)]);
  return render(table);
}

/** The servers and tables of the model area; undefined where the program has none. */
export function modelTable({
  servers,
  tables,
}: Pick<StackContents, "servers" | "tables">): string | undefined {
  if (servers.length + tables.length === 0) return undefined;
  const table = tableOf(["Server or table", "Kind", "Status or rows", "Address"], "left");
  for (const { id, tag, status, server } of servers) {
    table.push([tag ?? id, "server", status ?? "", server ? `${server.host}:${server.port}` : ""]);
  }
  for (const { name, numRows } of tables) {
    table.push([name, "table", numRows === null ? "" : `${numRows} ${numRows === 1 ? "row" : "rows"}`, ""]);
  }
  return render(table);
}

function tableOf(head: string[], last: "left" | "right"): Table.Table {
  return new Table({
    head,
    colAligns: [...head.slice(1).map(() => "left" as const), last],
    style: { head: [], border: [] },
  });
}

/** A table with a line below its header and none between its rows. */
function render(table: Table.Table): string {
  const lines = table.toString().split("\n");
  const isRule = (line: string): boolean => line.startsWith("├");
  const header = lines.findIndex(isRule);
  return lines.filter((line, index) => !isRule(line) || index === header).join("\n");
}

function dates(token: TrackedMember["token"], now: number): string[] {
  if (token === undefined) return ["no token", "", ""];
  const days = Math.floor((Date.parse(token.validUntil) - now) / DAY_MS);
  return [token.validUntil, token.expirySource === "service" ? "confirmed" : "declared", String(days)];
}
