/** Which stack is meant by the name that a user types. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PulumiEngine } from "../../../command/engine/pulumi.ts";
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

test("the stacks of a project are those of the same organization, in the form that was asked for", async () => {
  const folder = projectNamed("staff");
  const command = join(folder, "pulumi");
  const listed = (...names: string[]): string => JSON.stringify(names.map((name) => ({ name })));
  writeFileSync(
    command,
    `#!/bin/sh
case "$*" in
  *--fully-qualify-stack-names*) echo '${listed("acme/staff/people", "acme/staff/eng", "other/staff/people")}' ;;
  *) echo '${listed("people", "eng", "other/people", "other/else/people")}' ;;
esac
`,
  );
  chmodSync(command, 0o755);
  const engine = new PulumiEngine({ folder, environment: { ORGSEAT_PULUMI_PATH: command } });
  const namesLike = async (name: string) => (await engine.listStacks(name)).map((listed) => listed.name);
  expect(await namesLike("people")).toEqual(["people", "eng"]);
  expect(await namesLike("acme/staff/people")).toEqual(["acme/staff/people", "acme/staff/eng"]);
  expect(await namesLike("other/staff/people")).toEqual(["other/staff/people"]);
});
