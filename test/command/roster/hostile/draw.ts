/** Random choices that a number repeats. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1 (mulberry32). */
  part(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.part() * count);
  }

  pick<T>(all: readonly T[]): T {
    const [one] = all.slice(this.below(all.length));
    if (one === undefined) throw new Error("nothing to choose from");
    return one;
  }

  chance(of = 0.5): boolean {
    return this.part() < of;
  }

  shuffled<T>(all: readonly T[]): T[] {
    return all
      .map((one) => ({ one, place: this.part() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ one }) => one);
  }
}
