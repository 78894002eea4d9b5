/**
 * `node release/check-tag.ts TAG`: whether CI may publish this tag. The workflow runs it before it installs anything, so
 * it needs only Node and git.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayOf } from "./notes.ts";

const SIGNERS = ".github/release-signers";

/** What speaks against a release of the tag, if anything does. */
function objectionTo(tag: string): string | undefined {
  const version = versionOf(JSON.parse(readFileSync("package.json", "utf8")));
  if (tag !== `v${version}` || !/^v\d+\.\d+\.\d+$/.test(tag))
    return `package.json has the version ${version}. A release has three numbers, and its tag is v and the version`;
  if (dayOf(readFileSync("CHANGELOG.md", "utf8"), version) === undefined)
    return `CHANGELOG.md has no date for ${version}. Write one: ## [${version}] - YYYY-MM-DD`;
  if (git("rev-parse", `refs/tags/${tag}^{commit}`) !== git("rev-parse", "HEAD"))
    return "the tag names another commit than the one that was checked out. Run the workflow again";
  if (spawnSync("git", ["merge-base", "--is-ancestor", "HEAD", "origin/main"]).status !== 0)
    return "its commit is not on main. Merge it, and tag the merged commit";
  return objectionToSignature(tag);
}

function versionOf(manifest: unknown): string {
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "";
}

/** By the keys that main has now: a tag could bring its own list. */
function objectionToSignature(tag: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-"));
  try {
    const signers = join(folder, "signers");
    writeFileSync(signers, git("show", `origin/main:${SIGNERS}`));
    // Other kinds of signatures would count by the keys that the machine happens to have.
    const config = [`gpg.ssh.allowedSignersFile=${signers}`, "gpg.program=false", "gpg.x509.program=false"];
    const options = config.flatMap((one) => ["-c", one]);
    const { status, stderr } = spawnSync("git", [...options, "verify-tag", tag], { encoding: "utf8" });
    if (status === 0) return undefined;
    return `it has no SSH signature by a key of ${SIGNERS} on main. Sign it with git tag --sign (git: ${stderr.trim()})`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trimEnd();
}

const tag = process.argv[2] ?? "";
const objection = objectionTo(tag);
if (objection !== undefined) {
  process.stderr.write(`cannot release the tag ${tag}: ${objection}\n`);
  process.exitCode = 1;
}
