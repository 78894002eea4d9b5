// @module-tag ci
/** A roster of several files on the real command: one plan for all. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testOrganization } from "./organization.ts";

test("rows in several files are one organization, and rows that move change nothing", async () => {
  const acme = await testOrganization();
  const folder = join(acme.folder, "people");
  mkdirSync(folder);
  const write = (name: string, ...lines: string[]) =>
    writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(""));
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const orgseat = async (...args: string[]) => {
    const { code, stdout, stderr } = await acme.orgseat(...args);
    return { code, said: stdout + stderr };
  };
  const row = (key: string) => `${key}@acme.example,${key}`;

  write("main.csv", `# organization: ${acme.sandbox.organizationId}`, "email,key", row("ada"));
  write("platform.csv", "# owner: platform-leads", "email,key", row("bob"), row("eve"));
  const first = await orgseat("up", "--yes");
  expect(first).toMatchObject({
    code: 0,
    said: expect.stringContaining("  people/platform.csv (owner: platform-leads):\n    bob@acme.example"),
  });
  expect(read("main.csv")).toMatch(/^# roster: /m);
  expect(Object.keys(await acme.members()).toSorted()).toEqual(
    ["ada", "bob", "eve"].map((key) => `${key}@acme.example`),
  );

  write("platform.csv", "email,key", row("bob"), row("ada"));
  write("main.csv", ...read("main.csv").trimEnd().split("\n").slice(0, -1), row("eve"));
  expect(await orgseat("preview", "--exit-code")).toMatchObject({
    code: 0,
    said: expect.stringContaining("No changes."),
  });
  expect(await orgseat("preview", "--offline")).toMatchObject({
    code: 0,
    said: "people is valid: 3 people\n",
  });
  write("data.csv", "# rows: 2", "email", "gil@acme.example");
  expect(await orgseat("preview", "--offline")).toMatchObject({
    code: 1,
    said: expect.stringContaining("people/data.csv declares 2 people (`rows`) but lists 1"),
  });
  writeFileSync(join(acme.folder, "people.csv"), read("main.csv"));
  expect(await orgseat("preview")).toMatchObject({
    code: 1,
    said: expect.stringContaining("this folder has people.csv and people. Pass --roster PATH"),
  });
});
