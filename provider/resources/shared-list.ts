/** The lists of the service that all resources of a run share, such as that of the servers. */
import type { CallContext, ModelAccess } from "./contexts.ts";

export interface SharedList<Access, Found> {
  /** Reads it now. */
  now(access: Access, context: CallContext): Promise<Found>;
  /** Reads it once in a run. */
  once(access: Access, context: CallContext): Promise<Found>;
  /** The next `once` reads again: call it before a write. */
  forget(access: Access, context: CallContext): void;
  /**
   * Creates one object of the list at a time, so that the lists before and after show which one is new.
   * @param create gets the list from before
   */
  createNext<Created>(
    access: Access,
    context: CallContext,
    create: (before: Found) => Promise<Created>,
  ): Promise<Created>;
}

/** @param keyOf the name of the list in a run */
export function sharedList<Access, Found>(
  keyOf: (access: Access) => string,
  now: SharedList<Access, Found>["now"],
): SharedList<Access, Found> {
  const forget = (access: Access, { run }: CallContext): void => run.forget(keyOf(access));
  return {
    now,
    forget,
    once: (access, context) => context.run.readOnce(keyOf(access), () => now(access, context)),
    createNext(access, context, create) {
      const createNow = async () => {
        forget(access, context);
        return create(await now(access, context));
      };
      return context.run.runExclusive(`create ${keyOf(access)}`, createNow, context.time.operation);
    },
  };
}

/** The name of a list of the model area. */
export function seenByKey(what: string): (owner: ModelAccess) => string {
  return ({ credentials }) => `${what} seen by ${credentials?.apiKey ?? "the configured key"}`;
}
