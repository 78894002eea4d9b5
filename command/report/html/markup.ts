/** HTML by a template in which every value is escaped, unless it is markup itself. */

import { visibleLines } from "../../../provider/util/text.ts";

/** Markup that may stand in a page as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Markup | readonly Markup[];

/** Values are escaped for texts and for attributes in double quotes, the only places for them. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(
    parts.map((part, index) => (index === 0 ? part : `${textOf(values[index - 1])}${part}`)).join(""),
  );
}

export const nothing = new Markup("");

/** Scrolls sideways if it is wider than the window, with the keyboard too. @param name for a screen reader */
export function scroller(name: string, content: Markup): Markup {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${name}">${content}</div>`;
}

function textOf(value: Value | undefined): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escaped(String(value));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that HTML does not allow, and halves of such as emoji, become the replacement character; invisible ones are numbers. */
function escaped(text: string): string {
  const allowed = text.toWellFormed().replaceAll(/[^\P{Cc}\t\n]/gu, "\u{fffd}");
  return visibleLines(allowed).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
