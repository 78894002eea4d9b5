// @module-tag ci
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newcomers } from "../../examples/onboarding/newcomers.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { sandbox } from "../setup/sandbox.ts";
import { exampleStack, outputsInReadme } from "./example.ts";

const ADA = "ada@acme.example";

const outputsSchema = z.strictObject({
  statuses: z.record(z.string(), z.string()),
  waiting: z.array(z.string()),
  availableSeats: z.number(),
});

describe("the example onboarding", () => {
  test("says how many mails go out, lets people in as far as seats reach, and leaves them members", async () => {
    const seats = newcomers.length - 1;
    const organization = await sandbox({ seats, serviceAccount: sandboxServiceAccount });
    const { management } = organization.service;
    const stack = await exampleStack(organization, "onboarding");

    // Written with capitals, which the keys of the statuses do not have.
    const list = join(stack.folder, "newcomers.ts");
    writeFileSync(list, readFileSync(list, "utf8").replace(ADA, "Ada@Acme.example"));

    const preview = await stack.preview();
    expect(preview).toMatchObject({ code: 0 });
    expect(preview.output).toContain(
      `sends ${newcomers.length} welcome emails, ${newcomers.length} token emails, and one email to each administrator.`,
    );
    expect(await organization.calls()).toEqual([]);

    expect(await stack.up()).toMatchObject({ code: 0 });
    const { statuses, waiting, availableSeats } = outputsSchema.parse(await stack.outputs());
    expect(outputsInReadme("onboarding")).toEqual(["statuses", "waiting", "availableSeats"]);
    expect(Object.keys(statuses).toSorted()).toEqual(newcomers.toSorted());
    expect(newcomers[0]).toBe(ADA);
    expect(waiting, "whoever is in process is not waiting, in any letter case").toEqual(
      newcomers.slice(seats),
    );
    expect(availableSeats).toBe(0);
    const { users } = await management.snapshot();
    expect(users.map(({ email }) => email)).toEqual(newcomers.slice(0, seats));
    const kinds = Map.groupBy(await management.outbox(), ({ kind }) => kind);
    expect([...kinds].map(([kind, mails]) => [kind, mails.length]).toSorted()).toEqual([
      ["token", seats],
      ["users-added", 1],
      ["welcome", seats],
    ]);

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect((await organization.calls()).filter((call) => call !== "token")).toEqual([4]);
    expect((await management.snapshot()).users).toEqual(users);
  });
});
