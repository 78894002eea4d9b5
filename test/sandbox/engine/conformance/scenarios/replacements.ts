/** Replacements of both kinds, and what they drag along. */
import { scenariosIn } from "../scenario.ts";

export const replacements = scenariosIn(`
replaces by creating first and deletes the old one at the end
  up <- a{value: 1, replaceOn: [value]} b{of: $a.id}
  preview <- a{value: 2, replaceOn: [value]} b{of: $a.id}
  up
replaces a whole row by creating first
  up <- a{value: 1, replaceOn: [value]} b{of: $a.id, replaceOn: [of]}
  up <- a{value: 2, replaceOn: [value]} b{of: $a.id, replaceOn: [of]}
drags along what a deletion before a replacement would break
  up <- chain{value: 1, replaceOn: [value]}
  preview <- chain{value: 2, replaceOn: [value], deleteFirst: true}
  up
drags along nothing that would only be updated
  up <- a{value: 1, replaceOn: [value]}+{deleteBeforeReplace: true} b{of: $a.id}
  up <- a{value: 2, replaceOn: [value]}+{deleteBeforeReplace: true} b{of: $a.id}
drags along nothing that only has to come after
  up <- a{value: 1, replaceOn: [value], deleteFirst: true} b+{dependsOn: [a]}
  up <- a{value: 2, replaceOn: [value], deleteFirst: true} b+{dependsOn: [a]}
lets the option deleteBeforeReplace: false win over the provider
  up <- a{value: 1, replaceOn: [value], deleteFirst: true}+{deleteBeforeReplace: false} b{of: $a.id}
  up <- a{value: 2, replaceOn: [value], deleteFirst: true}+{deleteBeforeReplace: false} b{of: $a.id}
creates the next one before it deletes the last of a seat that is kept first
  up <- user{email: a, replaceOn: [email]} seat{of: $user.id, replaceOn: [of], deleteFirst: true} token{of: $seat.id, replaceOn: [of], deleteFirst: true}
  up <- user{email: b, replaceOn: [email]} seat{of: $user.id, replaceOn: [of], deleteFirst: true} token{of: $seat.id, replaceOn: [of], deleteFirst: true}
replaces on changes of properties the program names
  up <- a{value: 1, deep: {x: 1}}+{replaceOnChanges: [value]} b{value: 1}+{replaceOnChanges: [other], dependsOn: [a]} c{value: 1, other: 1}+{replaceOnChanges: [value]}~{provider: undecided}
  up <- a{value: 2, deep: {x: 1}}+{replaceOnChanges: [value]} b{value: 2}+{replaceOnChanges: [other], dependsOn: [a]} c{value: 2, other: 1}+{replaceOnChanges: [value]}~{provider: undecided}
replaces what --replace names
  up <- chain{value: 1}
  preview --replace {c}
  up --replace {c}
updates and replaces only what --target-replace names
  up <- a{value: 1} b{value: 1}
  up --target-replace {b} <- a{value: 2} b{value: 2}
replaces with another resource where the program says so
  up <- a{value: 1, replaceOn: [value]} b+{replaceWith: [a]}
  up <- a{value: 2, replaceOn: [value]} b+{replaceWith: [a]}
refuses to replace what is protected
  up <- a{value: 1, replaceOn: [value]}+{protect: true} b{of: $a.id}
  preview <- a{value: 2, replaceOn: [value]}+{protect: true} b{of: $a.id} says ["marked for protection"]
  up says ["marked for protection"]
forgets the old one of a replacement that is retained
  up <- a{value: 1, replaceOn: [value]}+{retainOnDelete: true} b{of: $a.id}
  up <- a{value: 2, replaceOn: [value]}+{retainOnDelete: true} b{of: $a.id}
leaves the old one where its replacement could not be created
  up <- a{value: 1, replaceOn: [value]} b{of: $a.id}
  up <- a{value: 2, replaceOn: [value]} b{of: $a.id} !{create a: plain} says ["create of a refused"]
  up !{}
keeps a replacement that was created halfway
  up <- a{value: 1, replaceOn: [value]} b{of: $a.id}
  up <- a{value: 2, replaceOn: [value]} b{of: $a.id} !{create a: partial} says ["a is half done"]
  up !{}
stops where the deletion before a replacement fails
  up <- chain{value: 1, replaceOn: [value], deleteFirst: true}
  up <- chain{value: 2, replaceOn: [value], deleteFirst: true} !{delete b: plain} says ["delete of b refused"]
  up !{}
finishes a replacement that failed after its deletions
  up <- chain{value: 1, replaceOn: [value], deleteFirst: true}
  up <- chain{value: 2, replaceOn: [value], deleteFirst: true} !{create a: plain}
  preview !{}
  up
deletes at the next run what a failed run left to delete
  up <- a{value: 1, replaceOn: [value]} b{of: $a.id}
  up <- a{value: 2, replaceOn: [value]} b{of: $a.id} !{delete a: plain}
  preview !{}
  up
forgets a pending replacement that the program dropped
  up <- a{value: 1, replaceOn: [value], deleteFirst: true}
  up <- a{value: 2, replaceOn: [value], deleteFirst: true} !{create a: plain}
  up <- nothing !{}
`);
