/** Resource options. */
import { group, type Scenario, thing } from "../scenario.ts";

export const options: Scenario[] = [
  {
    title: "refuses to delete what is protected",
    steps: [
      { program: [thing("a", {}, { protect: true }), thing("b")], run: "up" },
      { program: [], run: "preview", says: ["protected"] },
      { run: "up", says: ["cannot be deleted", "protected"] },
      { run: "destroy", says: ["protected"] },
    ],
  },
  {
    title: "deletes what is protected no more",
    steps: [
      { program: [thing("a", {}, { protect: true })], run: "up" },
      { program: [thing("a")], run: "up" },
      { program: [], run: "up" },
    ],
  },
  {
    title: "destroys all but what is protected when asked to",
    steps: [
      {
        program: [thing("a"), thing("b", { of: { ref: "a.id" } }, { protect: true }), thing("c")],
        run: "up",
      },
      { run: "destroy --exclude-protected" },
    ],
  },
  {
    title: "protects the children of a protected component",
    steps: [
      { program: [group("g", { protect: true }), thing("a", {}, { parent: "g" })], run: "up" },
      { program: [], run: "up", says: ["protected"] },
    ],
  },
  {
    title: "forgets without deleting what is retained or deleted with another",
    steps: [
      {
        program: [thing("a", {}, { retainOnDelete: true }), thing("b"), thing("c", {}, { deletedWith: "b" })],
        run: "up",
      },
      { run: "destroy" },
    ],
  },
  {
    title: "deletes what would have been deleted with another that stays",
    steps: [
      { program: [thing("b"), thing("c", {}, { deletedWith: "b" })], run: "up" },
      { program: [thing("b")], run: "up" },
    ],
  },
  {
    title: "replaces what is deleted with another that is replaced",
    steps: [
      {
        program: [
          thing("b", { value: 1, replaceOn: ["value"], deleteFirst: true }),
          thing("c", {}, { deletedWith: "b" }),
        ],
        run: "up",
      },
      {
        program: [
          thing("b", { value: 2, replaceOn: ["value"], deleteFirst: true }),
          thing("c", {}, { deletedWith: "b" }),
        ],
        run: "up",
      },
    ],
  },
  {
    title: "ignores changes it is told to ignore",
    steps: [
      { program: [thing("a", { value: 1, other: 1, deep: { x: 1, y: 1 }, list: [{ z: 1 }] })], run: "up" },
      {
        program: [
          thing(
            "a",
            { value: 2, other: 1, deep: { x: 2, y: 1 }, list: [{ z: 2 }] },
            { ignoreChanges: ["value", "deep.x", "list[*].z"] },
          ),
        ],
        run: "up",
      },
      {
        program: [
          thing("a", { value: 3, other: 3, deep: { x: 3, y: 3 } }, { ignoreChanges: ["value", "deep.x"] }),
        ],
        run: "up",
      },
    ],
  },
  {
    title: "ignores every change where it is told to",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { program: [thing("a", { value: 2, added: 1 }, { ignoreChanges: ["*"] })], run: "up" },
    ],
  },
  {
    title: "finds renamed resources, and their children, by their aliases",
    steps: [
      {
        program: [
          group("g"),
          thing("g-child", { value: 1 }, { parent: "g" }),
          thing("a"),
          thing("b", { of: { ref: "a.id" } }),
        ],
        run: "up",
      },
      {
        program: [
          group("h", { aliases: [{ name: "g" }] }),
          { name: "h-child", inputs: { value: 1, name: "g-child" }, opts: { parent: "h" } },
          { name: "a2", inputs: { name: "a" }, opts: { aliases: [{ name: "a" }] } },
          thing("b", { of: { ref: "a2.id" } }),
        ],
        run: "preview",
      },
      { run: "up" },
      { run: "up" },
    ],
  },
  {
    title: "finds resources of a component whose type was changed",
    steps: [
      { program: [group("g"), thing("a", {}, { parent: "g" })], run: "up" },
      {
        program: [
          {
            ...group("g", { aliases: [{ type: "test:index:Group" }] }),
            type: "test:index:Team",
          },
          thing("a", {}, { parent: "g" }),
        ],
        run: "up",
      },
    ],
  },
  {
    title: "finds resources that moved into a component and out of it",
    steps: [
      { program: [group("g"), thing("a"), thing("b", {}, { parent: "g" })], run: "up" },
      {
        program: [
          group("g"),
          thing("a", {}, { parent: "g", aliases: [{ noParent: true }] }),
          thing("b", {}, { aliases: [{ parent: "g" }] }),
        ],
        run: "up",
      },
      { program: [group("g"), thing("b")], run: "up" },
    ],
  },
  {
    title: "finds a resource by the URN it had",
    steps: [
      { program: [thing("a")], run: "up" },
      {
        program: [
          {
            name: "z",
            inputs: { name: "a" },
            opts: { aliases: ["urn:pulumi:dev::test::pulumi-nodejs:test:Thing::a"] },
          },
        ],
        run: "up",
      },
    ],
  },
  {
    title: "creates and deletes a component with its children",
    steps: [
      {
        program: [
          group("g"),
          group("inner", { parent: "g" }),
          thing("a", {}, { parent: "inner" }),
          thing("b", {}, { dependsOn: ["g"] }),
        ],
        run: "up",
      },
      { program: [thing("b")], run: "up" },
      { run: "destroy" },
    ],
  },
  {
    title: "keeps the order that dependsOn asks for, and notes its change",
    steps: [
      {
        program: [thing("a"), thing("b", {}, { dependsOn: ["a"] }), thing("c", {}, { dependsOn: ["a"] })],
        run: "up",
      },
      {
        program: [thing("a"), thing("b", {}, { dependsOn: ["a"] }), thing("c", {}, { dependsOn: ["b"] })],
        run: "up",
      },
      { run: "destroy" },
    ],
  },
  {
    title: "unprotects and forgets by the state's commands",
    steps: [
      { program: [thing("a", {}, { protect: true }), thing("b")], run: "up" },
      { run: "state delete {a} --yes", says: ["protected"] },
      { run: "state unprotect {a} --yes" },
      { run: "state delete {a} --yes" },
      { program: [thing("b")], run: "up" },
    ],
  },
];
