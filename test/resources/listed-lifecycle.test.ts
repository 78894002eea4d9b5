/** administrators.txt, and how often a run lists users and tokens. */
import { expect, test } from "vitest";
import { listedOrganization, member } from "./listed.ts";
import { runs } from "./runs.ts";

runs("administrators.txt");

test("reads: a run lists the users once, and the tokens of each person once in a refresh, three times in a creation", async () => {
  const organization = await listedOrganization();
  const stack = organization.stack({ ORGSEAT_MAX_REMOVALS: "4" });
  const people = ["a", "b", "c", "d"].flatMap((key) => member(key, { email: `${key}@acme.example` }));
  const listsOf = async (run: () => Promise<{ readonly errors: readonly string[] }>) => {
    await organization.requests();
    expect((await run()).errors).toEqual([]);
    const calls = await organization.calls();
    return [17, 18].map((list) => calls.filter((call) => call === list).length);
  };
  expect(await listsOf(() => stack.up(people))).toEqual([1, 12]);
  expect(await listsOf(() => stack.refresh())).toEqual([1, 4]);
  expect(await listsOf(() => stack.up(people))).toEqual([0, 0]);
  expect(await listsOf(() => stack.destroy())).toEqual([1, 0]);
});
