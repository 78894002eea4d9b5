import { describe, expect, test } from "vitest";
import { resolveMembers } from "../../command/preview/resolve-members.ts";
import { CodedError } from "../../provider/util/error-codes.ts";

const known = [
  { key: "linux", label: "Linux builds" },
  { key: "linux-2", label: "Linux builds" },
  { key: "ada", label: "ada@acme.example" },
  { key: "old@acme.example", label: "new@acme.example" },
  { key: "hired", label: "old@acme.example" },
  { key: "x@acme.example", label: "y@acme.example", userId: "u1" },
  { key: "y@acme.example", label: "x@acme.example", userId: "u2" },
];
const keysOf = (...names: string[]) => resolveMembers(names, known, "people.csv").map(({ key }) => key);

describe("a typed name", () => {
  test("means an email or a key, in any letter case, and the same person once", () => {
    expect(keysOf("Ada@Acme.example", "ADA", "linux-2")).toEqual(["ada", "linux-2"]);
  });
  test("means a key before the same key in another letter case", () => {
    const both = [
      { key: "CI", label: "ci@acme.example" },
      { key: "ci", label: "Builds" },
    ];
    expect(resolveMembers(["ci"], both, "people.csv")).toEqual([both[1]]);
  });
  test.each([
    [
      "old@acme.example",
      "old@acme.example (new@acme.example), hired (old@acme.example). Use new@acme.example or hired",
    ],
    [
      "OLD@acme.example",
      "old@acme.example (new@acme.example), hired (old@acme.example). Use new@acme.example or hired",
    ],
    ["x@acme.example", "x@acme.example (y@acme.example), y@acme.example (x@acme.example). Use u1 or u2"],
    ["linux builds", "linux (Linux builds), linux-2 (Linux builds). Use linux or linux-2"],
  ])(
    "fits one person's email and another's key, so the error shows names that fit one alone: %s",
    (name, people) => {
      expect(() => keysOf(name)).toThrow(`${name} is ambiguous: ${people}`);
      for (const clear of /Use (.*) or (.*)/.exec(people)?.slice(1) ?? [])
        expect(keysOf(clear)).toHaveLength(1);
    },
  );
  test("gives an error with the nearest if nobody has it", () => {
    expect(() => keysOf("ada@acme.exampel")).toThrow(
      "ada@acme.exampel is not in people.csv; did you mean ada@acme.example?",
    );
  });
});

describe("a name of nobody, where a command takes something away", () => {
  const people = [
    { key: "ada@acme.example", label: "ada@acme.example", userId: "u1", firstName: "Ada", lastName: "King" },
    { key: "k2", label: "bob@acme.example", firstName: "Bob", lastName: "King" },
    { key: "k3", label: "bob@other.example", userId: "u3" },
  ];
  const taken = (name: string) => () =>
    resolveMembers([name], people, "the state", { takesAway: true }).map(({ key }) => key);

  test("suggests no colleague with a similar one", () => {
    for (const name of ["adam@acme.example", "adda", "Ada Kong"])
      expect(taken(name)).toThrow(
        new CodedError(
          "unknown-person",
          `${name} is not in the state. Check the spelling; \`orgseat list\` shows everybody`,
        ),
      );
  });

  test.each([
    ["ada king", "ada@acme.example (user id u1)"],
    ["Ada", "ada@acme.example (user id u1)"],
    ["bob", "bob@acme.example (key k2), bob@other.example (user id u3)"],
  ])("lists those who have exactly this one, with their ids: %s", (name, listed) => {
    expect(taken(name)).toThrow(
      new CodedError(
        "unknown-person",
        `${name} is not in the state. People with exactly this name: ${listed}. Pass the email, the key, or the user id`,
      ),
    );
  });
});
