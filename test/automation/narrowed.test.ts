// @module-tag ci
/** A preview for which Pulumi runs only about people whom a run can change says what a preview of everybody says. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSettled } from "../../command/apply/member-results.ts";
import { RosterError } from "../../command/roster/formats/validation.ts";
import { openOrganization } from "../../command/stacks/organization.ts";
import { upAll } from "../../command/verbs/up.ts";
import { expectSamePreview } from "../command/narrowed.ts";
import type { Draw } from "../command/people.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { peopleRows, type Row, runningOrganization } from "./organization.ts";

const suite: Suite = { name: "narrowed previews with an engine", level: "E", cases: 100, siblings: 2 };

const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

/** What someone can write into a row. */
const cells: readonly Row[] = [
  { protected: "true" },
  { team: "other" },
  { first_name: "Ada" },
  { rotation: "2" },
  { rotate_every: "90d" },
  { expires: "2027-01-01" },
  { window: "30d" },
  { recipients: RECIPIENT },
  { token: "false" },
  { seat: "false" },
  { access_until: "2020-01-01" },
  { access_until: "2040-01-01" },
];

function edited(draw: Draw, rows: readonly Row[], mark: string): Row[] {
  const some = draw(() => fc.subarray([...rows], { maxLength: 2 }));
  const kept = rows.flatMap((row) => {
    if (!some.includes(row)) return [row];
    const cell = draw(() => fc.option(fc.constantFrom(...cells), { nil: undefined }));
    return cell === undefined ? [] : [{ ...row, ...cell }];
  });
  const joiners = draw(() => fc.nat({ max: 2 }));
  return [
    ...kept,
    ...Array.from({ length: joiners }, (_, index) => ({ email: `${mark}-${index}@acme.example` })),
  ];
}

describe("narrowed previews", () => {
  test("say the same as previews of everybody, and their runs leave nothing to do", async () => {
    let rows: readonly Row[] = peopleRows(8);
    const acme = await runningOrganization(rows, { stacks: 2 }, { seats: 1000 });
    let count = 0;
    const people = { unchanged: 0, asked: 0 };
    await checkCases(suite, fc.gen(), async (draw) => {
      const next = edited(draw, rows, `joiner-${count++}`);
      acme.write(next, { stacks: 2 });
      const organization = await openOrganization(acme.options()).catch((error: unknown) => {
        // Not every cell fits to the others of its row.
        if (error instanceof RosterError) return undefined;
        throw error;
      });
      if (organization === undefined) return;
      rows = next;
      const found = await expectSamePreview(organization);
      people.unchanged += found?.unchanged ?? 0;
      people.asked += found?.asked ?? 0;
      const { status, applied } = await upAll(organization, {});
      if (status === "blocked") return;
      expect(applied?.failures ?? []).toEqual([]);
      expect(applied?.results.filter((one) => !isSettled(one)) ?? []).toEqual([]);
      expect(status).toBe("succeeded");
      const after = await expectSamePreview(await openOrganization(acme.options()));
      expect(after).toMatchObject({ asked: 0 });
    });
    expect(people.asked).toBe(0);
  });
});
