/** What the tarball holds, and its commands. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { pulumiCommand, pulumiReady } from "../setup/project.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { bundledPackages, dependenciesOf, packagesOf, sizeOf } from "./dependencies.ts";
import { environmentOf, type Packed, pack, projectWith, runIn } from "./install.ts";
import { javascript } from "./shapes.ts";

const MOST_PACKED_BYTES = 475_000;
/** Its own files and the packages that it brings besides Pulumi's. */
const MOST_INSTALLED_BYTES = 15_000_000;
const MOST_DEPENDENCIES = 10;

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});

const manifestSchema = z.object({
  main: z.string(),
  types: z.string(),
  exports: z.record(z.string(), z.unknown()),
  typesVersions: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
  bin: z.record(z.string(), z.string()),
  scripts: z.record(z.string(), z.string()),
  repository: z.object({ url: z.string() }),
  os: z.array(z.string()),
});

function manifest(): z.infer<typeof manifestSchema> {
  return manifestSchema.parse(JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8")));
}

/** Every text inside a value. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

describe("the tarball", () => {
  test("holds every file that package.json names, and types for every entry", () => {
    const { main, types, exports, typesVersions, bin } = manifest();
    const named = texts({ main, types, exports, typesVersions, bin });
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !existsSync(join(packed.folder, path)))).toEqual([]);
    const entries = Object.keys(exports).filter((name) => name !== "." && name !== "./package.json");
    expect(Object.keys(typesVersions["*"] ?? {}).sort()).toEqual(
      entries.map((name) => name.slice("./".length)).sort(),
    );
  });

  test("holds the packaged plugin, and nothing that Pulumi left in its folder", () => {
    expect(packed.files.filter((file) => file.startsWith("plugin/")).toSorted()).toEqual(
      ["PulumiPlugin.yaml", "index.js", "package.json", "pulumi-resource-orgseat", "schema.json"].map(
        (file) => `plugin/${file}`,
      ),
    );
  });

  test("names the systems of the README, and npm refuses it elsewhere", () => {
    expect(manifest().os).toEqual(["darwin", "linux"]);
    const readme = readFileSync(join(packed.folder, "README.md"), "utf8");
    expect(readme).toMatch(/Linux and macOS are supported; .*Windows/);
  });

  // packed-files.test.ts has the files that no build makes.
  test("holds no sources of what is built, and its license", () => {
    const built = packed.files.filter((path) => /^(dist|plugin)\//.test(path));
    expect(built.length).toBeGreaterThan(100);
    expect(built.filter((path) => /(^|\/)\.|(?<!\.d)\.tsx?$/.test(path))).toEqual([]);
    expect(readFileSync(join(packed.folder, "LICENSE"), "utf8")).toMatch(/Apache License\s+Version 2\.0/);
  });

  test("holds the licenses of the packages that are in its files, with their texts", () => {
    const licenses = readFileSync(join(packed.folder, "dist", "THIRD-PARTY-LICENSES"), "utf8");
    for (const name of bundledPackages()) expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+`, "m"));
    expect(licenses.match(/Permission is hereby granted|Redistribution and use/g)?.length).toBe(
      licenses.split("\n----\n").length,
    );
    expect(licenses).not.toContain("without a text of its own");
  });

  test("names its repository, and has no script that npm runs where the package is installed", () => {
    expect(manifest().repository.url).toMatch(/^git\+https:\/\/.+\/orgseat\.git$/);
    const installing = ["preinstall", "install", "postinstall", "prepare"];
    expect(Object.keys(manifest().scripts).filter((name) => installing.includes(name))).toEqual([]);
  });

  test("stays small, with few direct dependencies", () => {
    expect(packed.size).toBeLessThan(MOST_PACKED_BYTES);
    expect(dependenciesOf(packed.folder).length).toBeLessThanOrEqual(MOST_DEPENDENCIES);
  });

  test("takes little room beside @pulumi/pulumi", () => {
    const sdk = join(packageRoot, "node_modules", "@pulumi", "pulumi");
    const pulumi = new Set([sdk, ...packagesOf(sdk)]);
    const added = packagesOf(packed.folder, packageRoot).filter((folder) => !pulumi.has(folder));
    const bytes = packed.unpackedSize + added.reduce((sum, folder) => sum + sizeOf(folder), 0);
    expect(bytes).toBeLessThan(MOST_INSTALLED_BYTES);
  });

  test("names no folder of the machine that packed it", () => {
    const folders = [packageRoot, homedir()].filter((folder) => folder !== "/");
    const telling = packed.files.filter((path) => {
      const text = readFileSync(join(packed.folder, path), "utf8");
      return folders.some((folder) => text.includes(folder));
    });
    expect(telling).toEqual([]);
  });
});

describe("the commands of the packed package", () => {
  test("npx orgseat is the command, and a wrong verb is one sentence", async () => {
    const folder = await projectWith(javascript.compiler, javascript.files);
    const version = await runIn(folder, "npx", ["--no", "orgseat", "--", "--version"]);
    expect(version).toMatchObject({ code: 0 });
    expect(version.output).toMatch(/^\d+\.\d+\.\d+$/m);
    const wrong = await runIn(folder, "npx", ["--no", "orgseat", "serve"]);
    expect(wrong.code).not.toBe(0);
    expect(wrong.output).toMatch(/unknown command `serve`/);
    expect(wrong.output).not.toMatch(/\n\s+at /);
  });

  test("orgseat says that there is no Pulumi CLI, and what to do", { tags: "ci" }, async () => {
    const folder = await projectWith(javascript.compiler, javascript.files);
    writeFileSync(
      join(folder, "people.csv"),
      "# organization: 7f3a8e52-9d1c-4b0e-8a55-2c4f6b1d9e30\nemail\nada@acme.example\n",
    );
    const { ORGSEAT_PULUMI_PATH: _, ...environment } = process.env;
    const node = dirname(process.execPath);
    const ended = await runIn(
      folder,
      process.execPath,
      [join("node_modules", ".bin", "orgseat"), "preview"],
      {
        ...environment,
        PATH: node,
      },
    );
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(
      /cannot find `pulumi` on the PATH\. To go on, run `npm install pulumi`, or install the Pulumi CLI/,
    );
  });
});

describe("the commands of the workspace orgseat-sandbox", { tags: "ci" }, () => {
  const npx = (...args: string[]) => runIn(packageRoot, "npx", ["--no", "orgseat-sandbox", ...args]);

  test("npx orgseat-sandbox pulumi runs the CLI, and a wrong verb is one sentence", async () => {
    await pulumiReady();
    const environment = { ...environmentOf(process.execPath), ORGSEAT_PULUMI_PATH: pulumiCommand };
    const version = await runIn(
      packageRoot,
      "npx",
      ["--no", "orgseat-sandbox", "pulumi", "version"],
      environment,
    );
    expect(version).toMatchObject({ code: 0 });
    expect(version.output).toMatch(/^v3\.\d+\.\d+$/m);
    const wrong = await npx("serve");
    expect(wrong.code).not.toBe(0);
    expect(wrong.output).toMatch(/unknown command 'serve'/);
    expect(wrong.output).not.toMatch(/\n\s+at /);
  });

  test("its entry runs the service in a process of one's own", async () => {
    const script = `import { startService } from "orgseat-sandbox";
const service = await startService({ dataFolder: ${JSON.stringify(temporaryFolder())} });
console.log((await fetch(new URL("/openapi.json", service.orgUrl))).status);
await service.close();
`;
    const ended = await runIn(packageRoot, process.execPath, ["--input-type=module", "-e", script]);
    expect(ended).toMatchObject({ code: 0, output: expect.stringContaining("200\n") });
  });
});
