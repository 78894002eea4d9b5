import { describe, expect, test } from "vitest";
import { resolveMembers } from "../../../sdk/automation/preview/resolve-members.ts";

const known = [
  { key: "linux", label: "Linux builds" },
  { key: "linux-2", label: "Linux builds" },
  { key: "ada", label: "ada@acme.example" },
  { key: "old@acme.example", label: "new@acme.example" },
  { key: "hired", label: "old@acme.example" },
];
const keysOf = (...names: string[]) => resolveMembers(names, known, "people.csv").map(({ key }) => key);

describe("a typed name", () => {
  test("means an email or a key, in any letter case, and the same person once", () => {
    expect(keysOf("Ada@Acme.example", "ADA", "linux-2")).toEqual(["ada", "linux-2"]);
  });
  test("means the person whose key it is before others", () => {
    expect(keysOf("old@acme.example")).toEqual(["old@acme.example"]);
  });
  test("gives an error with the keys of all if it fits several", () => {
    expect(() => keysOf("ada", "linux builds")).toThrow(
      "linux builds is ambiguous (linux, linux-2). Use a key",
    );
  });
  test("gives an error with the nearest if nobody has it", () => {
    expect(() => keysOf("ada@acme.exampel")).toThrow(
      "ada@acme.exampel is not in people.csv; did you mean ada@acme.example?",
    );
  });
});
