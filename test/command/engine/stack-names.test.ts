/** Which stack is meant by the name that a user types. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canonicalStackName, shortStackName } from "../../../command/engine/stack-names.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

function projectNamed(name: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), `name: ${name} # ours\nruntime: nodejs\n`);
  return folder;
}

test("a stack name keeps its form: short stays short, and a name with an organization gets the folder's project", () => {
  const folder = projectNamed("staff");
  expect(canonicalStackName("people", folder)).toBe("people");
  expect(canonicalStackName("acme/people", folder)).toBe("acme/staff/people");
  expect(canonicalStackName("acme/staff/people", folder)).toBe("acme/staff/people");
  expect(canonicalStackName("organization/people", temporaryFolder())).toBe("organization/orgseat/people");
  expect(shortStackName("acme/staff/people")).toBe("people");
  expect(shortStackName("people")).toBe("people");
});

test("a stack name of another project, or of no known form, is refused", () => {
  const folder = projectNamed("staff");
  expect(() => canonicalStackName("acme/other/people", folder)).toThrow(
    "stack acme/other/people belongs to project other, but the project of this folder is staff.",
  );
  for (const typed of ["", "/people", "acme//people", "a/b/c/d", "people ", "https://x/people"]) {
    expect(() => canonicalStackName(typed, folder), typed).toThrow(`"${typed}" is not a valid stack name`);
  }
});
