/** Which texts are ids of organizations, in every place that takes one. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../command/roster/read.ts";
import { organizationIdSchema } from "../../provider/api/schemas/schemas.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { orgUserDefinition } from "../../provider/member/primitives/user.ts";
import { checkCases } from "../setup/cases.ts";

const valid = [
  ...["acme-data", "Acme_Data", "a", "1234", "1b4e28ba-2fa1-11d2-883f-0016d3cca427"],
  ...["a.b", "...", "%2e%2e", "r&d", "a+b=c", "a@b", "a:b", "a'b", "$HOME", "数据", "zürich", "{org_id}"],
];
const invalid: readonly (readonly [id: string, issue: string])[] = [
  ["", "it is empty"],
  [".", '"." is no name in an address'],
  ["..", '".." is no name in an address'],
  ["acme/data", "it contains U+002F in column 5"],
  ["acme?", "it contains U+003F in column 5"],
  ["#acme", "it contains U+0023 in column 1"],
  ["acme\\data", "it contains U+005C in column 5"],
  ["acme data", "it contains U+0020 in column 5"],
  ["数据\u3000", "it contains U+3000 in column 3"],
  ["acme\u00a0", "it contains U+00A0 in column 5"],
  ["acme\n", "it contains U+000A in column 5"],
  ["acme\u0085", "it contains U+0085 in column 5"],
  ["😀\u200b", "it contains U+200B in column 2"],
  ["a\u202eb", "it contains U+202E in column 2"],
  ["a\u00adb", "it contains U+00AD in column 2"],
  ["a\udfff", "it contains U+DFFF in column 2"],
];

function issueOf(id: string): string | undefined {
  return organizationIdSchema.safeParse(id).error?.issues[0]?.message;
}

describe("organization id", () => {
  test.each(valid)("accepts %j", (id) => {
    expect(organizationIdSchema.parse(id)).toBe(id);
  });

  test.each(invalid)("refuses %j", (id, issue) => {
    expect(issueOf(id)).toBe(
      `not an organization id: ${issue}. Copy it from the address of the organization in the console`,
    );
  });

  test("stays one segment of every path", () =>
    checkCases(
      { name: "organization ids", level: "R", cases: 20_000 },
      fc.string({
        unit: fc.oneof(
          fc.constantFrom(..."./?#\\%:@ \t"),
          fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
        ),
      }),
      async (id) => {
        if (issueOf(id) !== undefined) return;
        const { pathname } = new URL(`https://service.example/organizations/${encodeURIComponent(id)}/users`);
        expect(pathname.split("/").map(decodeURIComponent)).toEqual(["", "organizations", id, "users"]);
      },
    ));

  test.each(["acme-data", "acme data"])(
    "follows one rule in roster, configuration, and program: %j",
    (id) => {
      const issue = issueOf(id);
      const roster = () => parseRoster(`# organization: ${id}\nemail\n`, "people.csv").organizationId;
      const { issues, organizationId } = readSettings(
        (key) => (key === "orgseat:organizationId" ? id : undefined),
        {},
      );
      const program = orgUserDefinition.inputs.organizationId?.safeParse(id);
      if (issue === undefined) {
        expect([roster(), organizationId, program?.data]).toEqual([id, id, id]);
      } else {
        expect(roster).toThrow(`(organization): "${id}": ${issue}`);
        expect([issues, organizationId]).toEqual([[`orgseat:organizationId is ${issue}`], undefined]);
        expect(program?.error?.issues[0]?.message).toBe(issue);
      }
    },
  );
});
