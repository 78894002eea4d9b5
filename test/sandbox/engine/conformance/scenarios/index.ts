/** All scenarios of the conformance suite. */
import type { Scenario } from "../scenario.ts";
import { changes } from "./changes.ts";
import { failures } from "./failures.ts";
import { options } from "./options.ts";
import { reads } from "./reads.ts";
import { refreshes } from "./refreshes.ts";
import { replacements } from "./replacements.ts";
import { settings } from "./settings.ts";
import { targets } from "./targets.ts";

export const scenarios: readonly Scenario[] = [
  ...changes,
  ...replacements,
  ...failures,
  ...options,
  ...refreshes,
  ...targets,
  ...reads,
  ...settings,
];
