/** Random programs of model servers, with responses lost: each run leaves exactly the servers that are declared. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AnacondaArea, anacondaArea } from "../setup/anaconda-area.ts";
import { checkCases } from "../setup/cases.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";

const FILES = ["a.gguf", "b.gguf"] as const;
const NAMES = ["first", "second", "third"] as const;

const declared = fc.option(fc.record({ file: fc.constantFrom(...FILES), running: fc.boolean() }));
const fault = fc.record({
  call: fc.constantFrom(12, 14, 22, 22, 23, 24),
  kind: fc.constantFrom("cut-before", "cut-after", "cut-middle"),
  after: fc.nat(2),
  times: fc.integer({ min: 1, max: 3 }),
});
const step = fc.record({
  servers: fc.tuple(declared, declared, declared),
  fault: fc.option(fault),
  /** A process that fails after the step, by the place of its server. */
  fails: fc.option(fc.nat(2)),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function programOf({ servers }: Step): DirectResource[] {
  return servers.flatMap((server, index) => {
    if (!server) return [];
    const { file, running } = server;
    const args = { serverConfig: { modelFileName: file }, running, onDelete: "delete", stopOnDelete: true };
    return [{ type: "ModelServer", name: NAMES[index] ?? "", args }] as const;
  });
}

/** What the service has to have, and the state to know. */
function expectedOf({ servers }: Step): string[] {
  const all = servers.flatMap((server) => (server ? [[server.file, server.running].join(" ")] : []));
  return all.toSorted();
}

async function serversOf({ organization }: AnacondaArea): Promise<Map<string, string>> {
  const { servers } = await organization.service.management.snapshot();
  return new Map(
    servers.map(({ serverId, tag, status }) => [serverId, [tag, status === "running"].join(" ")]),
  );
}

async function play(one: Step, area: AnacondaArea, stack: DirectStack): Promise<void> {
  const { management } = area.organization.service;
  if (one.fault) {
    const { call, kind, after, times } = one.fault;
    await management.addFaults({ match: { call }, after, times, fault: { kind } });
  }
  const first = await stack.up(programOf(one));
  await management.clearFaults();
  // Three lost responses in a row end an operation; the next run completes it. Fewer change no result.
  if ((one.fault?.times ?? 0) < 3) expect(first.errors).toEqual([]);
  else expect((await stack.up(programOf(one))).errors).toEqual([]);
  const servers = await serversOf(area);
  expect([...servers.values()].toSorted()).toEqual(expectedOf(one));
  expect(
    stack
      .recorded()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([...servers.keys()].toSorted());
  expect(await stack.preview(programOf(one))).toEqual([]);
  const failing = stack.recorded()[one.fails ?? 3];
  if (failing?.outs.status === "running") {
    await area.models.failServer(failing.id);
    expect((await stack.refresh()).errors).toEqual([]);
  }
}

test("random programs of servers, with responses lost: no server is doubled, forgotten, or in another state", async () => {
  const area = await anacondaArea();
  await area.models.addModel({ name: "both", files: FILES.map((name) => ({ name })) });
  const histories = fc.array(step, { minLength: 1, maxLength: 6 });
  await checkCases({ name: "model servers", level: "R", cases: 500, quick: 10 }, histories, async (steps) => {
    const stack = area.stack();
    for (const one of steps) await play(one, area, stack);
    expect((await stack.destroy()).errors).toEqual([]);
    expect((await serversOf(area)).size).toBe(0);
  });
});
