/** One row of CSV (RFC 4180) without its line end. */
export function csvCells(values: readonly (string | number | null | undefined)[], delimiter = ","): string {
  return values.map((value) => quoted(String(value ?? ""), delimiter)).join(delimiter);
}

/** Rosters have comments, so a `#` at the beginning of a cell is quoted too. */
function quoted(text: string, delimiter: string): string {
  const needsQuotes = /^#|["\r\n]/.test(text) || text.includes(delimiter);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
