/** Lists that are not whole, for tests: the contract has no pages (D31). */
import type { Switches } from "./settings.ts";

/** The first half of a list, with the field that the switch names; everything else as it is. */
export function firstPage(answer: unknown, pages: Switches["pages"]): unknown {
  if (pages === "none" || typeof answer !== "object" || answer === null) return answer;
  const name = ["items", "data"].find((one) => Array.isArray(Reflect.get(answer, one)));
  const all: unknown = name === undefined ? undefined : Reflect.get(answer, name);
  if (name === undefined || !Array.isArray(all)) return answer;
  const items: unknown[] = all.slice(0, Math.ceil(all.length / 2));
  return { ...answer, [name]: items, ...said(pages, items.length, all.length) };
}

function said(pages: Exclude<Switches["pages"], "none">, sent: number, all: number): object {
  switch (pages) {
    case "total_count":
      return { total_count: all };
    case "next":
      return { next: sent < all ? "cursor-of-the-next-page" : null };
    case "limit":
      return { limit: sent };
    case "has_more":
      return { has_more: sent < all };
  }
}
