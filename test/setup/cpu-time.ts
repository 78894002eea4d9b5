const ROUNDS = 5;

/**
 * How many times the CPU time of one piece of work is that of another. It takes the least of some runs of each, in turn,
 * so that neither the speed of the machine nor other work on it decides.
 */
export function cpuTimeRatio(large: () => unknown, small: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => ({ large: cpuTimeOf(large), small: cpuTimeOf(small) }));
  return Math.min(...rounds.map((round) => round.large)) / Math.min(...rounds.map((round) => round.small));
}

/** In microseconds. */
function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
