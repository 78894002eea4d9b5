/** What the pages show of the output of commands is what a test makes the commands print. */
import { expect, test } from "vitest";
import { allPages, codeBlocks, page } from "./pages.ts";

/** The first line of each block of output, and the test that compares the block with the command. */
const renderedBy: Readonly<Record<string, string>> = {
  "people.csv is invalid (2 errors):": "test/command/roster/document.test.ts",
  "    ~ pulumi-nodejs:orgseat:OrgMember: (update)": "test/examples/ci/program.test.ts",
  "error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the lock file with `pulumi cancel`.":
    "test/examples/ci/program.test.ts",
};

/** Blocks that show a file. */
const files: ReadonlySet<string> = new Set([
  "pulumi>=3.200,<4",
  "module acme",
  "*                    @acme/administrators",
  "# rotation of ada@acme.example: 2026-11-22T10:00:00Z",
]);

test("each block of output in the pages has a test that compares it with the command", () => {
  const shown = allPages()
    .filter((path) => !path.startsWith("docs/internal/"))
    .flatMap(codeBlocks)
    .filter(({ language }) => ["", "text", "console", "output"].includes(language))
    .map(({ page: path, text }) => ({ path, first: text.split("\n")[0] ?? "" }))
    .filter(({ first }) => !files.has(first));
  expect(shown.map(({ first }) => first).toSorted()).toEqual(Object.keys(renderedBy).toSorted());
  for (const { path, first } of shown)
    expect(page(renderedBy[first] ?? ""), `the test of "${first}"`).toContain(path);
});
