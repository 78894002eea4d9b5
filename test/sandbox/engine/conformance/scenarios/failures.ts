/** A failure at each call of the provider, and of the program. */
import { scenariosIn } from "../scenario.ts";

export const failures = scenariosIn(`
creates nothing where a check fails
  up <- chain{value: 1} !{check b: plain} says ["check of b refused"]
  up !{}
changes nothing where a diff fails
  up <- chain{value: 1}
  preview <- chain{value: 2} !{diff a: plain} says ["diff of a refused"]
  up says ["diff of a refused"]
creates nothing where the provider cannot be configured
  up <- chain{value: 1} !{configure: plain, configure provider: plain}
  up !{}
starts nothing after a failed creation and goes on at the next run
  up <- chain{value: 1} !{create b: plain} says ["create of b refused"]
  up !{}
keeps a half-created resource and updates it at the next run
  up <- chain{value: 1} !{create b: partial} says ["b is half done"]
  preview !{}
  up
refuses a creation without an id
  up <- a !{create a: empty}
keeps the old state of a failed update
  up <- chain{value: 1}
  up <- chain{value: 2} !{update a: plain} says ["update of a refused"]
  up !{}
keeps the old inputs of a half-done update
  up <- a{value: 1}
  up <- a{value: 2} !{update a: partial}
  up !{}
  preview
asks for an update as long as a half-created resource is not healed
  up <- a{value: 1} !{create a: partial}
  up !{update a: partial}
  up !{update a: plain}
  up !{}
keeps what could not be deleted, and what it needs
  up <- chain{value: 1}
  up <- nothing !{delete b: plain} says ["delete of b refused"]
  up !{}
deletes nothing in a run that failed
  up <- old a
  up <- a bad !{create bad: plain}
goes on with what does not depend on a failure, but deletes nothing, when asked to (own process)
  up <- old a
  up --continue-on-error <- a bad needs{of: $bad.id} z+{dependsOn: [a]} !{create bad: plain}
destroys what it can when asked to go on
  up <- chain{value: 1} z
  destroy --continue-on-error !{delete b: plain}
  destroy !{}
stops a destroy at the first failure
  up <- chain{value: 1}
  destroy !{delete b: plain} says ["delete of b refused"]
  destroy !{}
deletes nothing when the program fails
  up <- old a
  preview <- a{value: 2} %{fail: "on purpose"} says ["on purpose"]
  up says ["on purpose"]
keeps the state of a resource that could not be read
  up <- a{value: 1} b{value: 1}
  refresh !{read a: plain, read b: drift} says ["read of a refused"]
takes over a resource that a refresh finds unhealthy
  up <- a{value: 1}
  refresh !{read a: partial}
  up !{}
goes no further where the refresh before an update fails
  up <- a{value: 1}
  up --refresh <- a{value: 2} !{read a: plain}
`);
