// @module-tag ci
/** The release of the current commit, made in two clones that differ in whatever a clone can differ in. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { notesOf } from "../../release/notes.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const made = mkdtempSync(join(tmpdir(), "orgseat-release-"));
afterAll(() => rmSync(made, { recursive: true, force: true }));
const [first, second] = [join(made, "first"), join(made, "second")];

const SCRIPT = `umask "$MASK"
git clone --quiet "$ROOT" "$CLONE" && cd "$CLONE"
npm ci --ignore-scripts --prefer-offline --no-audit --no-fund
npm run --silent release -- --out "$OUT"`;

function release(out: string, clone: string, env: Readonly<Record<string, string>>): void {
  execFileSync("bash", ["-e", "-c", SCRIPT], {
    env: { ...process.env, ROOT: packageRoot, CLONE: join(made, clone), OUT: out, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(join(made, clone), { recursive: true });
}

beforeAll(() => {
  release(first, "one", { MASK: "022", TZ: "UTC", LC_ALL: "C" });
  release(second, "a/longer/path", { MASK: "077", TZ: "Asia/Tokyo", LC_ALL: "C.UTF-8" });
});

const manifestSchema = z.looseObject({ version: z.string() });
const { version } = manifestSchema.parse(JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")));
const read = (file: string) => readFileSync(join(first, file), "utf8");

describe("a release", () => {
  test("consists of the package, the archives, the components, the checksums, and the notes", () => {
    const archives = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64"];
    expect(readdirSync(first).toSorted()).toEqual([
      "RELEASE-NOTES.md",
      "SHA256SUMS",
      `orgseat-${version}.cdx.json`,
      `orgseat-${version}.tgz`,
      ...archives.map((name) => `pulumi-resource-orgseat-v${version}-${name}.tar.gz`),
    ]);
    expect(read("RELEASE-NOTES.md")).toBe(
      notesOf(readFileSync(join(packageRoot, "CHANGELOG.md"), "utf8"), version),
    );
  });

  test("makes the same bytes in every clone of its commit", () => {
    const files = readdirSync(first);
    expect(readdirSync(second)).toEqual(files);
    const differing = files.filter(
      (file) => !readFileSync(join(first, file)).equals(readFileSync(join(second, file))),
    );
    expect(differing).toEqual([]);
  });

  test("lists the checksum of each file that is published", () => {
    const published = readdirSync(first).filter((file) => !/^[A-Z]/.test(file));
    const lines = published.map((file) => {
      const hash = createHash("sha256").update(readFileSync(join(first, file)));
      return `${hash.digest("hex")}  ${file}`;
    });
    expect(read("SHA256SUMS").trimEnd().split("\n")).toEqual(
      lines.toSorted((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)),
    );
  });
});

const sbomSchema = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
  metadata: z.looseObject({
    timestamp: z.string(),
    component: z.looseObject({ name: z.literal("orgseat"), version: z.literal(version) }),
  }),
  components: z.array(
    z.looseObject({
      name: z.string(),
      version: z.string(),
      "bom-ref": z.string(),
      scope: z.enum(["required", "optional"]),
      hashes: z.array(z.looseObject({ alg: z.literal("SHA-512") })).length(1),
    }),
  ),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
describe("the list of components", () => {
  test("names each package whose license is in the archive, and those that npm may leave out; none of the build", () => {
    const { components } = sbomSchema.parse(JSON.parse(read(`orgseat-${version}.cdx.json`)));
    const needed = components.filter(({ scope }) => scope === "required");
    const folder = temporaryFolder();
    const archive = join(first, `pulumi-resource-orgseat-v${version}-linux-amd64.tar.gz`);
    execFileSync("tar", ["-xzf", archive, "-C", folder, "THIRD-PARTY-LICENSES"]);
    const licenses = readFileSync(join(folder, "THIRD-PARTY-LICENSES"), "utf8").split("\n\n----\n\n");
    const licensed = licenses.map((text) => text.slice(0, text.indexOf("\n")).replace(" ", "@"));
    expect(licensed).toContainEqual(expect.stringMatching(/^age-encryption@/));
    expect(needed.map((one) => `${one.name}@${one.version}`).toSorted()).toEqual(
      [...new Set(licensed)].toSorted(),
    );
  });

  test("says what each component needs, down to the last", () => {
    const { components, dependencies } = sbomSchema.parse(JSON.parse(read(`orgseat-${version}.cdx.json`)));
    const refs = components.map((component) => component["bom-ref"]);
    expect(dependencies.map(({ ref }) => ref).toSorted()).toEqual([...refs, `orgseat@${version}`].toSorted());
    const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect([...needed].toSorted()).toEqual(refs.toSorted());
  });

  test("gives the time of the commit", () => {
    const { metadata } = sbomSchema.parse(JSON.parse(read(`orgseat-${version}.cdx.json`)));
    const seconds = execFileSync("git", ["show", "--no-patch", "--format=%ct", "HEAD"], { cwd: packageRoot });
    expect(Date.parse(metadata.timestamp)).toBe(Number(seconds) * 1000);
  });
});
