/** The names that the month's report has of people who left. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { addOffboarded } from "../../command/roster/offboarded.ts";
import { reportOf } from "../../command/verbs/report-all.ts";
import { directFixture } from "./fixture.ts";
import { managed, person } from "./people.ts";

test("the month's report names leavers of the offboarded list, shows the user ids of others, and the audit log names nobody", async () => {
  const fixture = await directFixture(10);
  const [ada, linux, grace] = [person("ada"), managed("ci-linux", "Linux builds"), person("grace")];
  const ids = await fixture.bring([ada, linux, grace]);
  expect((await fixture.up([grace])).status).toBe("succeeded");
  const leftNow = async () => {
    const { month } = await reportOf(await fixture.open(), { month: new Date().toISOString().slice(0, 7) });
    return month?.left?.map(({ who }) => who).toSorted();
  };
  expect(await leftNow()).toEqual([ids.get("ada"), ids.get("ci-linux")].toSorted());

  const { auditFile, offboardedFile } = await fixture.open();
  const leaver = { key: "ada", email: ada.email, userId: ids.get("ada"), leftAt: "2026-11-03T10:00:00Z" };
  await addOffboarded(offboardedFile, [leaver]);
  expect(await leftNow()).toEqual([ids.get("ci-linux"), ada.email].toSorted());
  expect(readFileSync(auditFile, "utf8")).not.toMatch(/@|Linux/);
});
