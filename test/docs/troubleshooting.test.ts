/** docs/troubleshooting.md explains each error code, and the code uses each of them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../provider/util/error-codes.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { headingsOf, page, section } from "./pages.ts";

const TABLE = "provider/util/error-codes.ts";
const text = page("docs/troubleshooting.md");
const codes = Object.entries(errorCodes);

describe("docs/troubleshooting.md", () => {
  test("gives one section to each error code, in the order of the table", () => {
    const lines = text.split("\n");
    const headings = headingsOf(lines).filter(({ line }) => lines[line]?.startsWith("### "));
    expect(headings.map(({ title }) => title)).toEqual(Object.keys(errorCodes));
  });

  test.each(codes)("explains %s: its meaning, its cause, and what to do", (code, meaning) => {
    const [, first = "", , remedy, ...rest] = section(text, code).split("\n");
    const sentence = `${meaning}. `;
    expect(first.slice(0, sentence.length).toLowerCase()).toBe(sentence.toLowerCase());
    expect(first.slice(sentence.length), "its cause").toMatch(/^[A-Z`].+\.$/);
    expect(remedy, "what to do").toMatch(/^[A-Z`[].+\.$/);
    expect(rest.join("")).toBe("");
  });
});

describe("the error codes", () => {
  test("use kebab case, and each occurs in the source", () => {
    const sources = globSync(["provider/**/*.ts", "sdk/**/*.ts", "command/**/*.ts"], { cwd: packageRoot })
      .filter((path) => path !== TABLE)
      .map((path) => readFileSync(join(packageRoot, path), "utf8"))
      .join("\n");
    expect(codes.filter(([code]) => !/^[a-z]+(-[a-z]+)*$/.test(code))).toEqual([]);
    expect(codes.filter(([code]) => !sources.includes(`"${code}"`)).map(([code]) => code)).toEqual([
      // `InternalError` has it.
      "internal-error",
    ]);
  });
});
