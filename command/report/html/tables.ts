/** A table of the page. Names are in `bdi`, so that a name written from right to left does not reverse other text. */
import type { Column } from "../texts/table.ts";
import { html, type Markup, nothing, scroller } from "./markup.ts";

/** @param name for a screen reader */
export function tableOf<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Markup {
  const isNarrow = columns.some(({ kind }) => kind === "number");
  const heads = columns.map(
    ({ head, kind }) => html`<th scope="col"${classed(kind === "number" && kind)}>${head}</th>`,
  );
  return scroller(
    name,
    html`<table${classed(isNarrow && "narrow")}>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map((column, index) => cellOf(column, row, index === 0))}</tr>`)}
</tbody></table>`,
  );
}

function cellOf<Row>({ cell, kind, band, detail }: Column<Row>, row: Row, isFirst: boolean): Markup {
  const inBand = band?.(row);
  const look = classed(inBand === undefined ? kind !== "name" && kind : `days ${inBand}`);
  const more = detail?.(row) ?? "";
  const text = cell(row);
  const content = html`${kind === "name" ? bdi(text) : text}${more === "" ? nothing : html`<span class="sub">${bdi(more)}</span>`}`;
  return isFirst ? html`<th scope="row"${look}>${content}</th>` : html`<td${look}>${content}</td>`;
}

function classed(name: string | false | undefined): Markup {
  return name ? html` class="${name}"` : nothing;
}

function bdi(text: string): Markup {
  return text === "" ? nothing : html`<bdi>${text}</bdi>`;
}
