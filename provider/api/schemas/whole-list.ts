/**
 * Whether a list says that it is a part: what it lacks would look removed, and what else there is would be made twice. The
 * interface has no pages (D31), but a service can add them. Pure.
 */
import { propertyOf } from "../../util/json.ts";

/** What a wrapper says about its list, by the names of its fields in lower case without `_` and `-`. */
const TOTAL = /^(total|totalcount|totalitems|totalresults|totalrecords|totalsize|count)$/;
const PAGES = /^(totalpages|pagecount|pages)$/;
const MORE = /^(more|(has|is)(more|next|nextpage|truncated|partial)|truncated)$/;
const NEXT = /^next/;
const LIMIT = /^(limit|pagesize|perpage|pagelimit|maxresults)$/;
/** The objects of a wrapper that can have these fields. */
const PARTS = /^(pagination|paging|page|pageinfo|meta|metadata|links?)$/;

/**
 * Why the list in a response is not whole, such as `it has 4 of 9 items (total_count)`.
 * @returns undefined for a whole list, and for a response without a list
 */
export function partOfList(body: unknown): string | undefined {
  const list = [propertyOf(body, "items"), propertyOf(body, "data")].find(Array.isArray);
  if (list === undefined || Array.isArray(body)) return undefined;
  const fields = fieldsOf(body).flatMap(([name, value]) =>
    PARTS.test(plain(name)) ? fieldsOf(value) : [[name, value] as const],
  );
  const found = (form: RegExp, says: (value: unknown) => boolean): string | undefined =>
    fields.find(([name, value]) => form.test(plain(name)) && says(value))?.[0];
  const { length } = list;
  const [total, count] =
    fields.find(([name, value]) => TOTAL.test(plain(name)) && numberIn(value) > length) ?? [];
  if (total !== undefined) return `it has ${length} of ${numberIn(count)} items (${total})`;
  const more =
    found(NEXT, isGiven) ??
    found(MORE, (value) => value === true) ??
    found(PAGES, (value) => numberIn(value) > 1);
  if (more !== undefined) return `it says that there are more items (${more})`;
  const isCounted = found(TOTAL, (value) => numberIn(value) === length) !== undefined;
  const limit = isCounted ? undefined : found(LIMIT, (value) => isReached(numberIn(value), length));
  return limit === undefined ? undefined : `it has as many items as it may have (${limit}: ${length})`;
}

function fieldsOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** NaN for anything that is no number, in digits or as text. */
function numberIn(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== "";
}

/** A limit of 0 stands for none. */
function isReached(limit: number, length: number): boolean {
  return limit > 0 && length >= limit;
}
