/** The table with which `npm start` ends: no token or secret is in it. */
import Table from "cli-table3";
import type { Member } from "./state.ts";

const DAY_MS = 86_400_000;

/** @param now milliseconds since 1970 */
export function membersTable(members: readonly Member[], now: number): string {
  const table = new Table({
    head: ["Person or purpose", "Seat", "Token valid until", "Known by", "Days left"],
    colAligns: ["left", "left", "left", "left", "right"],
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
    style: { head: [], border: [] },
  });
  const sorted = members.toSorted(
    (a, b) => Number(b.name.includes("@")) - Number(a.name.includes("@")) || a.name.localeCompare(b.name),
  );
  for (const { name, seat, token } of sorted) table.push([name, seat ? "yes" : "no", ...dates(token, now)]);
  return table.toString();
}

function dates(token: Member["token"], now: number): string[] {
  if (token === undefined) return ["no token", "", ""];
  const days = Math.floor((Date.parse(token.validUntil) - now) / DAY_MS);
  return [token.validUntil, token.expirySource === "service" ? "confirmed" : "declared", String(days)];
}
