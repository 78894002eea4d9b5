/** Resource options. */
import { scenariosIn } from "../scenario.ts";

export const options = scenariosIn(`
refuses to delete what is protected
  up <- a+{protect: true} b
  preview <- nothing says [protected]
  up says ["cannot be deleted", protected]
  destroy says [protected]
deletes what is protected no more
  up <- a+{protect: true}
  up <- a
  up <- nothing
destroys all but what is protected when asked to
  up <- a b{of: $a.id}+{protect: true} c
  destroy --exclude-protected
protects the children of a protected component
  up <- g+{protect: true}~component a+{parent: g}
  up <- nothing says [protected]
forgets without deleting what is retained or deleted with another
  up <- a+{retainOnDelete: true} b c+{deletedWith: b}
  destroy
deletes what would have been deleted with another that stays
  up <- b c+{deletedWith: b}
  up <- b
replaces what is deleted with another that is replaced
  up <- b{value: 1, replaceOn: [value], deleteFirst: true} c+{deletedWith: b}
  up <- b{value: 2, replaceOn: [value], deleteFirst: true} c+{deletedWith: b}
ignores changes it is told to ignore
  up <- a{value: 1, other: 1, deep: {x: 1, y: 1}, list: [{z: 1}]}
  up <- a{value: 2, other: 1, deep: {x: 2, y: 1}, list: [{z: 2}]}+{ignoreChanges: [value, deep.x, "list[*].z"]}
  up <- a{value: 3, other: 3, deep: {x: 3, y: 3}}+{ignoreChanges: [value, deep.x]}
ignores every change where it is told to
  up <- a{value: 1}
  up <- a{value: 2, added: 1}+{ignoreChanges: ["*"]}
finds renamed resources, and their children, by their aliases
  up <- g~component g-child{value: 1}+{parent: g} a b{of: $a.id}
  preview <- h+{aliases: [{name: g}]}~component h-child{value: 1, name: g-child}+{parent: h} a2{name: a}+{aliases: [{name: a}]} b{of: $a2.id}
  up
  up
finds resources of a component whose type was changed
  up <- g~component a+{parent: g}
  up <- g+{aliases: [{type: test:index:Group}]}~{kind: component, type: test:index:Team} a+{parent: g}
finds resources that moved into a component and out of it
  up <- g~component a b+{parent: g}
  up <- g~component a+{parent: g, aliases: [{noParent: true}]} b+{aliases: [{parent: g}]}
  up <- g~component b
finds a resource by the URN it had
  up <- a
  up <- z{name: a}+{aliases: [urn:pulumi:dev::test::pulumi-nodejs:test:Thing::a]}
creates and deletes a component with its children
  up <- g~component inner+{parent: g}~component a+{parent: inner} b+{dependsOn: [g]}
  up <- b
  destroy
keeps the order that dependsOn asks for, and notes its change
  up <- a b+{dependsOn: [a]} c+{dependsOn: [a]}
  up <- a b+{dependsOn: [a]} c+{dependsOn: [b]}
  destroy
unprotects and forgets by the state's commands
  up <- a+{protect: true} b
  state delete {a} --yes says [protected]
  state unprotect {a} --yes
  state delete {a} --yes
  up <- b
`);
