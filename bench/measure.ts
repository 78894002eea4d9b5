/** Relative measurements: two alternatives run alternately, and the result is the ratio of each pair. */

/** Runs `ours` and `theirs` alternately. @returns the median ratio of the pairs, and the medians in milliseconds */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ratio: number; ours: number; theirs: number; rounds: number }> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round++) pairs.push([await ours(), await theirs()]);
  return {
    ratio: median(pairs.map(([one, other]) => one / other)),
    ours: median(pairs.map(([one]) => one)),
    theirs: median(pairs.map(([, other]) => other)),
    rounds,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The duration of the work, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** One figure of the page. */
export interface Figure {
  readonly what: string;
  readonly aim: string;
  readonly measured: string;
  readonly met: boolean;
  readonly detail: string;
}

/** A table in Markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const [first, ...others] = [head, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [first, `|${"---|".repeat(head.length)}`, ...others].join("\n");
}

/** Of a measured memory; empty if it is not known. */
export function mebibytes(bytes: number): string {
  return bytes === 0 ? "" : `${Math.round(bytes / 1024 ** 2)} MiB`;
}
