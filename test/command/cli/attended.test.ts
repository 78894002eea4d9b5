/** What a person at a terminal is asked, and when. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ScriptedPulumi } from "../../setup/scripted-pulumi.ts";
import { type Answered, attended } from "./attended.ts";

const ORGANIZATION = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

/** Runs a command on a roster of no one. */
function orgseat(args: readonly string[], answer?: string): Promise<Answered> {
  const { folder, command } = new ScriptedPulumi();
  writeFileSync(join(folder, "people.csv"), `# organization: ${ORGANIZATION}\nkey,email\n`);
  const environment = { ORGSEAT_PULUMI_PATH: command };
  return attended(args, { folder, environment, ...(answer !== undefined && { answers: [answer] }) });
}

test("destroy --json wants --yes at a terminal too, because nothing is asked", async () => {
  const { code, stdout } = await orgseat(["destroy", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    status: "failed",
    error: expect.stringContaining("--yes must be passed in"),
  });
});

test("adopt asks what a removal shall mean before any line of progress", async () => {
  const { code, stderr } = await orgseat(["adopt"], "perhaps");
  expect(code).toBe(1);
  expect(stderr).toContain("[delete/retain]");
  expect(stderr).toContain("invalid answer: expected delete or retain");
  expect(stderr).not.toContain("Previewing");
});

test("adopt --json asks nothing at a terminal, and wants --on-delete", async () => {
  const { code, stdout, stderr } = await orgseat(["adopt", "--json"], "retain");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    error: expect.stringContaining("--on-delete must be passed in"),
  });
});

test("a preview at a terminal shows how long it takes", async () => {
  const { stderr } = await orgseat(["preview"]);
  expect(stderr).toContain("Previewing: 0 s");
});
