/**
 * Parses the items of a list one by one: an item in an unexpected form costs the others nothing, and is named. What cannot
 * be read of it is missing, which means unknown. Pure.
 */
import { z } from "zod";
import { propertyOf } from "../../util/json.ts";
import { inert, shortList } from "../../util/text.ts";
import { deepest, describeIssue, forgive } from "./forgiving.ts";

/** An item of a list of which something cannot be read. */
export const oddItemSchema = z.object({
  /** From 1. */
  position: z.int(),
  /** The id of its object; undefined if that cannot be read either: the list then proves no absence. */
  id: z.string().optional(),
  email: z.string().optional(),
  /** What cannot be read, such as `role: expected string, got null`. */
  reason: z.string(),
});
export type OddItem = Readonly<z.output<typeof oddItemSchema>>;

/** A list without what cannot be read of it. */
export interface ForgivenList<T> {
  readonly value: T;
  /** The fields without which items are whole, such as `items[].first_name`. */
  readonly unread: readonly string[];
  readonly odd: readonly OddItem[];
}

/** Where the platforms have the items of a list; otherwise the body is the list. */
const PLACES = ["items", "data"] as const;
/** What identifies an object of a list. */
const IDS = ["id", "client_id", "name"] as const;
/** The next step about an item. */
export const REPORT_ITEM = "Correct it in the service, or report it to the operator";
/** Further reasons of one item repeat the first ones. */
const REASONS = 3;

/**
 * @param strict the schema of the whole response
 * @param partial the same, in which an item can lack what a caller can do without
 * @returns undefined if the response has no list, or something beside it is unreadable
 */
export function forgiveItems<T>(
  strict: z.ZodType<T>,
  partial: z.ZodType<T>,
  body: unknown,
): ForgivenList<T> | undefined {
  const place = PLACES.find((key) => Array.isArray(propertyOf(body, key)));
  const items: unknown = place === undefined ? body : propertyOf(body, place);
  if (!Array.isArray(items)) return undefined;
  const depth = place === undefined ? 1 : 2;
  const around = (list: readonly unknown[]): unknown =>
    place === undefined ? list : { ...Object(body), [place]: list };
  const kept: unknown[] = [];
  const odd: OddItem[] = [];
  const unread = new Set<string>();
  for (const [index, item] of items.entries()) {
    const list = around([item]);
    const known = readableIn(strict, list, place);
    for (const field of known?.unread ?? []) unread.add(field);
    const rest = known ?? readableIn(partial, list, place);
    if (rest !== undefined) kept.push(rest.item);
    if (known !== undefined) continue;
    const reason = reasonOf(strict, list, depth);
    odd.push({ position: index + 1, id: textIn(rest?.item, IDS), email: textIn(item, ["email"]), reason });
  }
  const whole = partial.safeParse(around(kept));
  return whole.success ? { value: whole.data, unread: [...unread], odd } : undefined;
}

/** The item without fields that cannot be read, and their names; undefined if the schema needs one of them. */
function readableIn(
  schema: z.ZodType,
  list: unknown,
  place: "items" | "data" | undefined,
): { readonly item: unknown; readonly unread: readonly string[] } | undefined {
  const parsed = schema.safeParse(list);
  const { rest, unread } = parsed.success
    ? { rest: list, unread: [] }
    : (forgive(schema, list, parsed.error, true) ?? {});
  const items = place === undefined ? rest : propertyOf(rest, place);
  return unread && { item: propertyOf(items, 0), unread };
}

function textIn(item: unknown, fields: readonly string[]): string | undefined {
  const texts = fields.map((field) => propertyOf(item, field));
  const found = texts.find((text) => typeof text === "string" && text !== "");
  return typeof found === "string" ? inert(found) : undefined;
}

/** @param depth the length of the path to the item */
function reasonOf(schema: z.ZodType, list: unknown, depth: number): string {
  const { error } = schema.safeParse(list);
  const reasons = (error?.issues ?? []).map((one) => describeIssue(deepest([one]), list, depth));
  return shortList([...new Set(reasons)], REASONS);
}

/** The items each of which may be any object that the list lacks: with them, the list proves no absence. */
export function hiddenIn(odd: readonly OddItem[]): OddItem[] {
  return odd.filter(({ id }) => id === undefined);
}

/** `item 3 (7a1f…, ada@acme.example): role: expected string, got null`. */
export function oddItemText(item: OddItem): string {
  return `item ${nameOf(item)}: ${item.reason}`;
}

function nameOf({ position, id, email }: OddItem): string {
  const names = [id, email].filter((name) => name !== undefined);
  return `${position} (${names.join(", ") || "no readable id"})`;
}

/** One sentence for the items of one reason. @param list the operation, such as `list users` */
export function oddWarnings(list: string, odd: readonly OddItem[]): string[] {
  return [...Map.groupBy(odd, ({ reason }) => reason)].map(([reason, items]) => {
    const which = `${items.length === 1 ? "item" : "items"} ${shortList(items.map(nameOf))}`;
    const isHiding = hiddenIn(items).length > 0;
    const effect = isHiding
      ? "It may be anyone, so no one counts as gone"
      : "What the list does not say counts as unknown; nothing else is affected";
    return `the service answered "${list}" with ${which} in a form that orgseat cannot read: ${reason}. ${effect}. ${REPORT_ITEM}.`;
  });
}
