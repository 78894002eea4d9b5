/** docs/automation.md: its functions are those of `orgseat/automation`, and errors can be told apart as it says. */
import { expect, test } from "vitest";
import * as automation from "../../command/index.ts";
import { listItems, page, section } from "./pages.ts";

const text = page("docs/automation.md");

test("docs/automation.md has each function of the commands, and no other", () => {
  const documented = listItems(section(text, "Functions")).flatMap(({ names }) => names);
  const own = Object.entries(automation).flatMap(([name, value]) =>
    typeof value === "function" && !value.toString().startsWith("class") ? [name] : [],
  );
  expect(documented.toSorted()).toEqual(own.toSorted());
});

test("an error of the roster is a CodedError with the code of its section in docs/troubleshooting.md", async () => {
  const error: unknown = await automation.readRoster("no-such-file.csv").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(automation.RosterError);
  expect(error).toBeInstanceOf(automation.CodedError);
  expect(error).toMatchObject({ code: "invalid-roster", issues: [{ line: 0 }] });
});
