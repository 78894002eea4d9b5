/** A shell without variables: `orgseat.env` beside the roster is enough. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { fourPeople, testOrganization } from "./organization.ts";

test("up and list need no variable of the shell, and show none of the file's secrets", async () => {
  const acme = await testOrganization();
  acme.write(fourPeople);
  const isTaken = ([name]: [string, string]) =>
    /^(ORGSEAT_(?!PULUMI_PATH|TEST)|PULUMI_(BACKEND_URL|CONFIG_PASSPHRASE))/.test(name);
  const taken = Object.entries(acme.variables()).filter(isTaken);
  expect(taken.length).toBeGreaterThan(5);
  // Of the quotes that Node knows, those that no secret of the test has.
  const text = taken.map(([name, value]) => `${name}=\`${value}\`\n`).join("");
  writeFileSync(join(acme.folder, "orgseat.env"), text, { mode: 0o600 });
  for (const [name] of taken) acme.environment[name] = "";

  expect(await acme.succeed("up", "--yes")).toContain(`${fourPeople.length} succeeded`);
  expect(Object.keys(await acme.members())).toHaveLength(fourPeople.length);
  // From elsewhere, the file is that of the roster's folder.
  const other = temporaryFolder();
  expect(await acme.succeed("-C", other, "list", "--roster", acme.file)).toContain("ada@acme.example");

  const ignored = await acme.orgseat("preview", "--no-env-file");
  expect(ignored.code).toBe(1);
  acme.environment.ORGSEAT_CLIENT_SECRET = "of the shell";
  const mixed = await acme.orgseat("preview");
  expect(mixed).toMatchObject({ code: 1, stdout: "" });
  expect(mixed.stderr).toContain("come from two places, so orgseat uses neither: ORGSEAT_CLIENT_SECRET from");
  expect(findSecrets(markedSecrets, { texts: { printed: acme.printed.join("\n") } })).toEqual([]);
});
