import { expect, test } from "vitest";
import { warningsIn } from "../../../command/plan/texts/warnings.ts";
import { plan, row } from "./planned.ts";

const people = ["zoe", "ada", "bob"];
const order = ["zoe", "ada"];
const { members } = await plan({ had: people.map((key) => row(key)), order });
const expiring = (key: string) => `token of user id-of-${key} expires in 3 days. Raise \`expires\`.`;

test("warns once about what several people share, with their names in the order of the roster", () => {
  const found = warningsIn(people.toReversed().map(expiring), members);
  expect(found).toEqual([
    {
      text: "token of the person expires in 3 days. Raise `expires`.",
      people: ["zoe@acme.example", "ada@acme.example", "bob@acme.example"],
    },
  ]);
});

test("names the one person whom a warning is about", () => {
  expect(warningsIn([expiring("ada")], members)).toEqual([
    {
      text: "token of ada@acme.example (user id-of-ada) expires in 3 days. Raise `expires`.",
      people: ["ada@acme.example"],
    },
  ]);
});

test("says of each person what asks for the id", () => {
  const asking = (key: string) => `user id-of-${key} is a member. Write this id into \`user_id\` of the row.`;
  const found = warningsIn(["zoe", "ada"].map(asking), members);
  expect(found.map(({ text }) => text)).toEqual(
    ["zoe", "ada"].map((key) => expect.stringContaining(`(user id-of-${key}) is a member`)),
  );
});

test("says each warning without a person once, and first", () => {
  const older = "stack people: the state is older";
  const texts = warningsIn([expiring("ada"), older, older], members).map(({ text }) => text);
  expect(texts).toEqual([older, expect.stringContaining("ada@acme.example")]);
});
