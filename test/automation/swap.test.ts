// @module-tag ci
/** Joiners who need the seats of leavers, through the whole of Pulumi. */
import { describe, expect, test } from "vitest";
import { peopleRows, runningOrganization } from "./organization.ts";

describe("swap of seats", () => {
  test("no free seat: one up removes the leaver before it adds the joiner, and moves a changed email", async () => {
    const rows = peopleRows(5);
    const acme = await runningOrganization(rows, { stacks: 2, seats: 5 }, { seats: 5 });
    const [, ...staying] = rows;
    const renamed = staying.map((row, index) =>
      index === 0 ? { key: row.email, email: "renamed@acme.example" } : row,
    );
    const joiner = { email: "joiner@acme.example" };
    acme.write([...renamed, joiner], { stacks: 2, seats: 5 });
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    const writes = await acme.writes();
    expect(writes.toSorted((a, b) => a - b)).toEqual([5, 5, 6, 6, 7, 7, 9, 9, 10, 10, 11, 11]);
    expect(writes.indexOf(10)).toBeLessThan(writes.indexOf(6));
    const members = await acme.members();
    const emails = [...renamed, joiner].map(({ email }) => email);
    expect(Object.keys(members)).toEqual(emails.toSorted());
    for (const member of Object.values(members)) {
      expect(member).toEqual({ seat: true, token: expect.any(String) });
    }
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });
    acme.expectNoSecrets();
  });
});
