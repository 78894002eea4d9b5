/**
 * Like `Promise.all` over `items`, with at most `concurrency` of them at work.
 * @returns the results in the order of the items @throws the first error of `work`
 */

export function mapConcurrently<Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const all = [...items];
  const remaining = all.entries();
  // Workers share one iterator, so each takes the next item that is left.
  const workers = Array.from({ length: Math.min(concurrency, all.length) }, async () => {
    for (const [place, item] of remaining) results[place] = await work(item);
  });
  return Promise.all(workers).then(() => results);
}

/** Lets at most `most` pieces of work run at once; the others wait for their turn. */
export function limiter(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
