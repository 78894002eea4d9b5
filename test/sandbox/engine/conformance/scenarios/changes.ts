/** Creating, comparing and updating. */
import { scenariosIn } from "../scenario.ts";

export const changes = scenariosIn(String.raw`
creates in order and passes ids on
  up <- chain{value: 1} %{outputs: {last: $c.out}}
  stack output last says ["out of c-1"]
previews a creation with unknown ids and creates nothing
  preview <- chain{value: 1}
leaves what did not change alone
  up <- chain{value: 1}
  preview
  up
updates in place and leaves dependents by id alone
  up <- chain{value: 1}
  preview <- chain{value: 2}
  up says ["[diff: ~value]"]
cascades unknown outputs through the preview of an update
  up <- a{value: 1} b{of: $a.out}
  preview <- a{value: 2} b{of: $a.out}
  up
adds and takes away inputs
  up <- a{first: 1, both: 1}
  up <- a{second: 2, both: 1} says ["[diff: +second-first]"]
keeps values of every kind as they are
  up <- a{text: "ä 😀 \n", empty: "", yes: true, no: false, nothing: null, number: 1.5, big: 9007199254740992, list: [1, [x], {}], map: {a: {b: []}, "with.dots": 1}} b{copy: $a.map, list: $a.list}
  up
stores what check makes of the inputs
  up <- a{value: 1, defaulted: true}
  up <- a{value: 2, defaulted: true}
compares inputs itself where the provider has no diff
  up <- a{value: 1, kept: 1}~{provider: undecided}
  up
  preview <- a{value: 2, kept: 1}~{provider: undecided}
  up
keeps no outputs of a provider that gives none
  up <- a{value: 1}~{provider: lossy}
  up <- a{value: 2}~{provider: bare}
fails a preview that expected no changes, and one without changes not
  preview --expect-no-changes <- a{value: 1} says ["no changes were expected for preview but changes were proposed"]
  up
  preview --expect-no-changes
  up --expect-no-changes <- a{value: 2}
replaces the stack's outputs by those of the last run
  up <- a %{outputs: {id: $a.id, old: 1, list: [1, 2]}}
  preview <- a %{outputs: {id: $a.id, added: x}}
  up
  stack output --json says ["\"added\": \"x\"", "\"id\": \"a-1\""]
refuses two resources of one name
  up <- a a says ["Duplicate resource URN"]
refuses what check refuses
  preview <- a{bad: true} says ["property bad", "it is bad"]
  up says ["property bad", "it is bad"]
shows a provider's warnings with their resource and goes on
  preview <- a b !{check a: warn} says ["pulumi-nodejs:test:Thing (a):", "warning: mind a"]
removes dependents first
  up <- chain{value: 1}
  preview <- nothing
  up
swaps one resource for another
  up <- a b{of: $a.id}
  up <- c b{of: $c.id}
`);
