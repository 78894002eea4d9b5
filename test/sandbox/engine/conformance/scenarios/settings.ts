/** Secrets, configuration, and runs without a program. */
import { chain, type Scenario, thing } from "../scenario.ts";

export const settings: Scenario[] = [
  {
    title: "marks secrets wherever they go",
    steps: [
      {
        program: {
          resources: [
            thing(
              "a",
              { password: { secret: "hunter2" }, value: 1, deep: { key: { secret: "x" }, open: 1 } },
              { additionalSecretOutputs: ["out"] },
            ),
            thing("b", { from: { ref: "a.out" }, deep: { ref: "a.deep" } }),
          ],
          outputs: { shown: { ref: "a.password" } },
        },
        run: "up",
      },
      { run: "up" },
      { run: "stack output --json", says: ['"shown": "[secret]"'] },
      { run: "stack output shown --show-secrets", says: ["hunter2"] },
    ],
  },
  {
    title: "stores it when a value becomes secret, and no update is needed",
    steps: [
      { program: [thing("a", { value: "x" })], run: "up" },
      { program: [thing("a", { value: { secret: "x" } })], run: "up" },
      { program: [thing("a", { value: "x" })], run: "up" },
    ],
  },
  {
    title: "updates when a secret changes",
    steps: [
      { program: [thing("a", { value: { secret: "first-word" } })], run: "up" },
      { program: [thing("a", { value: { secret: "second-word" } })], run: "up" },
    ],
  },
  {
    title: "configures again when the configuration changed",
    steps: [
      { run: "config set x 1" },
      { program: [thing("a", { value: { config: "x" } })], run: "up" },
      { run: "config set x 2" },
      { run: "preview" },
      { run: "up" },
    ],
  },
  {
    title: "encrypts secret configuration in the state",
    steps: [
      { run: "config set x hush --secret" },
      { program: [thing("a", { value: 1 })], run: "up" },
      { run: "config get x", says: ["hush"] },
      { run: "destroy" },
    ],
  },
  {
    title: "destroys dependents first with the state's configuration",
    steps: [
      { run: "config set x 1" },
      { program: chain(1), run: "up" },
      { run: "config set x 2" },
      { run: "destroy" },
    ],
  },
  {
    title: "destroys with fresh configuration when it runs the program",
    steps: [
      { run: "config set x 1" },
      { program: chain(1), run: "up" },
      { run: "config set x 2" },
      { run: "destroy --run-program" },
    ],
  },
  {
    title: "refreshes with fresh configuration when it runs the program",
    steps: [
      { run: "config set x 1" },
      { program: [thing("a", { value: 1 }), thing("b", { of: { ref: "a.id" } })], run: "up" },
      { run: "config set x 2" },
      { faults: { "read a": "drift" }, run: "refresh --run-program" },
    ],
  },
  {
    title: "previews what a destroy would do",
    steps: [{ program: chain(1), run: "up" }, { run: "destroy --preview-only" }],
  },
  {
    title: "destroys an empty stack",
    steps: [{ program: [], run: "destroy" }],
  },
];
