import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readOffboarded } from "../../command/roster/offboarded.ts";
import { attended } from "../command/cli/attended.ts";
import { planSchema } from "../setup/plan-schema.ts";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";
import { fourPeople, runningOrganization, testOrganization } from "./organization.ts";

const ada = { email: "ada@acme.example" };
const grace = { email: "grace@acme.example" };
const builds = { purpose: "Nightly builds" };

const runSchema = z.object({
  status: z.string(),
  plan: planSchema,
  results: z.array(z.object({ who: z.string(), status: z.string(), actions: z.array(z.string()) })),
});
const rotateSchema = z.object({ ...runSchema.shape, edit: z.string() });
const previewSchema = z.object({ ...planSchema.shape, otherChanges: z.number() });

describe("the command orgseat", () => {
  test("preview says who joins as text, JSON and Markdown, ends with 2 only where that is asked for, and writes nothing; up does it without a prompt, and notes each write", async () => {
    const acme = await testOrganization();
    acme.write(fourPeople);
    const json = await acme.json(previewSchema, "preview", "--exit-code");
    expect(json).toMatchObject({
      code: 2,
      hasChanges: true,
      violations: [],
      counts: { joining: 4, tokensIssued: 4 },
    });
    const markdown = await acme.orgseat("preview", "--markdown");
    expect(markdown).toMatchObject({ code: 0, stderr: "" });
    for (const who of [ada.email, grace.email, builds.purpose]) expect(markdown.stdout).toContain(who);
    expect(await acme.sandbox.requests()).toEqual([]);

    const up = await acme.orgseat("up", "--yes");
    expect(up).toMatchObject({ code: 0, stderr: "" });
    expect(up.stdout).toContain("4 to add, 0 to remove · seats +4");
    for (const who of [ada.email, grace.email, builds.purpose])
      expect(up.stdout).toMatch(new RegExp(`^ok +${who} +added, `, "m"));
    expect(up.stdout).toContain("4 succeeded, 0 failed, 0 skipped\n\nok ");
    const writes = (await acme.writes()).toSorted();
    expect(writes).toEqual([5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7]);
    expect(
      acme
        .audit()
        .map(({ call }) => call)
        .toSorted(),
    ).toEqual(writes);
    expect(new Set(acme.audit().map(({ run }) => run)).size).toBe(1);

    const after = await acme.orgseat("preview", "--exit-code");
    expect(after).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Organization \S+, stack people\n\nNo changes\.\n/),
    });
    expect(after.stdout).toContain("Drift: not checked (this API cannot list users, seats, or tokens)");
    acme.expectNoSecrets();
  });

  test("renew after a renewed subscription renews tokens and adds nobody; rotate marks the roster and changes one value", {
    tags: "ci",
  }, async () => {
    const acme = await runningOrganization(fourPeople);
    const before = await acme.members();
    const { management } = acme.sandbox.service;
    const expiresAt = "2031-12-31T23:59:59Z";
    await management.changeSubscription(acme.sandbox.organizationId, { expiresAt });
    acme.environment.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = expiresAt;
    acme.write([...fourPeople, { email: "barbara@acme.example" }]);
    const renewed = await acme.orgseat("renew", "--yes");
    expect(renewed).toMatchObject({ code: 0, stdout: expect.stringContaining("4 tokens to renew") });
    expect(renewed.stdout).toContain("`orgseat up` has changes for 1 person.");
    expect(await acme.writes()).toEqual([8, 8, 8, 8]);
    expect(await acme.members()).toEqual(before);

    acme.write(fourPeople);
    const rotated = await acme.json(rotateSchema, "rotate", "Ada@Acme.example", "--yes");
    expect(rotated).toMatchObject({
      code: 0,
      status: "succeeded",
      results: [{ who: ada.email, status: "succeeded" }],
    });
    expect(await acme.writes()).toEqual([9, 7]);
    expect(acme.read()).toMatch(/ada@acme\.example,.*,20\d\d-\d\d-\d\dT[\d:]+Z,/);
    const { [ada.email]: now, ...others } = await acme.members();
    const { [ada.email]: old, ...same } = before;
    expect(now?.token).not.toBe(old?.token);
    expect(others).toEqual(same);
    expect(rotated.edit).toMatch(/^\+ada@acme\.example|^\+,ada@acme\.example/m);
    acme.expectNoSecrets();
  });

  test("offboard takes a person out, shows how it goes on at a terminal, and prints the roster's edit; later runs leave the person out although the row is there", async () => {
    const acme = await runningOrganization(fourPeople);
    const roster = acme.read();
    const place = { folder: acme.folder, environment: acme.variables() };
    // Long enough for a picture of the bar.
    await acme.sandbox.service.management.addFaults({
      ...{ match: { call: 9 }, fault: { kind: "delay", ms: 500 } },
    });
    const out = await attended(["offboard", grace.email, "--by", "the desk", "--yes"], place);
    expect(stripVTControlCharacters(out.stderr)).toMatch(
      /Revoking tokens: \[ +\] 0 of 1 user, .*Offboarding: \[ +\] 0 of 1 person, /s,
    );
    expect(out).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n\ngrace@acme\.example: token revoked\n/),
    });
    expect(out.stdout).toMatch(/^-.*grace@acme\.example/m);
    expect((await acme.writes())[0]).toBe(9);
    expect(Object.keys(await acme.members())).toEqual([builds.purpose, ada.email, "edsger@acme.example"]);
    expect(await readOffboarded(join(acme.folder, "people.offboarded.csv"))).toEqual([
      expect.objectContaining({ email: grace.email, by: "the desk" }),
    ]);
    expect(acme.read()).toBe(roster);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/No changes\.\n[\s\S]*\nIgnored, [^\n]*: grace@acme\.example\. Delete/),
    });
    expect(await acme.writes()).toEqual([]);
    acme.expectNoSecrets();
  });

  test("token refuses a pipe, and writes into a new file that only its owner can read; report has everybody in each form", async () => {
    const acme = await runningOrganization(fourPeople);
    const piped = await acme.orgseat("token", ada.email);
    expect(piped).toMatchObject({ code: 1, stdout: "" });
    expect(piped.stderr).toContain("refusing to print a token to a pipe; use --out FILE");
    const file = join(acme.folder, "ada.token");
    await acme.succeed("token", ada.email, "--out", file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const value = readFileSync(file, "utf8").trim();
    expect(await acme.sandbox.service.management.probe(value)).toMatchObject({ live: true });
    expect(findSecrets(markedSecrets, { texts: { value } })).not.toEqual([]);
    expect(await acme.orgseat("token", ada.email, "--out", file)).toMatchObject({ code: 1 });
    const link = join(acme.folder, "link.token");
    symlinkSync(join(acme.folder, "elsewhere"), link);
    const linked = await acme.orgseat("token", ada.email, "--out", link);
    expect(linked).toMatchObject({ code: 1, stderr: expect.stringContaining("link.token") });
    expect(existsSync(join(acme.folder, "elsewhere"))).toBe(false);

    const csv = join(acme.folder, "report.csv");
    const report = await acme.orgseat("report", "--json", "--out", "-");
    expect(report.code).toBe(0);
    expect(await acme.orgseat("report", "--format", "csv", "--out", csv)).toEqual({
      ...{ code: 0, stdout: "", stderr: `Wrote the report to ${csv}.\n` },
    });
    expect(statSync(csv).mode & 0o777).toBe(0o600);
    const printed = await acme.orgseat("report", "--format", "csv");
    expect(`\ufeff${printed.stdout}`).toBe(readFileSync(csv, "utf8"));
    const html = await acme.orgseat("report", "--format", "html");
    const forms = { json: report.stdout, csv: printed.stdout, html: html.stdout };
    for (const text of Object.values(forms)) {
      for (const who of [ada.email, grace.email, builds.purpose]) expect(text).toContain(who);
    }
    expect(await acme.sandbox.requests()).toEqual([]);
    acme.expectNoSecrets(forms);
  });

  test("destroy wants --yes where it cannot ask, stops above the removal limit with 3, and takes out exactly whom the printed override names", async () => {
    const acme = await runningOrganization(fourPeople);
    const unasked = await acme.orgseat("destroy");
    expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining("--yes") });
    const stopped = await acme.orgseat("destroy", "--yes");
    expect(stopped).toMatchObject({ code: 3, stdout: expect.stringContaining("BLOCKED (removal-limit)") });
    expect(stopped.stdout).toContain("No changes were made.");
    expect(await acme.sandbox.requests()).toEqual([]);
    const [, override = ""] = /--approve (\S+)/.exec(stopped.stdout) ?? [];
    const destroyed = await acme.orgseat("destroy", "--yes", "--approve", override);
    expect(destroyed).toMatchObject({ code: 0, stdout: expect.stringContaining("4 succeeded, 0 failed") });
    expect(await acme.members()).toEqual({});
    acme.expectNoSecrets();
  });

  test("adopt takes members over by their ids without a write, asks once what a removal shall mean, and leaves an empty preview", {
    tags: "ci",
  }, async () => {
    const old = await runningOrganization([ada, grace]);
    const { users } = await old.sandbox.service.management.snapshot();
    await old.close();
    const acme = await testOrganization({}, old.dataFolder);
    await acme.sandbox.requests();
    const members = users.map(({ email, userId }) => `${email},${userId},yes`);
    writeFileSync(join(acme.folder, "members.csv"), ["email,user_id,seat", ...members, ""].join("\n"));
    const begin = ["adopt", "members.csv", "--organization", acme.sandbox.organizationId];
    const unsaid = await acme.orgseat(...begin);
    expect(unsaid).toMatchObject({ code: 1, stderr: expect.stringContaining("--on-delete") });
    const adopted = await acme.orgseat(...begin, "--on-delete", "retain", "--yes");
    expect(adopted).toMatchObject({ code: 0, stdout: expect.stringContaining("2 to adopt") });
    expect(await acme.writes()).toEqual([]);
    expect(acme.read()).toMatch(/^# on_delete: retain$/m);
    await acme.succeed("preview", "--exit-code");
    const { userId: user_id = "" } = users.find(({ email }) => email === ada.email) ?? {};
    acme.write([{ ...ada, user_id, token: "no" }], { onDelete: "retain" });
    expect(await acme.orgseat("up", "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("retained"),
    });
    expect(await acme.writes()).toEqual([]);
    expect(Object.keys(await acme.members())).toEqual([ada.email, grace.email]);
    acme.expectNoSecrets();
  });
});
