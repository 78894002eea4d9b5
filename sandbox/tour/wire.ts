/** The requests of a chapter, by the person that they concern. */
import { anacondaCalls } from "../../provider/api/calls/anaconda-calls.ts";
import type { LoggedRequest } from "../service/index.ts";

/** The names of operations by their number in the interface document, which the request log has. */
const names = new Map<number, string>(Object.values(anacondaCalls).map(({ number, name }) => [number, name]));

/** The names of the operations for each person, in order. @param nameOf the person of a user id */
export function operationsByPerson(
  requests: readonly LoggedRequest[],
  nameOf: (userId: string) => string,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { call, userId } of requests) {
    if (typeof call !== "number") continue;
    const person = userId === null ? "" : nameOf(userId);
    found.set(person, [...(found.get(person) ?? []), names.get(call) ?? ""]);
  }
  return found;
}

/** One line per request, those of one person together. */
export function requestLines(
  requests: readonly LoggedRequest[],
  nameOf: (userId: string) => string,
): string[] {
  const rows = requests.map(({ call, userId, status }) => ({
    operation: typeof call === "number" ? (names.get(call) ?? "") : "get access token",
    person: userId === null ? "(service account)" : nameOf(userId),
    status: status === null ? "no response" : String(status),
  }));
  const width = (key: "operation" | "person"): number => Math.max(0, ...rows.map((row) => row[key].length));
  const [operation, person] = [width("operation"), width("person")];
  return [...Map.groupBy(rows, (row) => row.person).values()]
    .flat()
    .map((row) => `${row.operation.padEnd(operation)}  ${row.person.padEnd(person)}  ${row.status}`);
}
