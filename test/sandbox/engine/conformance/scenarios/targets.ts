/** What `--target`, `--exclude` and their kin leave of an operation. */
import { chain, type Scenario, thing } from "../scenario.ts";

export const targets: Scenario[] = [
  {
    title: "updates only targets",
    steps: [
      { program: [thing("a", { value: 1 }), thing("b", { value: 1 })], run: "up" },
      {
        program: [thing("a", { value: 2 }), thing("b", { value: 2 }), thing("c")],
        run: "preview --target {b}",
      },
      { run: "up --target {b}" },
      { run: "up --target **Thing::c" },
    ],
  },
  {
    title: "updates targets and what depends on them",
    steps: [
      { program: [...chain(1), thing("z", { value: 1 })], run: "up" },
      {
        program: [
          thing("a", { value: 2 }),
          thing("b", { of: { ref: "a.out" } }),
          thing("c", { of: { ref: "b.out" } }),
          thing("z", { value: 2 }),
        ],
        run: "up --target {a} --target-dependents",
      },
    ],
  },
  {
    title: "refuses a target that is not there",
    steps: [
      { program: [thing("a")], run: "up" },
      { run: "up --target {nobody}", says: ["could not be found in the stack"] },
    ],
  },
  {
    title: "refuses a target whose new dependency is none",
    steps: [
      {
        program: [thing("a"), thing("b", { of: { ref: "a.id" } })],
        run: "up --target {b}",
        says: ["depends on"],
      },
    ],
  },
  {
    title: "leaves out what --exclude names",
    steps: [
      { program: [thing("a", { value: 1 }), thing("b", { value: 1 })], run: "up" },
      { program: [thing("a", { value: 2 }), thing("b", { value: 2 })], run: "up --exclude {b}" },
    ],
  },
  {
    title: "deletes only targets that the program dropped",
    steps: [
      { program: [thing("a"), thing("b"), thing("c")], run: "up" },
      { program: [thing("c")], run: "up --target {b}" },
    ],
  },
  {
    title: "destroys only targets, with their dependents when asked to",
    steps: [
      { program: [...chain(1), thing("z")], run: "up" },
      { run: "destroy --target {b}" },
      { run: "destroy --target {b} --target-dependents" },
    ],
  },
];
