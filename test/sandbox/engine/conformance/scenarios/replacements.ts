/** Replacements of both kinds, and what they drag along. */
import { chain, type Scenario, thing } from "../scenario.ts";

/** `a` is replaced when its value changes, `b` follows it. */
const pair = (value: number, a: object = {}, b: object = {}, opts: object = {}) => [
  thing("a", { value, replaceOn: ["value"], ...a }, { ...opts }),
  thing("b", { of: { ref: "a.id" }, ...b }),
];

export const replacements: Scenario[] = [
  {
    title: "replaces by creating first and deletes the old one at the end",
    steps: [{ program: pair(1), run: "up" }, { program: pair(2), run: "preview" }, { run: "up" }],
  },
  {
    title: "replaces a whole row by creating first",
    steps: [
      { program: pair(1, {}, { replaceOn: ["of"] }), run: "up" },
      { program: pair(2, {}, { replaceOn: ["of"] }), run: "up" },
    ],
  },
  {
    title: "drags along what a deletion before a replacement would break",
    steps: [
      { program: chain(1, { replaceOn: ["value"] }), run: "up" },
      { program: chain(2, { replaceOn: ["value"], deleteFirst: true }), run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "drags along nothing that would only be updated",
    steps: [
      { program: pair(1, {}, {}, { deleteBeforeReplace: true }), run: "up" },
      { program: pair(2, {}, {}, { deleteBeforeReplace: true }), run: "up" },
    ],
  },
  {
    title: "drags along nothing that only has to come after",
    steps: [
      {
        program: [
          thing("a", { value: 1, replaceOn: ["value"], deleteFirst: true }),
          thing("b", {}, { dependsOn: ["a"] }),
        ],
        run: "up",
      },
      {
        program: [
          thing("a", { value: 2, replaceOn: ["value"], deleteFirst: true }),
          thing("b", {}, { dependsOn: ["a"] }),
        ],
        run: "up",
      },
    ],
  },
  {
    title: "lets the option deleteBeforeReplace: false win over the provider",
    steps: [
      { program: pair(1, { deleteFirst: true }, {}, { deleteBeforeReplace: false }), run: "up" },
      { program: pair(2, { deleteFirst: true }, {}, { deleteBeforeReplace: false }), run: "up" },
    ],
  },
  {
    title: "creates the next one before it deletes the last of a seat that is kept first",
    steps: [
      {
        program: [
          thing("user", { email: "a", replaceOn: ["email"] }),
          thing("seat", { of: { ref: "user.id" }, replaceOn: ["of"], deleteFirst: true }),
          thing("token", { of: { ref: "seat.id" }, replaceOn: ["of"], deleteFirst: true }),
        ],
        run: "up",
      },
      {
        program: [
          thing("user", { email: "b", replaceOn: ["email"] }),
          thing("seat", { of: { ref: "user.id" }, replaceOn: ["of"], deleteFirst: true }),
          thing("token", { of: { ref: "seat.id" }, replaceOn: ["of"], deleteFirst: true }),
        ],
        run: "up",
      },
    ],
  },
  {
    title: "replaces on changes of properties the program names",
    steps: [
      {
        program: [
          thing("a", { value: 1, deep: { x: 1 } }, { replaceOnChanges: ["value"] }),
          thing("b", { value: 1 }, { replaceOnChanges: ["other"], dependsOn: ["a"] }),
          { ...thing("c", { value: 1, other: 1 }, { replaceOnChanges: ["value"] }), provider: "undecided" },
        ],
        run: "up",
      },
      {
        program: [
          thing("a", { value: 2, deep: { x: 1 } }, { replaceOnChanges: ["value"] }),
          thing("b", { value: 2 }, { replaceOnChanges: ["other"], dependsOn: ["a"] }),
          { ...thing("c", { value: 2, other: 1 }, { replaceOnChanges: ["value"] }), provider: "undecided" },
        ],
        run: "up",
      },
    ],
  },
  {
    title: "replaces what --replace names",
    steps: [{ program: chain(1), run: "up" }, { run: "preview --replace {c}" }, { run: "up --replace {c}" }],
  },
  {
    title: "updates and replaces only what --target-replace names",
    steps: [
      { program: [thing("a", { value: 1 }), thing("b", { value: 1 })], run: "up" },
      { program: [thing("a", { value: 2 }), thing("b", { value: 2 })], run: "up --target-replace {b}" },
    ],
  },
  {
    title: "replaces with another resource where the program says so",
    steps: [
      {
        program: [thing("a", { value: 1, replaceOn: ["value"] }), thing("b", {}, { replaceWith: ["a"] })],
        run: "up",
      },
      {
        program: [thing("a", { value: 2, replaceOn: ["value"] }), thing("b", {}, { replaceWith: ["a"] })],
        run: "up",
      },
    ],
  },
  {
    title: "refuses to replace what is protected",
    steps: [
      { program: pair(1, {}, {}, { protect: true }), run: "up" },
      { program: pair(2, {}, {}, { protect: true }), run: "preview", says: ["marked for protection"] },
      { run: "up", says: ["marked for protection"] },
    ],
  },
  {
    title: "forgets the old one of a replacement that is retained",
    steps: [
      { program: pair(1, {}, {}, { retainOnDelete: true }), run: "up" },
      { program: pair(2, {}, {}, { retainOnDelete: true }), run: "up" },
    ],
  },
  {
    title: "leaves the old one where its replacement could not be created",
    steps: [
      { program: pair(1), run: "up" },
      { program: pair(2), faults: { "create a": "plain" }, run: "up", says: ["create of a refused"] },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "keeps a replacement that was created halfway",
    steps: [
      { program: pair(1), run: "up" },
      { program: pair(2), faults: { "create a": "partial" }, run: "up", says: ["a is half done"] },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "stops where the deletion before a replacement fails",
    steps: [
      { program: chain(1, { replaceOn: ["value"], deleteFirst: true }), run: "up" },
      {
        program: chain(2, { replaceOn: ["value"], deleteFirst: true }),
        faults: { "delete b": "plain" },
        run: "up",
        says: ["delete of b refused"],
      },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "finishes a replacement that failed after its deletions",
    steps: [
      { program: chain(1, { replaceOn: ["value"], deleteFirst: true }), run: "up" },
      {
        program: chain(2, { replaceOn: ["value"], deleteFirst: true }),
        faults: { "create a": "plain" },
        run: "up",
      },
      { faults: {}, run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "deletes at the next run what a failed run left to delete",
    steps: [
      { program: pair(1), run: "up" },
      { program: pair(2), faults: { "delete a": "plain" }, run: "up" },
      { faults: {}, run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "forgets a pending replacement that the program dropped",
    steps: [
      { program: [thing("a", { value: 1, replaceOn: ["value"], deleteFirst: true })], run: "up" },
      {
        program: [thing("a", { value: 2, replaceOn: ["value"], deleteFirst: true })],
        faults: { "create a": "plain" },
        run: "up",
      },
      { program: [], faults: {}, run: "up" },
    ],
  },
];
