/** A subscription that has ended, in a roster. */
import { expect, test } from "vitest";
import { readRoster } from "../../../command/roster/read.ts";
import { temporaryFile } from "../../setup/temporary.ts";

const ORGANIZATION = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";
const NOW = Date.parse("2026-11-22T12:00:00Z");

test("a past subscription gives an issue with its place, whoever joins", async () => {
  const fileOf = (date: string): string =>
    temporaryFile(
      "people.csv",
      `# organization: ${ORGANIZATION}\n# subscription: ${date}\nemail\nada@acme.example\n`,
    );
  for (const date of ["2026-11-21", "2026-11-22T12:00:00Z", "2020-01-01T00:00:00+02:00"]) {
    await expect(readRoster(fileOf(date), NOW)).rejects.toThrow(
      `line 2, column 17 (subscription): "${date}": in the past. Write the new end of the subscription, or leave the field out`,
    );
  }
  for (const date of ["2026-11-22", "2026-11-22T14:00:00Z"])
    await expect(readRoster(fileOf(date), NOW)).resolves.toMatchObject({ organizationId: ORGANIZATION });
});

test("a past subscription is said together with every other issue, and without a clock not at all", async () => {
  const text = `# organization: ${ORGANIZATION}\n# subscription: 2020-01-01\nemail\nada\n`;
  const file = temporaryFile("people.csv", text);
  await expect(readRoster(file, NOW)).rejects.toThrow(/is invalid \(2 errors\):/);
  await expect(readRoster(file)).rejects.toThrow(/is invalid \(1 error\):/);
});
