/** Items of lists in a form that no service should send: for tests of readers. The description does not apply to them. */
import { z } from "zod";

export const oddItemSchema = z.strictObject({
  /** The number of the list's operation. */
  call: z.int(),
  /** The id, client id, or name of the item to change; undefined for one more item. */
  id: z.string().optional(),
  /** What replaces the fields of the item, or is the item; a value that is no object replaces the whole item. Without it, the list lacks the item. */
  item: z.unknown().optional(),
});
export type OddItem = z.input<typeof oddItemSchema>;

/** The answer with the odd items of the operation. */
export function withOddItems(odd: readonly OddItem[], call: number, answer: unknown): unknown {
  const mine = odd.filter((one) => one.call === call);
  if (mine.length === 0) return answer;
  if (Array.isArray(answer)) return changed(answer, mine);
  const lists = Object.entries(Object(answer)).map(([key, value]) => [
    key,
    Array.isArray(value) ? changed(value, mine) : value,
  ]);
  return Object.fromEntries(lists);
}

function changed(items: readonly unknown[], odd: readonly OddItem[]): unknown[] {
  const changes = new Map(odd.map(({ id, item }) => [id, item]));
  const known = items.flatMap((item) => {
    const id = idOf(item);
    if (id === undefined || !changes.has(id)) return [item];
    const change = changes.get(id);
    if (change === undefined) return [];
    const isPart = typeof change === "object" && change !== null && !Array.isArray(change);
    return [isPart ? { ...Object(item), ...change } : change];
  });
  return [...known, ...odd.flatMap(({ id, item }) => (id === undefined ? [item] : []))];
}

function idOf(item: unknown): string | undefined {
  if (typeof item === "string") return item;
  const { id, client_id, name } = Object(item);
  return [id, client_id, name].find((one) => typeof one === "string");
}
