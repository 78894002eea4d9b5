/** A failure at each call of the provider, and of the program. */
import { chain, type Scenario, thing } from "../scenario.ts";

export const failures: Scenario[] = [
  {
    title: "creates nothing where a check fails",
    steps: [
      { program: chain(1), faults: { "check b": "plain" }, run: "up", says: ["check of b refused"] },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "changes nothing where a diff fails",
    steps: [
      { program: chain(1), run: "up" },
      { program: chain(2), faults: { "diff a": "plain" }, run: "preview", says: ["diff of a refused"] },
      { run: "up", says: ["diff of a refused"] },
    ],
  },
  {
    title: "creates nothing where the provider cannot be configured",
    steps: [
      { program: chain(1), faults: { configure: "plain", "configure provider": "plain" }, run: "up" },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "starts nothing after a failed creation and goes on at the next run",
    steps: [
      { program: chain(1), faults: { "create b": "plain" }, run: "up", says: ["create of b refused"] },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "keeps a half-created resource and updates it at the next run",
    steps: [
      { program: chain(1), faults: { "create b": "partial" }, run: "up", says: ["b is half done"] },
      { faults: {}, run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "refuses a creation without an id",
    steps: [{ program: [thing("a")], faults: { "create a": "empty" }, run: "up" }],
  },
  {
    title: "keeps the old state of a failed update",
    steps: [
      { program: chain(1), run: "up" },
      { program: chain(2), faults: { "update a": "plain" }, run: "up", says: ["update of a refused"] },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "keeps the old inputs of a half-done update",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { program: [thing("a", { value: 2 })], faults: { "update a": "partial" }, run: "up" },
      { faults: {}, run: "up" },
      { run: "preview" },
    ],
  },
  {
    title: "asks for an update as long as a half-created resource is not healed",
    steps: [
      { program: [thing("a", { value: 1 })], faults: { "create a": "partial" }, run: "up" },
      { faults: { "update a": "partial" }, run: "up" },
      { faults: { "update a": "plain" }, run: "up" },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "keeps what could not be deleted, and what it needs",
    steps: [
      { program: chain(1), run: "up" },
      { program: [], faults: { "delete b": "plain" }, run: "up", says: ["delete of b refused"] },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "deletes nothing in a run that failed",
    steps: [
      { program: [thing("old"), thing("a")], run: "up" },
      { program: [thing("a"), thing("bad")], faults: { "create bad": "plain" }, run: "up" },
    ],
  },
  {
    title: "goes on with what does not depend on a failure, but deletes nothing, when asked to",
    ownProcess: true,
    steps: [
      { program: [thing("old"), thing("a")], run: "up" },
      {
        program: [
          thing("a"),
          thing("bad"),
          thing("needs", { of: { ref: "bad.id" } }),
          thing("z", {}, { dependsOn: ["a"] }),
        ],
        faults: { "create bad": "plain" },
        run: "up --continue-on-error",
      },
    ],
  },
  {
    title: "destroys what it can when asked to go on",
    steps: [
      { program: [...chain(1), thing("z")], run: "up" },
      { faults: { "delete b": "plain" }, run: "destroy --continue-on-error" },
      { faults: {}, run: "destroy" },
    ],
  },
  {
    title: "stops a destroy at the first failure",
    steps: [
      { program: chain(1), run: "up" },
      { faults: { "delete b": "plain" }, run: "destroy", says: ["delete of b refused"] },
      { faults: {}, run: "destroy" },
    ],
  },
  {
    title: "deletes nothing when the program fails",
    steps: [
      { program: [thing("old"), thing("a")], run: "up" },
      {
        program: { resources: [thing("a", { value: 2 })], fail: "on purpose" },
        run: "preview",
        says: ["on purpose"],
      },
      { run: "up", says: ["on purpose"] },
    ],
  },
  {
    title: "keeps the state of a resource that could not be read",
    steps: [
      { program: [thing("a", { value: 1 }), thing("b", { value: 1 })], run: "up" },
      { faults: { "read a": "plain", "read b": "drift" }, run: "refresh", says: ["read of a refused"] },
    ],
  },
  {
    title: "takes over a resource that a refresh finds unhealthy",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { faults: { "read a": "partial" }, run: "refresh" },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "goes no further where the refresh before an update fails",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { program: [thing("a", { value: 2 })], faults: { "read a": "plain" }, run: "up --refresh" },
    ],
  },
];
