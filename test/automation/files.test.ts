// @module-tag ci
/** A roster of several files on the real command: which files it means, and what `--offline` says about them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testOrganization } from "./organization.ts";

test("a folder of files is a roster, unless a file stands beside it; preview --offline counts its rows", async () => {
  const acme = await testOrganization();
  const folder = join(acme.folder, "people");
  mkdirSync(folder);
  const write = (name: string, ...lines: string[]) =>
    writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(""));
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await acme.orgseat(...args);
    return { code, said: stdout + stderr };
  };

  write("main.csv", `# organization: ${acme.sandbox.organizationId}`, "email", "ada@acme.example");
  write("platform.csv", "email", "bob@acme.example", "eve@acme.example");
  expect(await said("preview", "--offline")).toMatchObject({
    code: 0,
    said: "people is valid: 3 people\n",
  });
  write("data.csv", "# rows: 2", "email", "gil@acme.example");
  expect(await said("preview", "--offline")).toMatchObject({
    code: 1,
    said: expect.stringContaining("people/data.csv declares 2 people (`rows`) but lists 1"),
  });
  writeFileSync(join(acme.folder, "people.csv"), "email\n");
  expect(await said("preview")).toMatchObject({
    code: 1,
    said: expect.stringContaining("this folder has people.csv and people. Pass --roster PATH"),
  });
});
