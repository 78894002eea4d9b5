import { expect, test } from "vitest";
import { parseRoster } from "../../command/roster/read.ts";
import { inputs } from "../../provider/resources/user-token/schema.ts";

const rosterWith = (months: number) => () =>
  parseRoster(
    `# organization: 7f3a8e52-0000-4000-8000-000000000001\nemail,expiration_tolerance_months\nada@acme.example,${months}\n`,
    "people.csv",
  );

test("a token outlives its date by 120 months at most, in a program and in a roster", () => {
  const { expirationToleranceMonths: input } = inputs;
  expect([120, 121].map((months) => input.safeParse(months).success)).toEqual([true, false]);
  expect(rosterWith(120)).not.toThrow();
  expect(rosterWith(121)).toThrow("expected a whole number from 0 to 120");
});
