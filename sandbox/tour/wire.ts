/** The requests of a chapter, by the person that they concern. */
import { calls } from "../../provider/api/calls.ts";
import type { LoggedRequest } from "../service/index.ts";

const names = new Map<number, string>(Object.values(calls).map(({ number, name }) => [number, name]));

/** The interface's numbers of the operations for each person, in order. @param nameOf the person of a user id */
export function callsByPerson(
  requests: readonly LoggedRequest[],
  nameOf: (userId: string) => string,
): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { call, userId } of requests) {
    if (typeof call !== "number") continue;
    const who = userId === null ? "" : nameOf(userId);
    found.set(who, [...(found.get(who) ?? []), call]);
  }
  return found;
}

/** One line per request, those of one person together. */
export function tellCalls(requests: readonly LoggedRequest[], nameOf: (userId: string) => string): string[] {
  const rows = requests.map(({ call, userId, status }) => ({
    what: typeof call === "number" ? `call ${call}` : "token",
    name: typeof call === "number" ? (names.get(call) ?? "") : "access token",
    who: userId === null ? "(the service account)" : nameOf(userId),
    status: status === null ? "no answer" : String(status),
  }));
  const width = (key: "what" | "name" | "who"): number => Math.max(0, ...rows.map((row) => row[key].length));
  const [what, name, who] = [width("what"), width("name"), width("who")];
  return [...Map.groupBy(rows, (row) => row.who).values()]
    .flat()
    .map(
      (row) => `${row.what.padEnd(what)}  ${row.name.padEnd(name)}  ${row.who.padEnd(who)}  ${row.status}`,
    );
}
