/** The files of a release: the package, the plugin's archives, the list of components, the notes, and their checksums. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { notesOf } from "./notes.ts";
import { sbomOf } from "./sbom.ts";

const manifestSchema = z.looseObject({ name: z.string(), version: z.string() });

/**
 * @param root a clone without changes, after `npm ci`
 * @param out an empty folder, or one that is still to be made
 * @returns the paths of the files
 * @throws before it makes anything, if the files would not be those of the commit
 */
export function makeRelease(root: string, out: string): string[] {
  const folder = resolve(out);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty. Name another folder`);
  const changes = git(root, "status", "--porcelain");
  if (changes !== "") throw new Error(`the clone has changes. Commit or remove them:\n${changes}`);
  const { name, version } = manifestSchema.parse(
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
  );
  const notes = notesOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);

  setModes(root);
  mkdirSync(folder, { recursive: true });
  const seconds = git(root, "show", "--no-patch", "--format=%ct", "HEAD");
  const env = { ...process.env, SOURCE_DATE_EPOCH: seconds, LC_ALL: "C", TZ: "UTC" };
  const run = (command: string, ...args: readonly string[]): void => {
    execFileSync(command, args, { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] });
  };
  run("npm", "pack", "--pack-destination", folder);
  run(process.execPath, join("release", "archive.cjs"), folder);
  const sbom = sbomOf(root, name, new Date(Number(seconds) * 1000));
  writeFileSync(join(folder, `${name}-${version}.cdx.json`), sbom);
  const files = readdirSync(folder).sort();
  writeFileSync(join(folder, "SHA256SUMS"), files.map((file) => checksum(folder, file)).join(""));
  writeFileSync(join(folder, "RELEASE-NOTES.md"), notes);
  return [...files, "SHA256SUMS", "RELEASE-NOTES.md"].map((file) => join(folder, file));
}

/** Archives contain the modes of files, and git leaves them to the umask. */
function setModes(root: string): void {
  process.umask(0o022);
  for (const line of git(root, "ls-files", "--stage", "-z").split("\0")) {
    const [, mode, path] = /^100(644|755) \S+ 0\t(.*)$/s.exec(line) ?? [];
    if (mode !== undefined && path !== undefined) chmodSync(join(root, path), Number.parseInt(mode, 8));
  }
}

/** As `sha256sum --check` reads it. */
function checksum(folder: string, file: string): string {
  const hash = createHash("sha256").update(readFileSync(join(folder, file)));
  return `${hash.digest("hex")}  ${file}\n`;
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }).trimEnd();
}
