/** Which stacks are meant by the name that a user types. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PulumiEngine } from "../../../command/engine/pulumi.ts";
import {
  canonicalStackName,
  configuredStacks,
  defaultStacks,
  hasHiddenSettings,
  isStackOf,
  numberedStacks,
  shortStackName,
  stackNames,
} from "../../../command/engine/stack-names.ts";
import { defaultParallel } from "../../../command/stacks/organization.ts";
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
  expect(shortStackName("acme/staff/people-01")).toBe("people-01");
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

test("a stack is configured where its file says something of orgseat, in the folder that the project names", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "config"));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: staff\nruntime: nodejs\nstackConfigDir: config\n");
  const write = (stack: string, text: string) =>
    writeFileSync(join(folder, "config", `Pulumi.${stack}.yaml`), text);
  write("people", "encryptionsalt: v1:abc\nconfig:\n  orgseat:orgUrl: https://acme.example/\n");
  write("salt", "encryptionsalt: v1:abc\n");
  write("others", "config:\n  aws:region: eu-central-1\n");
  write("imported", "environment:\n  - acme/staff\n");
  write("broken", "config: [\n");
  write("empty", "");
  expect(configuredStacks(folder).toSorted()).toEqual(["broken", "imported", "people"]);
});

test("a stack has hidden settings if its file imports an environment, or if its project refreshes in every run", () => {
  const folder = projectNamed("staff");
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  write("Pulumi.people.yaml", "config:\n  orgseat:orgUrl: https://acme.example/\n");
  write("Pulumi.imported.yaml", "environment:\n  - acme/staff\n");
  write("Pulumi.broken.yaml", "config: [\n");
  const names = ["people", "acme/staff/imported", "broken", "none"];
  const hidden = () => names.filter((name) => hasHiddenSettings(folder, name));
  expect(hidden()).toEqual(["acme/staff/imported", "broken"]);
  write("Pulumi.yaml", "name: staff\nruntime: nodejs\noptions:\n  refresh: always\n");
  expect(hidden()).toEqual(names);
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

test("a name belongs to an organization where its number can be that of a stack", () => {
  const names = ["people", "people-01", "people-99", "people-100", "people-0001", "people-1024"];
  const others = [
    "people-0",
    "people-1",
    "people-00",
    "people-1025",
    "people-x1",
    "people-01-02",
    "staff-01",
  ];
  expect([...names, ...others].filter((name) => isStackOf("people", name))).toEqual(names);
  expect([1, 64, 99, 100, 999, 1024].map((count) => stackNames("people", count).at(-1))).toEqual([
    "people",
    "people-64",
    "people-99",
    "people-100",
    "people-999",
    "people-1024",
  ]);
  for (const count of [2, 64, 100, 1024]) {
    expect(numberedStacks("people", ["people", ...stackNames("people", count)])).toBe(count);
  }
  expect(numberedStacks("people", ["people", "staff-07"])).toBe(0);
});

test("stacks run at once as processors and memory allow, at least one and at most four", () => {
  const gib = 1024 ** 3;
  const parallel = [0, 1, 2, 3, 8].map((free) => defaultParallel(8, free * gib));
  expect([...parallel, defaultParallel(2, 8 * gib)]).toEqual([1, 1, 2, 3, 4, 2]);
});

test("the number of stacks: one up to 200 people, then one per 150, at most 1,024", () => {
  expect([0, 200, 201, 300, 301, 1000, 5000, 20_000, 200_000].map(defaultStacks)).toEqual([
    ...[1, 1, 2, 2, 3, 7, 34, 134, 1024],
  ]);
});
