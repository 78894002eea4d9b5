/** Tables and durations as the Pulumi CLI prints them. */

/** Columns two spaces apart. */
export function table(headers: string[], rows: string[][], prefix = ""): string {
  const all = [headers, ...rows];
  const widths = headers.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => {
    const [first = "", ...rest] = row;
    // Further lines of the last cell stand below its first.
    const below = `\n${" ".repeat((widths[0] ?? 0) + 2 + prefix.length)}`;
    const cells = [first, ...(row.length === 2 ? rest.map((text) => text.replaceAll("\n", below)) : rest)];
    return cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ");
  };
  return all.map((row) => `${prefix}${line(row)}`.trimEnd()).join("\n");
}

/** A duration in seconds, as Go writes it: 5s, 1m5s, 1h0m5s. */
export function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [`${hours}h`, `${minutes}m`] : minutes > 0 ? [`${minutes}m`] : [];
  return `${parts.join("")}${seconds % 60}s`;
}
