/** Creating, comparing and updating. */
import { chain, type Scenario, thing } from "../scenario.ts";

export const changes: Scenario[] = [
  {
    title: "creates in order and passes ids on",
    steps: [
      { program: { resources: chain(1), outputs: { last: { ref: "c.out" } } }, run: "up" },
      { run: "stack output last", says: ["out of c-1"] },
    ],
  },
  {
    title: "previews a creation with unknown ids and creates nothing",
    steps: [{ program: chain(1), run: "preview" }],
  },
  {
    title: "leaves what did not change alone",
    steps: [{ program: chain(1), run: "up" }, { run: "preview" }, { run: "up" }],
  },
  {
    title: "updates in place and leaves dependents by id alone",
    steps: [
      { program: chain(1), run: "up" },
      { program: chain(2), run: "preview" },
      { run: "up", says: ["[diff: ~value]"] },
    ],
  },
  {
    title: "cascades unknown outputs through the preview of an update",
    steps: [
      { program: [thing("a", { value: 1 }), thing("b", { of: { ref: "a.out" } })], run: "up" },
      { program: [thing("a", { value: 2 }), thing("b", { of: { ref: "a.out" } })], run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "adds and takes away inputs",
    steps: [
      { program: [thing("a", { first: 1, both: 1 })], run: "up" },
      { program: [thing("a", { second: 2, both: 1 })], run: "up", says: ["[diff: +second-first]"] },
    ],
  },
  {
    title: "keeps values of every kind as they are",
    steps: [
      {
        program: [
          thing("a", {
            ...{ text: "ä 😀 \n", empty: "", yes: true, no: false, nothing: null, number: 1.5, big: 2 ** 53 },
            ...{ list: [1, ["x"], {}], map: { a: { b: [] }, "with.dots": 1 } },
          }),
          thing("b", { copy: { ref: "a.map" }, list: { ref: "a.list" } }),
        ],
        run: "up",
      },
      { run: "up" },
    ],
  },
  {
    title: "stores what check makes of the inputs",
    steps: [
      { program: [thing("a", { value: 1, defaulted: true })], run: "up" },
      { program: [thing("a", { value: 2, defaulted: true })], run: "up" },
    ],
  },
  {
    title: "compares inputs itself where the provider has no diff",
    steps: [
      { program: [{ ...thing("a", { value: 1, kept: 1 }), provider: "undecided" }], run: "up" },
      { run: "up" },
      { program: [{ ...thing("a", { value: 2, kept: 1 }), provider: "undecided" }], run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "keeps no outputs of a provider that gives none",
    steps: [
      { program: [{ ...thing("a", { value: 1 }), provider: "lossy" }], run: "up" },
      { program: [{ ...thing("a", { value: 2 }), provider: "bare" }], run: "up" },
    ],
  },
  {
    title: "fails a preview that expected no changes, and one without changes not",
    steps: [
      { program: [thing("a", { value: 1 })], run: "preview --expect-no-changes" },
      { run: "up" },
      { run: "preview --expect-no-changes" },
      { program: [thing("a", { value: 2 })], run: "up --expect-no-changes" },
    ],
  },
  {
    title: "replaces the stack's outputs by those of the last run",
    steps: [
      {
        program: { resources: [thing("a")], outputs: { id: { ref: "a.id" }, old: 1, list: [1, 2] } },
        run: "up",
      },
      { program: { resources: [thing("a")], outputs: { id: { ref: "a.id" }, added: "x" } }, run: "preview" },
      { run: "up" },
      { run: "stack output --json", says: ['"added": "x"', '"id": "a-1"'] },
    ],
  },
  {
    title: "refuses two resources of one name",
    steps: [{ program: [thing("a"), thing("a")], run: "up", says: ["Duplicate resource URN"] }],
  },
  {
    title: "refuses what check refuses",
    steps: [
      { program: [thing("a", { bad: true })], run: "preview", says: ["property bad", "it is bad"] },
      { run: "up", says: ["property bad", "it is bad"] },
    ],
  },
  {
    title: "shows a provider's warnings with their resource and goes on",
    steps: [
      {
        program: [thing("a"), thing("b")],
        faults: { "check a": "warn" },
        run: "preview",
        says: ["pulumi-nodejs:test:Thing (a):", "warning: mind a"],
      },
    ],
  },
  {
    title: "removes dependents first",
    steps: [{ program: chain(1), run: "up" }, { program: [], run: "preview" }, { run: "up" }],
  },
  {
    title: "swaps one resource for another",
    steps: [
      { program: [thing("a"), thing("b", { of: { ref: "a.id" } })], run: "up" },
      { program: [thing("c"), thing("b", { of: { ref: "c.id" } })], run: "up" },
    ],
  },
];
