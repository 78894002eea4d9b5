/** What the engines have to agree on: each scenario says what it saw, and what it must see. */
import { counts, type ResourceSpec, type Stack } from "./harness.ts";

export interface Scenario {
  title: string;
  play: (stack: Stack) => Promise<unknown[]>;
  expected: unknown[];
}

const thing = (
  name: string,
  inputs: Record<string, unknown> = {},
  opts: Record<string, unknown> = {},
): ResourceSpec => ({
  name,
  inputs,
  opts,
});

/** Three resources in a row, each by the id of the one before. */
function chain(value: unknown, extra: Record<string, unknown> = {}): ResourceSpec[] {
  return [
    thing("a", { value, ...extra }),
    thing("b", { of: { ref: "a.id" }, replaceOn: ["of"], deleteFirst: true }),
    thing("c", { of: { ref: "b.id" }, replaceOn: ["of"], deleteFirst: true }),
  ];
}

export const scenarios: Scenario[] = [
  {
    title: "creates in order and passes ids on",
    play: async (stack) => {
      await stack.program({ resources: chain(1), outputs: { last: { ref: "c.out" } } });
      const up = await stack.up();
      return [up.code, counts(up), stack.calls(), await stack.outputs()];
    },
    expected: [
      0,
      { created: 4 },
      ["check a new", "create a", "check b new", "create b", "check c new", "create c"],
      { last: "out of c-1" },
    ],
  },
  {
    title: "previews a creation with unknown ids and creates nothing",
    play: async (stack) => {
      await stack.program(chain(1));
      const preview = await stack.preview();
      return [preview.code, counts(preview), stack.calls(), stack.state()];
    },
    expected: [0, { create: 4 }, ["check a new", "check b new of=?", "check c new of=?"], []],
  },
  {
    title: "leaves what did not change alone",
    play: async (stack) => {
      await stack.program(chain(1));
      await stack.up();
      stack.calls();
      const again = await stack.up();
      return [again.code, counts(again), stack.calls()];
    },
    expected: [
      0,
      { unchanged: 4 },
      ["check a", "diff a a-1", "check b", "diff b b-1", "check c", "diff c c-1"],
    ],
  },
  {
    title: "updates in place and leaves dependents by id alone",
    play: async (stack) => {
      await stack.program(chain(1));
      await stack.up();
      await stack.program(chain(2));
      stack.calls();
      const preview = await stack.preview();
      const previewed = stack.calls();
      const up = await stack.up();
      return [counts(preview), previewed, counts(up), stack.changes()];
    },
    expected: [
      { update: 1, unchanged: 3 },
      ["check a", "diff a a-1", "check b", "diff b b-1", "check c", "diff c c-1"],
      { updated: 1, unchanged: 3 },
      ["update a a-1"],
    ],
  },
  {
    title: "cascades unknown outputs through the preview of an update",
    play: async (stack) => {
      const resources = (value: number) => [thing("a", { value }), thing("b", { of: { ref: "a.out" } })];
      await stack.program(resources(1));
      await stack.up();
      await stack.program(resources(2));
      stack.calls();
      const preview = await stack.preview();
      return [counts(preview), stack.calls()];
    },
    expected: [{ update: 2, unchanged: 1 }, ["check a", "diff a a-1", "check b of=?", "diff b b-1 of=?"]],
  },
  {
    title: "replaces by creating first and deletes the old one at the end",
    play: async (stack) => {
      const resources = (value: number) => [
        thing("a", { value, replaceOn: ["value"] }),
        thing("b", { of: { ref: "a.id" } }),
      ];
      await stack.program(resources(1));
      await stack.up();
      await stack.program(resources(2));
      stack.calls();
      return [counts(await stack.up()), stack.calls()];
    },
    expected: [
      { replaced: 1, updated: 1, unchanged: 1 },
      [
        "check a",
        "diff a a-1",
        "check a new",
        "create a",
        "check b",
        "diff b b-1",
        "update b b-1",
        "delete a a-1",
      ],
    ],
  },
  {
    title: "drags along what a deletion before a replacement would break",
    play: async (stack) => {
      await stack.program(chain(1, { replaceOn: ["value"] }));
      await stack.up();
      await stack.program(chain(2, { replaceOn: ["value"], deleteFirst: true }));
      stack.calls();
      const preview = await stack.preview();
      const previewed = stack.calls();
      return [counts(preview), previewed, counts(await stack.up()), stack.calls()];
    },
    expected: [
      { replace: 3, unchanged: 1 },
      [
        ...["check a", "diff a a-1", "check a new", "diff b b-1 of=?", "diff c c-1 of=?"],
        ...["check b new of=?", "check c new of=?"],
      ],
      { replaced: 3, unchanged: 1 },
      [
        ...["check a", "diff a a-1", "check a new", "diff b b-1 of=?", "diff c c-1 of=?"],
        ...["delete c c-1", "delete b b-1", "delete a a-1"],
        ...["create a", "check b new", "create b", "check c new", "create c"],
      ],
    ],
  },
  {
    title: "drags along nothing that would only be updated",
    play: async (stack) => {
      const resources = (value: number) => [
        thing("a", { value, replaceOn: ["value"] }, { deleteBeforeReplace: true }),
        thing("b", { of: { ref: "a.id" } }),
      ];
      await stack.program(resources(1));
      await stack.up();
      await stack.program(resources(2));
      stack.calls();
      return [counts(await stack.up()), stack.changes()];
    },
    expected: [{ replaced: 1, updated: 1, unchanged: 1 }, ["delete a a-1", "create a", "update b b-1"]],
  },
  {
    title: "lets the option deleteBeforeReplace: false win over the provider",
    play: async (stack) => {
      const resources = (value: number) => [
        thing("a", { value, replaceOn: ["value"], deleteFirst: true }, { deleteBeforeReplace: false }),
      ];
      await stack.program(resources(1));
      await stack.up();
      await stack.program(resources(2));
      stack.calls();
      return [counts(await stack.up()), stack.changes()];
    },
    expected: [{ replaced: 1, unchanged: 1 }, ["create a", "delete a a-1"]],
  },
  {
    title: "keeps a half-created resource and updates it at the next run",
    play: async (stack) => {
      await stack.program(chain(1));
      await stack.faults({ "create b": "partial" });
      const failed = await stack.up();
      const first = stack.changes();
      const between = stack.state();
      await stack.faults({});
      const up = await stack.up();
      return [failed.code === 0, counts(failed), first, between.at(-1)?.flags, counts(up), stack.changes()];
    },
    expected: [
      false,
      { created: 2, errored: 2 },
      ["create a", "create b"],
      ["initErrors", "after a"],
      { created: 1, updated: 1, unchanged: 2 },
      ["update b b-1", "create c"],
    ],
  },
  {
    title: "keeps the old inputs of a half-done update",
    play: async (stack) => {
      await stack.program([thing("a", { value: 1 })]);
      await stack.up();
      await stack.program([thing("a", { value: 2 })]);
      await stack.faults({ "update a": "partial" });
      const failed = await stack.up();
      const between = stack.state();
      await stack.faults({});
      stack.calls();
      return [failed.code === 0, between.at(-1)?.inputs, counts(await stack.up()), stack.changes()];
    },
    expected: [false, ['name="a"', "value=1"], { updated: 1, unchanged: 1 }, ["update a a-1"]],
  },
  {
    title: "starts nothing after a failure and goes on at the next run",
    play: async (stack) => {
      await stack.program(chain(1));
      await stack.faults({ "create b": "plain" });
      const failed = await stack.up();
      const first = stack.changes();
      await stack.faults({});
      const up = await stack.up();
      return [failed.code === 0, counts(failed), first, counts(up), stack.changes()];
    },
    expected: [
      false,
      { created: 2, errored: 2 },
      ["create a", "create b"],
      { created: 2, unchanged: 2 },
      ["create b", "create c"],
    ],
  },
  {
    title: "deletes nothing in a run that failed",
    play: async (stack) => {
      await stack.program([thing("old"), thing("a")]);
      await stack.up();
      await stack.program([thing("a"), thing("bad")]);
      await stack.faults({ "create bad": "plain" });
      stack.calls();
      return [(await stack.up()).code === 0, stack.changes()];
    },
    expected: [false, ["create bad"]],
  },
  {
    title: "goes on with what does not depend on a failure, but deletes nothing, when asked to",
    play: async (stack) => {
      await stack.program([thing("old"), thing("a")]);
      await stack.up();
      const rest = [
        thing("a"),
        thing("bad"),
        thing("needs", { of: { ref: "bad.id" } }),
        thing("z", {}, { dependsOn: ["a"] }),
      ];
      await stack.program(rest);
      await stack.faults({ "create bad": "plain" });
      stack.calls();
      return [(await stack.up("--continue-on-error")).code === 0, stack.changes().sort()];
    },
    expected: [false, ["create bad", "create z"]],
  },
  {
    title: "deletes nothing when the program fails",
    play: async (stack) => {
      await stack.program([thing("old"), thing("a")]);
      await stack.up();
      await stack.program({ resources: [thing("a", { value: 2 })], fail: "on purpose" });
      stack.calls();
      const up = await stack.up();
      return [
        up.code === 0,
        up.stdout.includes("on purpose"),
        stack.changes().filter((call) => call.startsWith("delete")),
      ];
    },
    expected: [false, true, []],
  },
  {
    title: "refuses what check refuses",
    play: async (stack) => {
      await stack.program([thing("a", { bad: true })]);
      const up = await stack.up();
      return [
        up.code === 0,
        up.stdout.includes("property bad"),
        up.stdout.includes("it is bad"),
        stack.calls(),
      ];
    },
    expected: [false, true, true, ["check a new"]],
  },
  {
    title: "shows a provider's warnings with their resource and goes on",
    play: async (stack) => {
      await stack.program([thing("a"), thing("b")]);
      await stack.faults({ "check a": "warn" });
      const preview = await stack.preview();
      const diagnostics = preview.stdout.split("Diagnostics:\n").at(-1) ?? "";
      const lines = diagnostics.split("\n").map((line) => line.trim());
      return [preview.code, counts(preview), lines.slice(0, 2)];
    },
    expected: [0, { create: 3 }, ["pulumi-nodejs:test:Thing (a):", "warning: mind a"]],
  },
  {
    title: "removes dependents first",
    play: async (stack) => {
      await stack.program(chain(1));
      await stack.up();
      await stack.program([]);
      stack.calls();
      return [counts(await stack.up()), stack.calls()];
    },
    expected: [{ deleted: 3, unchanged: 1 }, ["delete c c-1", "delete b b-1", "delete a a-1"]],
  },
  {
    title: "destroys dependents first with the state's configuration",
    play: async (stack) => {
      await stack.ok("config", "set", "x", "1", "--non-interactive");
      await stack.program(chain(1));
      await stack.up();
      stack.calls();
      return [counts(await stack.destroy()), stack.calls()];
    },
    expected: [{ deleted: 4 }, ["delete c c-1", "delete b b-1", "delete a a-1"]],
  },
  {
    title: "drops what a refresh does not find and keeps what it finds changed",
    play: async (stack) => {
      await stack.program([thing("a", { value: 1 }), thing("b"), thing("c", {}, { dependsOn: ["b"] })]);
      await stack.up();
      await stack.faults({ "read a": "drift", "read b": "gone" });
      stack.calls();
      const refresh = await stack.refresh();
      const asked = stack.calls();
      await stack.faults({});
      return [counts(refresh), asked.sort(), counts(await stack.preview())];
    },
    expected: [
      { updated: 1, deleted: 1, unchanged: 2 },
      ["diff a a-1", "diff c c-1", "read a a-1", "read b b-1", "read c c-1"],
      { create: 1, update: 1, unchanged: 2 },
    ],
  },
  {
    title: "reads first when an update is asked to refresh",
    play: async (stack) => {
      await stack.program([thing("a", { value: 1 })]);
      await stack.up();
      await stack.faults({ "read a": "drift" });
      stack.calls();
      return [counts(await stack.up("--refresh")), stack.calls()];
    },
    expected: [
      { updated: 1, unchanged: 1 },
      ["read a a-1", "diff a a-1", "check a", "diff a a-1", "update a a-1"],
    ],
  },
  {
    title: "marks secrets wherever they go",
    play: async (stack) => {
      await stack.program({
        resources: [
          thing("a", { password: { secret: "hunter2" }, value: 1 }, { additionalSecretOutputs: ["out"] }),
          thing("b", { from: { ref: "a.out" } }),
        ],
        outputs: { shown: { ref: "a.password" } },
      });
      await stack.up();
      const masked = (await stack.ok("stack", "output", "--json")).stdout;
      const state = stack.state();
      return [
        state.map(({ secrets }) => secrets),
        JSON.parse(masked),
        await stack.outputs(),
        stack.checkpoint().includes("hunter2"),
      ];
    },
    expected: [
      [["shown"], [], ["out", "password"], ["from"]],
      { shown: "[secret]" },
      { shown: "hunter2" },
      false,
    ],
  },
  {
    title: "ignores changes it is told to ignore",
    play: async (stack) => {
      await stack.program([thing("a", { value: 1, other: 1 })]);
      await stack.up();
      await stack.program([thing("a", { value: 2, other: 1 }, { ignoreChanges: ["value"] })]);
      stack.calls();
      return [counts(await stack.up()), stack.changes()];
    },
    expected: [{ unchanged: 2 }, []],
  },
  {
    title: "finds renamed resources, and their children, by their aliases",
    play: async (stack) => {
      const group = (name: string, opts: Record<string, unknown> = {}): ResourceSpec => ({
        name,
        kind: "component",
        opts,
      });
      await stack.program([
        group("g"),
        thing("g-child", { value: 1 }, { parent: "g" }),
        thing("a"),
        thing("b", { of: { ref: "a.id" } }),
      ]);
      await stack.up();
      await stack.program([
        group("h", { aliases: [{ name: "g" }] }),
        { name: "h-child", inputs: { value: 1, name: "g-child" }, opts: { parent: "h" } },
        { name: "a2", inputs: { name: "a" }, opts: { aliases: [{ name: "a" }] } },
        thing("b", { of: { ref: "a2.id" } }),
      ]);
      stack.calls();
      return [(await stack.up()).code, stack.changes().filter((call) => !call.startsWith("update"))];
    },
    expected: [0, []],
  },
  {
    title: "refuses to delete what is protected",
    play: async (stack) => {
      await stack.program([thing("a", {}, { protect: true })]);
      await stack.up();
      await stack.program([]);
      stack.calls();
      const up = await stack.up();
      return [up.code === 0, up.stdout.includes("protected"), stack.changes()];
    },
    expected: [false, true, []],
  },
  {
    title: "forgets without deleting what is retained or deleted with another",
    play: async (stack) => {
      await stack.program([
        thing("a", {}, { retainOnDelete: true }),
        thing("b"),
        thing("c", {}, { deletedWith: "b" }),
      ]);
      await stack.up();
      stack.calls();
      return [counts(await stack.destroy()), stack.changes()];
    },
    expected: [{ deleted: 4 }, ["delete b b-1"]],
  },
  {
    title: "replaces on changes of properties the program names",
    play: async (stack) => {
      const resources = (value: number) => [
        thing("a", { value, replaceOn: ["value"] }),
        thing("b", { value }, { replaceOnChanges: ["value"], dependsOn: ["a"] }),
      ];
      await stack.program(resources(1));
      await stack.up();
      await stack.program(resources(2));
      stack.calls();
      return [counts(await stack.up()), stack.changes()];
    },
    expected: [{ replaced: 1, updated: 1, unchanged: 1 }, ["create a", "update b b-1", "delete a a-1"]],
  },
  {
    title: "replaces what --replace names",
    play: async (stack) => {
      await stack.program(chain(1));
      await stack.up();
      stack.calls();
      const urn = "urn:pulumi:dev::test::pulumi-nodejs:test:Thing::c";
      return [counts(await stack.up("--replace", urn)), stack.calls()];
    },
    expected: [
      { replaced: 1, unchanged: 3 },
      ["check a", "diff a a-1", "check b", "diff b b-1", "check c new", "create c", "delete c c-1"],
    ],
  },
  {
    title: "updates only targets",
    play: async (stack) => {
      await stack.program([thing("a", { value: 1 }), thing("b", { value: 1 })]);
      await stack.up();
      await stack.program([thing("a", { value: 2 }), thing("b", { value: 2 }), thing("c")]);
      stack.calls();
      const up = await stack.up("--target", "urn:pulumi:dev::test::pulumi-nodejs:test:Thing::b");
      return [up.code, stack.changes()];
    },
    expected: [0, ["update b b-1"]],
  },
  {
    title: "destroys only targets, with their dependents when asked to",
    play: async (stack) => {
      await stack.program([...chain(1), thing("z")]);
      await stack.up();
      stack.calls();
      const urn = "urn:pulumi:dev::test::pulumi-nodejs:test:Thing::b";
      const alone = await stack.destroy("--target", urn);
      const first = stack.changes();
      const both = await stack.destroy("--target", urn, "--target-dependents");
      return [alone.code === 0, first, both.code, stack.changes()];
    },
    expected: [false, [], 0, ["delete c c-1", "delete b b-1"]],
  },
  {
    title: "reads resources that it does not manage",
    play: async (stack) => {
      await stack.program([
        { name: "seen", kind: "get", inputs: { id: "x-7" } },
        thing("b", { of: { ref: "seen.id" } }),
      ]);
      const up = await stack.up();
      const first = stack.calls();
      await stack.destroy();
      return [up.code, first, stack.changes()];
    },
    expected: [0, ["read seen x-7", "check b new", "create b"], ["delete b b-1"]],
  },
  {
    title: "configures again when the configuration changed",
    play: async (stack) => {
      await stack.program([thing("a", { value: { config: "x" } })]);
      await stack.ok("config", "set", "x", "1", "--non-interactive");
      await stack.up();
      await stack.ok("config", "set", "x", "2", "--non-interactive");
      return [counts(await stack.up()), stack.changes()];
    },
    expected: [{ updated: 1, unchanged: 1 }, ["create a", "update a a-1"]],
  },
  {
    title: "finishes a replacement that failed after its deletions",
    play: async (stack) => {
      await stack.program(chain(1, { replaceOn: ["value"], deleteFirst: true }));
      await stack.up();
      await stack.program(chain(2, { replaceOn: ["value"], deleteFirst: true }));
      await stack.faults({ "create a": "plain" });
      stack.calls();
      await stack.up();
      const first = stack.changes();
      const between = stack.state().map(({ flags }) => flags.includes("pendingReplacement"));
      await stack.faults({});
      return [first, between, counts(await stack.up()), stack.changes()];
    },
    expected: [
      ["delete c c-1", "delete b b-1", "delete a a-1", "create a"],
      [false, false, true, true, true],
      { replaced: 3, unchanged: 1 },
      // Dependents are deleted once more: the engine does not know that they are gone.
      ["delete c c-1", "delete b b-1", "create a", "create b", "create c"],
    ],
  },
  {
    title: "deletes at the next run what a failed run left to delete",
    play: async (stack) => {
      const resources = (value: number) => [thing("a", { value, replaceOn: ["value"] })];
      await stack.program(resources(1));
      await stack.up();
      await stack.program(resources(2));
      await stack.faults({ "delete a": "plain" });
      stack.calls();
      await stack.up();
      const first = stack.changes();
      const between = stack.state().map(({ flags }) => flags.includes("delete"));
      await stack.faults({});
      await stack.up();
      return [first, between, stack.changes()];
    },
    expected: [["create a", "delete a a-1"], [false, false, false, true], ["delete a a-1"]],
  },
];
