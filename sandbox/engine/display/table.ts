/** Tables and times as Pulumi's commands print them. */

/** Columns two spaces apart, the last one as long as it likes. */
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

const units: [name: string, seconds: number][] = [
  ["year", 360 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** How long ago that was, in the largest unit that fits. */
export function ago(then: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - then.getTime()) / 1000);
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? ["", 1];
  if (unit === "") return "now";
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** So many seconds as Go writes them: 5s, 1m5s, 1h0m5s. */
export function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [`${hours}h`, `${minutes}m`] : minutes > 0 ? [`${minutes}m`] : [];
  return `${parts.join("")}${seconds % 60}s`;
}
