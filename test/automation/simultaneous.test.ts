// @module-tag ci
/** Several runs on one stack, with different rosters: each does what its own preview showed, and nothing else. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { actions } from "../../command/members/action-table.ts";
import type { PlanJson } from "../../command/plan/texts/json.ts";
import { planSchema } from "../setup/plan-schema.ts";
import { runningOrganization } from "./organization.ts";

const [ada, bob, eve, zoe] = ["ada", "bob", "eve", "zoe"].map((key) => ({
  email: `${key}@acme.example`,
})) as [{ email: string }, { email: string }, { email: string }, { email: string }];
const whole = { seat: true, token: expect.any(String) };

const resultSchema = z.object({
  status: z.string(),
  plan: planSchema,
  results: z.array(z.object({ who: z.string(), status: z.string(), text: z.string().nullable() })),
});

describe("several runs on one stack", () => {
  test("two ups with different rosters that begin at once: nobody is added twice or lost, nothing is done that its own preview did not show, and one more up ends it", async () => {
    const acme = await runningOrganization([ada, eve]);
    const rosters = {
      a: edited(acme.read(), { drop: [eve.email], add: [bob.email] }),
      b: edited(acme.read(), { add: [bob.email, zoe.email] }),
    };
    const before = await acme.members();
    const runs = Object.entries(rosters).map(([name, text]) => {
      writeFileSync(join(acme.folder, `${name}.csv`), text);
      acme.environment.ORGSEAT_RUN_ID = name;
      return { name, ended: acme.start("up", "--yes", "--json", "--roster", `${name}.csv`).ended };
    });
    const users = new Map<string, string>();
    for (const { name, ended } of runs) {
      const { code, stdout, stderr } = await ended;
      expect(stdout, stderr).toMatch(/^\{/);
      const { plan, status } = resultSchema.parse(JSON.parse(stdout));
      expect(code).toBe(status === "succeeded" ? 0 : 1);
      for (const { userId, email } of (await acme.sandbox.service.management.snapshot()).users)
        users.set(userId, email ?? "");
      for (const { name: operation, outcome, id = "", run } of acme.audit()) {
        if (run !== name || outcome !== "done") continue;
        expect(
          operationsFor(plan, id, users.get(id)),
          `${operation} of ${users.get(id)} by ${name}`,
        ).toContain(operation);
      }
    }
    const requests = await acme.sandbox.requests();
    const added = requests.filter(({ call, status }) => call === 5 && status !== null && status < 300);
    const members = await acme.members();
    expect(added.length).toBeGreaterThan(0);
    expect(members[ada.email]).toEqual(before[ada.email]);

    acme.environment.ORGSEAT_RUN_ID = "last";
    writeFileSync(acme.file, rosters.b);
    await acme.succeed("up", "--yes");
    const wanted = [ada, bob, eve, zoe].map(({ email }) => [email, whole]);
    expect(await acme.members()).toEqual(Object.fromEntries(wanted));
    acme.expectNoSecrets();
  });
});

interface Edit {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

/** The roster's text without some people and with others; its header stays. */
function edited(text: string, { add = [], drop = [] }: Edit): string {
  const lines = text.trimEnd().split("\n");
  const columns = lines.find((line) => !line.startsWith("#"))?.split(",") ?? [];
  const row = (email: string) => columns.map((column) => (column === "email" ? email : "")).join(",");
  const left = lines.filter((line) => !drop.some((email) => line.includes(email)));
  return `${[...left, ...add.map(row)].join("\n")}\n`;
}

/** The operations that a preview showed for a person. */
function operationsFor({ people }: PlanJson, userId: string, email: string | undefined): string[] {
  return people
    .filter((one) => one.userId === userId || one.who === email)
    .flatMap((one) => one.actions.flatMap((action) => actions[action].operations));
}
