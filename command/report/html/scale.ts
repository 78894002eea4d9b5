/** The time axis: months along, and columns wide enough for a mark. */

const DAY_MS = 86_400_000;
const LEAST_MONTHS = 4;
const MOST_MONTHS = 37;
/** Fewer months than this have a name each; of more, every third has. */
const ALL_NAMED = 19;

export interface Scale {
  /** The position of a timestamp; the edge for one outside of the axis. */
  x(at: number): number;
  holds(at: number): boolean;
  columnOf(at: number): number;
  middleOf(column: number): number;
  readonly months: readonly { readonly x: number; readonly label: string; readonly isYear: boolean }[];
}

interface Extent {
  /** Timestamps in milliseconds since 1970. */
  readonly now: number;
  readonly ends: readonly number[];
  /** Where the axis begins and ends, and the least width of a column. */
  readonly left: number;
  readonly right: number;
  readonly column: number;
}

/** From the month before this one to the last end, but no longer than three years. */
export function scaleOf({ now, ends, left, right, column }: Extent): Scale {
  const start = monthAfter(now, -1);
  const last = ends.reduce((latest, end) => Math.max(latest, end), now);
  const wanted = monthsBetween(start, last) + 1;
  const total = Math.min(Math.max(wanted, LEAST_MONTHS), MOST_MONTHS);
  const stop = monthAfter(start, total);
  const within = (at: number) => Math.min(Math.max(at, start), stop - 1);
  const x = (at: number) => round(left + ((within(at) - start) / (stop - start)) * (right - left));
  const most = Math.floor((right - left) / column);
  const daysAColumn = Math.max(1, Math.ceil((stop - start) / DAY_MS / most));
  const width = daysAColumn * DAY_MS;
  return {
    x,
    holds: (at) => at >= start && at < stop,
    columnOf: (at) => Math.floor((within(at) - start) / width),
    middleOf: (index) => x(start + (index + 0.5) * width),
    months: Array.from({ length: total }, (_, index) => monthAfter(start, index)).flatMap((month) =>
      labelsOf(month, total, x(month)),
    ),
  };
}

function labelsOf(month: number, total: number, x: number): { x: number; label: string; isYear: boolean }[] {
  const date = new Date(month);
  const number = date.getUTCMonth();
  const isNamed = total < ALL_NAMED || number % 3 === 0;
  return [
    ...(isNamed ? [{ x, label: shortMonth.format(date), isYear: false }] : []),
    ...(number === 0 ? [{ x, label: String(date.getUTCFullYear()), isYear: true }] : []),
  ];
}

const shortMonth = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });

/** The first timestamp of the month that comes so many months after that of `at`. */
function monthAfter(at: number, months: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}

function monthsBetween(start: number, end: number): number {
  const [a, b] = [new Date(start), new Date(end)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
