/** What a build downloads, and what pages have people install: nothing whose content a file of the repository does not fix. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { allPages, page } from "../docs/pages.ts";
import { repositoryFiles } from "../setup/repository.ts";
import { readUserLock, userLock } from "./user-lock.ts";

const read = (path: string) => readFileSync(join(packageRoot, path), "utf8");

const entrySchema = z.looseObject({
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
});
const lockSchema = z.looseObject({ packages: z.record(z.string(), entrySchema) });
const manifestSchema = z.looseObject({
  version: z.string().optional(),
  allowScripts: z.record(z.string(), z.boolean()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
});
const manifest = manifestSchema.parse(JSON.parse(read("package.json")));

const locks = globSync("{,test/*/}package-lock.json", { cwd: packageRoot }).toSorted();

const packagesWithNames = () => Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`);

describe("a build", () => {
  test.each(locks)("downloads packages by the checksums of %s alone", (path) => {
    const { packages } = lockSchema.parse(JSON.parse(read(path)));
    const installed = Object.entries(packages).filter(([name]) => name.includes("node_modules/"));
    expect(installed.length).toBeGreaterThan(1);
    const unchecked = installed.filter(
      ([, { integrity = "", link }]) => link !== true && !/^sha512-/.test(integrity),
    );
    expect(unchecked.map(([name]) => name)).toEqual([]);
  });

  test("runs no install script, which could download more", () => {
    const { packages } = lockSchema.parse(JSON.parse(read("package-lock.json")));
    const scripted = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
    expect(scripted.map((name) => [name, manifest.allowScripts[name]])).toEqual([["protobufjs", false]]);
    for (const path of [".ci/run", ".github/workflows/ci.yml", ".github/workflows/release.yml"]) {
      const installs = read(path).match(/npm ci\b.*$/gm) ?? [];
      expect(installs, path).toHaveLength(1);
      expect(installs.join(), path).toContain("--ignore-scripts");
    }
  });

  test("installs Python packages by hashes alone", () => {
    const requirements = read("test/interface/requirements.txt").replaceAll("\\\n", " ").split("\n");
    const names = requirements.filter((line) => line !== "" && !line.startsWith("#"));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((line) => !/^[\w.-]+==[\w.]+ +(--hash=sha256:[0-9a-f]{64} *)+$/.test(line))).toEqual(
      [],
    );
    for (const path of [".ci/run", ".github/workflows/ci.yml", "test/interface/schemathesis.test.ts"]) {
      const installs = read(path).match(/pip install\b.*$/gm) ?? [];
      expect(installs, path).toHaveLength(1);
      expect(installs.join(), path).toContain("--require-hashes -r test/interface/requirements.txt");
    }
  });
});

/** As long as no one has published the name, anybody can. */
describe("an installation of orgseat", () => {
  const archive = `orgseat-${manifest.version}.tgz`;

  test("takes a file, never its name, in the package.json of each example", () => {
    const examples = globSync("examples/*/package.json", { cwd: packageRoot }).toSorted();
    expect(examples.length).toBeGreaterThan(10);
    for (const path of examples) {
      const { dependencies } = manifestSchema.parse(JSON.parse(read(path)));
      expect(dependencies.orgseat, path).toMatch(new RegExp(`^file:(vendor/)?${archive}$`));
    }
  });

  test("takes the packages that the tests run with, by checksums, from the lock file for users", () => {
    expect(readUserLock(), "run `npm run docs`").toBe(userLock());
    const { packages } = lockSchema.parse(JSON.parse(readUserLock()));
    const { "": _, "node_modules/orgseat": own, ...others } = packages;
    expect(own?.resolved).toBe(`file:vendor/${archive}`);
    const tested = lockSchema.parse(JSON.parse(read("package-lock.json"))).packages;
    expect(Object.keys(others)).toEqual(expect.arrayContaining(packagesWithNames()));
    for (const [path, { integrity }] of Object.entries(others)) {
      expect(integrity, path).toMatch(/^sha512-/);
      expect(integrity, path).toBe(tested[path]?.integrity);
    }
  });

  test("takes a file, never its name, on each page", () => {
    const byName = /\bnpm (?:i|install|add)\b[^`\n]*?\s(?:orgseat|orgseat@\S+)(?=[\s`]|$)/;
    expect("run `npm install orgseat`").toMatch(byName);
    expect("npm install --save-dev orgseat@0.1.0 zod").toMatch(byName);
    expect(`npm install ./${archive}`).not.toMatch(byName);
    for (const path of allPages()) {
      expect(page(path), path).not.toMatch(byName);
      for (const [file] of page(path).matchAll(/orgseat-\d[\w.-]*\.tgz/g)) expect(file, path).toBe(archive);
    }
  });

  test("comes before the first `npx orgseat` of each page, which asks the registry otherwise", () => {
    const byFile = /npm (?:ci|install)\b|in a clone|install\.md|#against-a-real-service/i;
    const running = allPages().filter((path) => /^ *npx orgseat\b/m.test(page(path)));
    expect(running).toEqual(expect.arrayContaining(["README.md", "docs/adopt.md", "docs/commands.md"]));
    for (const path of running) {
      const [before = ""] = page(path).split(/^ *npx orgseat\b/m);
      expect(before, path).toMatch(byFile);
      // A folder without packages has none of an earlier step.
      const empty = before.split(/empty folder/i).slice(1);
      for (const after of empty) expect(after, path).toContain(`/${archive}\n`);
    }
  });

  test("takes a file, never its name, in each script and pipeline that people copy", () => {
    const files = repositoryFiles("examples/**/{*.yml,*.yaml,*.mjs,*.json,requirements.txt,go.mod}");
    expect(files.length).toBeGreaterThan(10);
    for (const path of files.filter((one) => existsSync(join(packageRoot, one))))
      expect(read(path), path).not.toMatch(
        /"orgseat": "[\^~\d*]|npm (?:i|install|add) .*\borgseat(?:@|\s|$)/m,
      );
  });
});
