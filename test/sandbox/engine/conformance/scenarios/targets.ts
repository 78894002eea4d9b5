/** What `--target`, `--exclude` and their kin leave of an operation. */
import { scenariosIn } from "../scenario.ts";

export const targets = scenariosIn(`
updates only targets
  up <- a{value: 1} b{value: 1}
  preview --target {b} <- a{value: 2} b{value: 2} c
  up --target {b}
  up --target **Thing::c
updates targets and what depends on them
  up <- chain{value: 1} z{value: 1}
  up --target {a} --target-dependents <- a{value: 2} b{of: $a.out} c{of: $b.out} z{value: 2}
refuses a target that is not there
  up <- a
  up --target {nobody} says ["could not be found in the stack"]
refuses a target whose new dependency is none
  up --target {b} <- a b{of: $a.id} says ["depends on"]
leaves out what --exclude names
  up <- a{value: 1} b{value: 1}
  up --exclude {b} <- a{value: 2} b{value: 2}
deletes only targets that the program dropped
  up <- a b c
  up --target {b} <- c
destroys only targets, with their dependents when asked to
  up <- chain{value: 1} z
  destroy --target {b}
  destroy --target {b} --target-dependents
`);
