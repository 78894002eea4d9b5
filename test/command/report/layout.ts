/** How a page of the report is laid out in a browser. */
import { z } from "zod";
import type { Page } from "../../browser/browser.ts";

export interface Layout {
  /** By how many pixels the page is wider than the window. */
  readonly excess: number;
  /** Elements that reach beyond the card around them, with their texts; what scrolls inside of the card does not. */
  readonly outside: readonly string[];
  /** Pairs of texts that touch. */
  readonly touching: readonly string[];
  /** Elements with a part that only scrolling shows. */
  readonly scrolling: readonly string[];
}

export const sound: Layout = { excess: 0, outside: [], touching: [], scrolling: [] };

/** Measures a page. Every table and timeline of the report may scroll in a window. */
export function layoutOf(page: Page): Promise<Layout> {
  return page.evaluate(layoutSchema, measure);
}

const layoutSchema = z.object({
  excess: z.number(),
  outside: z.array(z.string()),
  touching: z.array(z.string()),
  scrolling: z.array(z.string()),
});

/** Runs in the browser. Letters are about three fifths as high as the box of their text: two texts touch where their letters do. */
const measure = `(() => {
  const textOf = (node) => node.nodeName + ': ' + node.textContent.trim().slice(0, 60);
  const boxOf = (element) => element.getBoundingClientRect();
  const outside = [...document.querySelectorAll('section, .tiles li')].flatMap((card) => {
    const { left, right } = boxOf(card);
    return [...card.querySelectorAll('*')].filter((element) => {
      const scroller = element.closest('.scroll');
      if (scroller !== null && scroller !== element) return false;
      const box = boxOf(element);
      return box.width > 0 && (box.left < left - 0.5 || box.right > right + 0.5 || element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && scroller === null);
    }).map(textOf);
  });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.textContent.trim() === '' || node.parentElement.closest('title, meter')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const isLabel = node.parentElement.closest('svg') !== null;
    const boxes = isLabel ? [boxOf(node.parentElement)] : [...range.getClientRects()];
    texts.push(...boxes.filter(({ width }) => width > 0).map(({ left, right, top, height }) => ({ node, box: { left, right, top: top + height / 5, bottom: top + height * 4 / 5 } })));
  }
  texts.sort((a, b) => a.box.top - b.box.top);
  const touching = [];
  texts.forEach(({ node, box }, index) => {
    for (const other of texts.slice(index + 1)) {
      if (other.box.top >= box.bottom) break;
      if (other.node === node) continue;
      if (other.box.left < box.right - 0.5 && box.left < other.box.right - 0.5) touching.push(textOf(node) + ' / ' + textOf(other.node));
    }
  });
  const scrolling = [...document.querySelectorAll('.scroll')].filter((element) => element.scrollWidth > element.clientWidth + 1);
  const { scrollWidth, clientWidth } = document.documentElement;
  return { excess: scrollWidth - clientWidth, outside: outside.slice(0, 20), touching: touching.slice(0, 20), scrolling: scrolling.map(textOf).slice(0, 20) };
})()`;

const violationsSchema = z.array(z.string());

/** What axe-core finds wrong for people with assistive technology: rule and element. @param axe its source */
export async function violationsOf(page: Page, axe: string): Promise<string[]> {
  await page.evaluate(z.unknown(), `${axe}; undefined`);
  return page.evaluate(
    violationsSchema,
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => id + ': ' + target + ': ' + failureSummary)))`,
  );
}
