/** Refreshes. */
import { scenariosIn } from "../scenario.ts";

export const refreshes = scenariosIn(`
drops what a refresh does not find and keeps what it finds changed
  up <- a{value: 1} b c+{dependsOn: [b]}
  refresh !{read a: drift, read b: gone}
  preview !{}
  up
previews a refresh without keeping what it finds
  up <- a{value: 1} b
  refresh --preview-only !{read a: drift, read b: gone}
takes over the inputs that a read reports
  up <- a{value: 1}
  refresh !{read a: inputs}
  up !{}
finds nothing to do in a refresh without drift
  up <- chain{value: 1}
  refresh --expect-no-changes
fails a refresh that expected no changes
  up <- a{value: 1}
  refresh --expect-no-changes !{read a: drift}
reads first when an update is asked to refresh
  up <- a{value: 1}
  preview --refresh !{read a: drift}
  up --refresh
creates again what an update's refresh does not find
  up <- chain{value: 1}
  up --refresh !{read b: gone}
refreshes only targets
  up <- a{value: 1} b{value: 1}
  refresh --target {b} !{read a: drift, read b: drift}
refreshes targets alone, even with --target-dependents
  up <- chain{value: 1}
  refresh --target {b} --target-dependents
destroys what a destroy's refresh still finds
  up <- chain{value: 1}
  destroy --refresh !{read c: gone}
`);
