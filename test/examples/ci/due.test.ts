// @module-tag ci
/** The workflow that keeps an issue open while anything is due, as a run on GitHub plays it. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { peopleRows, type Row, testOrganization } from "../../automation/organization.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { read } from "./files.ts";
import { play } from "./host.ts";
import { readWorkflow } from "./workflow.ts";

const text = read("due.yml");
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test("opens one issue, writes into it what is due now, and closes it", async () => {
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
  const acme = await testOrganization({ seats: 10 });
  const { PULUMI_BACKEND_URL = "", ...machine } = acme.variables();
  const issue = join(temporaryFolder(), "issue");
  /** An issue that is open has a body. */
  const gh = `case "$2" in
list) case "$*" in *'startswith("<!-- orgseat due -->")'*) [ ! -e "${issue}" ] || echo 7;; *) echo 1;; esac;;
close) rm "${issue}";;
*) while [ "$1" != --body-file ]; do shift; done; cp "$2" "${issue}";;
esac`;
  const night = async (rows: readonly Row[]) => {
    acme.write(rows);
    const { due } = await play(readWorkflow(text), {
      values: { "vars.PULUMI_BACKEND_URL": PULUMI_BACKEND_URL, "github.repository": "acme/people" },
      machine,
      checkout: (folder) => copyFileSync(acme.file, join(folder, "people.csv")),
      commands: { npm: "exit 0", gh },
    });
    if (due?.result !== "success") return due?.log;
    return existsSync(issue) ? readFileSync(issue, "utf8") : undefined;
  };
  const ending = (days: number): Row[] => [
    ...peopleRows(1),
    { email: "grace@acme.example", access_until: inDays(days) },
  ];
  // Without the states, nothing is due that anybody knows of, and the run fails.
  expect(await night(ending(60))).toContain("cannot tell what is due: stack people of 2 people");
  await acme.succeed("up", "--yes");
  await acme.writes();
  expect(await night(ending(60))).toBeUndefined();
  expect(await night(ending(20))).toMatch(/^<!-- orgseat due -->\ngrace@acme\.example\t\taccess ends\t/);
  expect(await night(ending(10))).toContain(inDays(10));
  expect(await night(ending(60))).toBeUndefined();
  expect(await acme.writes()).toEqual([]);
});
