import { expect, test } from "vitest";
import { sealedTokensOf } from "../../command/verbs/token-values.ts";
import { directFixture } from "./fixture.ts";
import { person } from "./people.ts";

test("lists people without a sealed token in the order of the roster", async () => {
  const fixture = await directFixture(5);
  const people = ["zoe", "ada", "bob"].map((key) => person(key));
  const roster = { organizationId: fixture.organizationId, stacks: 1, people };
  await fixture.bring({ ...roster, people: people.toReversed() });

  const { tokens, notSealed } = await sealedTokensOf(await fixture.open(roster), { all: true });

  expect(tokens).toEqual([]);
  expect(notSealed).toEqual(["zoe@acme.example", "ada@acme.example", "bob@acme.example"]);
});
