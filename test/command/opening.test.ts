/** How an organization is opened: its stack, its configuration, its audit log. */
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CodedError } from "../../provider/util/error-codes.ts";
import { broughtFixture, directFixture } from "./fixture.ts";
import { person } from "./people.ts";
import { WatchedEngine } from "./watched-engine.ts";

const ada = person("ada");

describe("the stack", () => {
  test("exists after the first run", async () => {
    const { fixture } = await broughtFixture([ada]);
    expect(await fixture.open()).toMatchObject({ stack: "people", isNew: false });
    expect(await fixture.open(undefined, { stack: "staff" })).toMatchObject({ stack: "staff", isNew: true });
  });

  test("counts as existing if it cannot be read, for whoever accepts that", async () => {
    const { fixture } = await broughtFixture([ada]);
    const engine = fixture.engine.copy();
    engine.exportStack = () => Promise.reject(new CodedError("invalid-state", "EOF"));
    await expect(fixture.open(undefined, { engine })).rejects.toMatchObject({
      ...{ code: "invalid-state", message: "EOF" },
    });
    const opened = await fixture.open(undefined, { engine, acceptUnreadableState: true });
    expect(opened).toMatchObject({ stack: "people", isNew: false });
    await expect(opened.state()).rejects.toMatchObject({ code: "invalid-state" });
  });

  test("gives the state that it has read to the first who asks, and reads it again for others", async () => {
    const { fixture } = await broughtFixture([ada]);
    const engine = fixture.engine.copy();
    let reads = 0;
    const read = engine.exportStack.bind(engine);
    engine.exportStack = (stack) => {
      reads += 1;
      return read(stack);
    };
    const opened = await fixture.open(undefined, { engine });
    const states = [await opened.state(), await opened.state()];
    expect(states[1]).toEqual(states[0]);
    expect(reads).toBe(2);
  });
});

test("the configuration is that of the stack", async () => {
  const fixture = await directFixture(5);
  const engine = new WatchedEngine(fixture.environment);
  engine.config.set(
    "people",
    new Map([
      ["orgseat:maxRemovals", "7"],
      ["orgseat:product", "starter"],
    ]),
  );
  engine.config.set("staff", new Map([["orgseat:maxRemovals", "8"]]));
  const { settings } = await fixture.open([ada], { engine });
  expect(settings).toMatchObject({ maxRemovals: 7, product: "starter" });
});

test("ORGSEAT_AUDIT_LOG says where each write is noted, if the caller does not", async () => {
  const fixture = await directFixture(5);
  const fileOf = async (audit: string | undefined, ORGSEAT_AUDIT_LOG: string): Promise<string> =>
    (await fixture.open([], { audit, environment: { ORGSEAT_AUDIT_LOG } })).auditFile;
  expect(await fileOf(undefined, "/var/log/orgseat.jsonl")).toBe("/var/log/orgseat.jsonl");
  expect(await fileOf("/var/log/mine.jsonl", "/var/log/orgseat.jsonl")).toBe("/var/log/mine.jsonl");
  const { file } = await fixture.open([]);
  expect(await fileOf(undefined, "")).toBe(join(dirname(file), ".orgseat/audit.jsonl"));
});
