/** Refreshes. */
import { chain, type Scenario, thing } from "../scenario.ts";

export const refreshes: Scenario[] = [
  {
    title: "drops what a refresh does not find and keeps what it finds changed",
    steps: [
      {
        program: [thing("a", { value: 1 }), thing("b"), thing("c", {}, { dependsOn: ["b"] })],
        run: "up",
      },
      { faults: { "read a": "drift", "read b": "gone" }, run: "refresh" },
      { faults: {}, run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "previews a refresh without keeping what it finds",
    steps: [
      { program: [thing("a", { value: 1 }), thing("b")], run: "up" },
      { faults: { "read a": "drift", "read b": "gone" }, run: "refresh --preview-only" },
    ],
  },
  {
    title: "takes over the inputs that a read reports",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { faults: { "read a": "inputs" }, run: "refresh" },
      { faults: {}, run: "up" },
    ],
  },
  {
    title: "finds nothing to do in a refresh without drift",
    steps: [{ program: chain(1), run: "up" }, { run: "refresh --expect-no-changes" }],
  },
  {
    title: "fails a refresh that expected no changes",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { faults: { "read a": "drift" }, run: "refresh --expect-no-changes" },
    ],
  },
  {
    title: "reads first when an update is asked to refresh",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { faults: { "read a": "drift" }, run: "preview --refresh" },
      { run: "up --refresh" },
    ],
  },
  {
    title: "creates again what an update's refresh does not find",
    steps: [
      { program: chain(1), run: "up" },
      { faults: { "read b": "gone" }, run: "up --refresh" },
    ],
  },
  {
    title: "refreshes only targets",
    steps: [
      { program: [thing("a", { value: 1 }), thing("b", { value: 1 })], run: "up" },
      { faults: { "read a": "drift", "read b": "drift" }, run: "refresh --target {b}" },
    ],
  },
  {
    title: "refreshes targets alone, even with --target-dependents",
    steps: [{ program: chain(1), run: "up" }, { run: "refresh --target {b} --target-dependents" }],
  },
  {
    title: "destroys what a destroy's refresh still finds",
    steps: [
      { program: chain(1), run: "up" },
      { faults: { "read c": "gone" }, run: "destroy --refresh" },
    ],
  },
];
