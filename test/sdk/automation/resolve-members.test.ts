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
  test("is an email or a key, in any letter case, and the same person counts once", () => {
    expect(keysOf("Ada@Acme.example", "ADA", "linux-2")).toEqual(["ada", "linux-2"]);
  });
  test("means the person whose key it is before others", () => {
    expect(keysOf("old@acme.example")).toEqual(["old@acme.example"]);
  });
  test("that fits several is an error with their keys", () => {
    expect(() => keysOf("ada", "linux builds")).toThrow(
      "linux builds is ambiguous (linux, linux-2). Use a key",
    );
  });
  test("that nobody has is an error with the nearest", () => {
    expect(() => keysOf("ada@acme.exampel")).toThrow(
      "ada@acme.exampel is not in people.csv; did you mean ada@acme.example?",
    );
  });
});
