/** Which files of the repository are in the tarball, whatever else is in its folders. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { testOrganization } from "../automation/organization.ts";
import { copyExample } from "../setup/repository.ts";
import { filesIn } from "../setup/secrets.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { runIn } from "./install.ts";

/** What the build makes. */
const BUILT = /^(dist|plugin)\//;
/** Of the tracked files: entries, pages for daily work, and the examples to copy. */
const WANTED = [
  /^(LICENSE|README\.md|package\.json)$/,
  /^sdk\/(entry|bin)\//,
  /^docs\/(commands|configuration|rosters|troubleshooting)\.md$/,
  /^examples\/(?!all-|model-area\/|onboarding\/|ci\/)[^/]+\//,
];

const packedSchema = z.array(z.object({ files: z.array(z.object({ path: z.string() })) }));

/** What `npm pack` would pack, without what the build makes. */
function packedFrom(folder: string): string[] {
  const options = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const answer: unknown = JSON.parse(execFileSync("npm", options, { cwd: folder, encoding: "utf8" }));
  const [packed] = packedSchema.parse(Array.isArray(answer) ? answer : Object.values(Object(answer)));
  return (packed?.files ?? [])
    .map(({ path }) => path)
    .filter((path) => !BUILT.test(path))
    .toSorted();
}

function trackedFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: packageRoot, encoding: "utf8" });
  return listed.split("\0").filter((path) => path !== "");
}

const wantedFiles = () =>
  trackedFiles()
    .filter((path) => WANTED.some((pattern) => pattern.test(path)))
    .toSorted();

describe("the tarball", () => {
  test("holds the tracked files that package.json names one by one, and what the build makes", () => {
    expect(packedFrom(packageRoot)).toEqual(wantedFiles());
  });

  test("holds the same files after an example has run in the folder", { tags: "ci" }, async () => {
    const clone = temporaryFolder();
    for (const path of trackedFiles().filter((one) => !one.startsWith("test/"))) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      cpSync(join(packageRoot, path), join(clone, path));
    }
    symlinkSync(join(packageRoot, "node_modules"), join(clone, "node_modules"));
    const example = join(clone, "examples", "automation-up");
    copyExample("automation-up", example);
    const organization = await testOrganization({ seats: 10 });
    mkdirSync(join(example, ".orgseat"));
    const environment = {
      ...organization.variables(),
      PULUMI_BACKEND_URL: `file://${join(example, ".orgseat")}`,
    };
    const ended = await runIn(example, process.execPath, ["up.ts", "--yes"], environment);
    expect(ended, ended.output).toMatchObject({ code: 0 });
    const left = filesIn(example).filter((file) => file.includes(".orgseat"));
    expect(left.some((file) => file.endsWith("people.json"))).toBe(true);
    // What people and tools leave there besides: configuration, secrets, and packages.
    for (const name of [
      "Pulumi.acme.yaml",
      "orgseat.env",
      "ada.token",
      "people.offboarded.csv",
      "passphrase",
    ])
      writeFileSync(join(example, name), "");
    for (const name of ["sdk/bin/orgseat.js.orig", "sdk/entry/.index.js.swp", "docs/rosters.md~"])
      writeFileSync(join(clone, name), "");
    expect(packedFrom(clone)).toEqual(wantedFiles());
  });
});
