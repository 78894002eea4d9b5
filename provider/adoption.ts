/** A run that takes over what exists and writes nothing (`ORGSEAT_ADOPT_ONLY=1`): every write is refused before it is sent. */
import type { Observer } from "./api/observer.ts";

export const adoptOnly: Observer = {
  beforeSend: () =>
    "this run takes over what exists and writes nothing (ORGSEAT_ADOPT_ONLY); leave out of the program what would be made, changed or removed, or say what it takes over (`adopt`)",
  afterSend: () => {},
};
