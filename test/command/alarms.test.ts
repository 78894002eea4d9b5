/** What an alarm says if its sources are missing, unreadable, or cut off. */
import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { reportOf } from "../../command/verbs/report-all.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { broughtFixture, directFixture } from "./fixture.ts";
import { person } from "./people.ts";

const [ada, bob] = [person("ada"), person("bob")];
const due = "400d";

describe("report --due", () => {
  test("lists dates if all states can be read", async () => {
    const { fixture } = await broughtFixture([ada, bob]);
    const { due: found } = await reportOf(await fixture.open(), { due });
    expect(found?.entries.length).toBeGreaterThan(1);
  });

  test("fails if the stack does not exist, with the people and what to check", async () => {
    const { fixture } = await broughtFixture([ada, bob]);
    const engine = new DirectEngine(fixture.environment);
    await expect(reportOf(await fixture.open(undefined, { engine }), { due })).rejects.toMatchObject({
      code: "not-found",
      message: expect.stringMatching(
        /^cannot tell what is due: stack people of 2 people of \S+people\.csv does not exist in the backend that Pulumi is logged in to\. Check --stack, PULUMI_BACKEND_URL, and the project; if the roster is new, run `orgseat up` first$/,
      ),
    });
  });

  test("fails if a state, or a resource of it, cannot be read", async () => {
    const { fixture } = await broughtFixture([ada, bob]);
    const unreadable = fixture.engine.copy();
    unreadable.exportStack = () => Promise.reject(new CodedError("invalid-state", "cannot read the state"));
    const report = async () => reportOf(await fixture.open(undefined, { engine: unreadable }), { due });
    await expect(report()).rejects.toThrow("cannot read the state");
    fixture.engine.rewrite("people", (one) =>
      one.declared.name === "ada" ? { ...one, outs: { ...one.outs, held: 7 } } : one,
    );
    await expect(reportOf(await fixture.open(), { due })).rejects.toMatchObject({
      code: "invalid-state",
      message: expect.stringContaining("cannot read member ada in the state of stack people: "),
    });
  });

  test("accepts a stack that does not exist without people for it", async () => {
    const fixture = await directFixture(5);
    const { due: found } = await reportOf(await fixture.open([]), { due: "1d" });
    expect(found?.entries).toEqual([]);
  });
});

describe("an audit log whose last line a kill cut off", () => {
  const CUT =
    /^[Aa] line of the audit log \S+ is cut off \(`\{"time":"2026-`\): a run was killed while it wrote the line/;

  async function cutOff() {
    const { fixture } = await broughtFixture([ada, bob]);
    await fixture.up();
    const { auditFile } = await fixture.open();
    await offboardPeople(await fixture.open(), ["bob"], {});
    appendFileSync(auditFile, '{"time":"2026-');
    return fixture;
  }

  test("still gives the report of a month, with a note", async () => {
    const fixture = await cutOff();
    const month = new Date().toISOString().slice(0, 7);
    const report = await reportOf(await fixture.open(), { month });
    expect(report.month?.left).toMatchObject([{ who: "bob@acme.example" }]);
    expect(report.notes).toContainEqual(expect.stringMatching(CUT));
  });

  test("still lets preview and offboard run, with a warning, also after the next entry", async () => {
    const fixture = await cutOff();
    const warned = [expect.objectContaining({ text: expect.stringMatching(CUT) })];
    expect((await previewOf(await fixture.open(), {})).warnings).toEqual(warned);
    const { status, preview } = await offboardPeople(await fixture.open(), ["ada"], {});
    expect({ status, warnings: preview.warnings }).toEqual({ status: "succeeded", warnings: warned });
    expect((await previewOf(await fixture.open(), {})).warnings).toEqual(warned);
  });
});
