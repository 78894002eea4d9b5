/** Resources that a program reads and does not manage. */
import { scenariosIn } from "../scenario.ts";

export const reads = scenariosIn(`
reads resources that it does not manage, and never deletes them
  preview <- seen{id: x-7}~get b{of: $seen.id}
  up
  up
  destroy
fails where a resource that it is to read is not there
  up <- seen{id: x-7}~get !{read x-7: gone}
reads anew what the program names by another id
  up <- seen{id: x-7}~get
  up <- seen{id: x-8}~get
  up <- nothing
replaces a managed resource by one that is only read
  up <- a{value: 1}
  up <- a{id: x-7}~get
creates a resource that was only read before
  up <- a{id: x-7}~get
  up <- a{value: 1}
drops in a refresh what it only read and does not find
  up <- seen{id: x-7}~get b
  refresh !{read x-7: gone}
`);
