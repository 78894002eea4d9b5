/** `preview --plan` and `up --plan` with real states; stories/refresh.txt has the other refusals. */
// @module-tag ci
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../setup/temporary.ts";
import { peopleRows, runningOrganization, testOrganization } from "./organization.ts";

const planSchema = z.looseObject({ digest: z.string(), time: z.string(), isApplicable: z.boolean() });

describe("up --plan", () => {
  test("applies the plan that the preview showed; the audit log names it", async () => {
    const acme = await testOrganization();
    acme.write(peopleRows(2));
    Object.assign(acme.environment, { GITHUB_ACTOR: "ada", ORGSEAT_APPROVER: "grace" });
    const previewed = await acme.orgseat("preview", "--plan", "plan.json");
    const { digest } = planSchema.parse(JSON.parse(readFileSync(join(acme.folder, "plan.json"), "utf8")));
    expect(previewed.stdout).toContain(`\nWrote plan ${digest.slice(0, 12)} to plan.json.\n`);
    const applied = await acme.orgseat("up", "--plan", "plan.json", "--yes");
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toContain(`\nPlan ${digest.slice(0, 12)} of plan.json\n`);
    expect(Object.keys(await acme.members())).toHaveLength(2);
    const modes = ["plan.json", ".orgseat", ".orgseat/audit.jsonl"].map(
      (name) => statSync(join(acme.folder, name)).mode,
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(["600", "700", "600"]);
    expect(acme.audit().length).toBeGreaterThan(2);
    for (const line of acme.audit())
      expect(line).toMatchObject({ plan: digest, actor: "ada", approver: "grace" });
    // The plan is used up: its entries are missing now.
    const again = await acme.orgseat("up", "--plan", "plan.json", "--yes");
    expect(again.code).toBe(3);
    expect(again.stdout).toContain("missing: p000@acme.example: add user");
  });

  test("refuses the plan of another backend, and an edited one before it reads any state", async () => {
    const acme = await runningOrganization(peopleRows(5));
    acme.write(peopleRows(6));
    await acme.orgseat("preview", "--plan", "plan.json");
    await acme.writes();
    const file = join(acme.folder, "plan.json");
    const text = readFileSync(file, "utf8");
    const elsewhere = temporaryFolder();
    cpSync(new URL(acme.variables().PULUMI_BACKEND_URL ?? ""), elsewhere, { recursive: true });
    const before = acme.environment.PULUMI_BACKEND_URL;
    acme.environment.PULUMI_BACKEND_URL = `file://${elsewhere}`;
    const moved = await acme.orgseat("up", "--plan", "plan.json", "--yes");
    expect(moved).toMatchObject({ code: 3, stdout: expect.stringContaining("different backend.") });
    if (before === undefined) delete acme.environment.PULUMI_BACKEND_URL;
    else acme.environment.PULUMI_BACKEND_URL = before;

    writeFileSync(file, text.replace("p005@acme.example", "eve@acme.example"));
    const edited = await acme.orgseat("up", "--plan", "plan.json", "--yes");
    expect(edited).toMatchObject({ code: 1, stderr: expect.stringContaining("the file was edited") });
    expect(await acme.writes()).toEqual([]);
  });
});
