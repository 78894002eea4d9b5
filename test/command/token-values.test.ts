import { expect, test } from "vitest";
import { sealedTokensOf } from "../../command/verbs/token-values.ts";
import { broughtFixture } from "./fixture.ts";
import { person } from "./people.ts";

test("lists people without a sealed token in the order of the roster", async () => {
  const people = ["zoe", "ada", "bob"].map((key) => person(key));
  const { fixture } = await broughtFixture(people.toReversed());

  const { tokens, notSealed } = await sealedTokensOf(await fixture.open(people), { all: true });

  expect(tokens).toEqual([]);
  expect(notSealed).toEqual(["zoe@acme.example", "ada@acme.example", "bob@acme.example"]);
});
