import { test } from "vitest";
import { checkEach } from "../setup/cases.ts";
import { listedOrganization } from "./listed.ts";
import { cases, expectRepaired } from "./listed-cuts.ts";

test("every write, cut before it, after its commit or in the middle of its answer: the next run repairs it", async () => {
  const organization = await listedOrganization();
  await checkEach({ name: "cuts with lists", level: "R", cases: cases.length, quick: 50 }, cases, (one) =>
    expectRepaired(one, organization, organization.stack()),
  );
});
