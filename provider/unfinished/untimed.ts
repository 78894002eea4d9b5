import type { Creations } from "../resources/creations.ts";

/** Records creations outside the time limit of a method: each record is a command of Pulumi, which can take seconds. */
export function untimed(
  creations: Creations,
  operation: { deadline: number },
  elapsed: () => number,
): Creations {
  const pause = async <T>(work: () => Promise<T>): Promise<T> => {
    const since = elapsed();
    try {
      return await work();
    } finally {
      operation.deadline += elapsed() - since;
    }
  };
  return {
    begin: (user, isOwned, before) =>
      pause(async () => {
        const begun = await creations.begin(user, isOwned, before);
        return begun.kind === "begun" ? begun : { ...begun, drop: () => pause(begun.drop) };
      }),
    decide: (user, userId) => pause(() => creations.decide(user, userId)),
    forget: (user, userId, isReleased) => pause(() => creations.forget(user, userId, isReleased)),
  };
}
