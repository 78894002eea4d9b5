import { test } from "vitest";
import { checkEach } from "../setup/cases.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";
import { cases, expectRepaired } from "./cuts.ts";

test("every write, cut before it, after its commit or in the middle of its answer: nothing is lost or doubled", async () => {
  const organization = await sandbox({ seats: 100_000 });
  const configuration = configurationOf(organization, await makeServiceAccount(organization));
  await checkEach({ name: "cuts", level: "R", cases: cases.length, quick: 50 }, cases, (one) =>
    expectRepaired(one, organization, new DirectStack({ ...configuration })),
  );
});
