/** A repeatable random generator. */
export interface Random {
  /** A number from 0 up to 1. */
  number(): number;
  one<Value>(values: readonly Value[]): Value;
}

/** The 32-bit generator mulberry32: sufficient for names, not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const number = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    number,
    one: (values) => {
      const value = values[Math.floor(number() * values.length)];
      if (value === undefined) throw new Error("nothing to draw from");
      return value;
    },
  };
}
