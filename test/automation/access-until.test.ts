// @module-tag ci
/** A contractor from the first day to the last: the command and the functions, on each engine. */
import { describe, expect, test } from "vitest";
import { openOrganization } from "../../command/stacks/organization.ts";
import { renewTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { type Row, testOrganization } from "./organization.ts";

const DAY = 86_400_000;
const ada = "ada@acme.example";

/** The day so many days from now, as a roster has it. */
function day(days: number): string {
  return new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
}

describe("access that ends", () => {
  test("renew removes a person whose access has ended, and nothing else", async () => {
    const people: readonly Row[] = [
      { key: "ada", email: ada },
      { key: "bob", email: "bob@acme.example" },
    ];
    const acme = await testOrganization();
    acme.write(people);
    await acme.succeed("up", "--yes");
    await acme.writes();
    const [first = {}, ...staying] = people;
    acme.write([{ ...first, access_until: day(1) }, ...staying]);
    await acme.succeed("up", "--yes");
    // The service's clock does not move with the one of the command.
    await acme.sandbox.service.management.setSwitches({ dateHeader: "none" });
    const later = await openOrganization(acme.options(), { now: () => Date.now() + 3 * DAY });
    expect(await renewTokens(later, {})).toMatchObject({ status: "succeeded" });
    expect(await acme.writes()).toEqual([9, 10, 11]);
    expect((await upAll(later, {})).preview.plan.hasChanges).toBe(false);
  });
});
