/** Resources that a program reads and does not manage. */
import { type Scenario, thing } from "../scenario.ts";

const seen = (name: string, id: string) => ({ name, kind: "get" as const, inputs: { id } });

export const reads: Scenario[] = [
  {
    title: "reads resources that it does not manage, and never deletes them",
    steps: [
      { program: [seen("seen", "x-7"), thing("b", { of: { ref: "seen.id" } })], run: "preview" },
      { run: "up" },
      { run: "up" },
      { run: "destroy" },
    ],
  },
  {
    title: "fails where a resource that it is to read is not there",
    steps: [{ program: [seen("seen", "x-7")], faults: { "read x-7": "gone" }, run: "up" }],
  },
  {
    title: "reads anew what the program names by another id",
    steps: [
      { program: [seen("seen", "x-7")], run: "up" },
      { program: [seen("seen", "x-8")], run: "up" },
      { program: [], run: "up" },
    ],
  },
  {
    title: "replaces a managed resource by one that is only read",
    steps: [
      { program: [thing("a", { value: 1 })], run: "up" },
      { program: [seen("a", "x-7")], run: "up" },
    ],
  },
  {
    title: "creates a resource that was only read before",
    steps: [
      { program: [seen("a", "x-7")], run: "up" },
      { program: [thing("a", { value: 1 })], run: "up" },
    ],
  },
  {
    title: "drops in a refresh what it only read and does not find",
    steps: [
      { program: [seen("seen", "x-7"), thing("b")], run: "up" },
      { faults: { "read x-7": "gone" }, run: "refresh" },
    ],
  },
];
