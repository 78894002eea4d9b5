/** The scripts of the release workflow, as far as they need no host, and what they refuse. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { Runner } from "../examples/ci/step.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { hasTool } from "../setup/tools.ts";
import { releaseWorkflow } from "./workflows.ts";

const workflow = releaseWorkflow();
const SIGNERS = ".github/release-signers";

/** A repository whose maintainer has a key, and the clone of it that CI checks out. */
class Repository {
  readonly #runner = new Runner();
  readonly #keys = temporaryFolder();

  constructor() {
    this.git("init", "--quiet", "--initial-branch=main");
    this.write("package.json", '{"type":"module","version":"1.2.0"}');
    this.write("CHANGELOG.md", "# Changelog\n\n## [1.2.0] - 2026-12-01\n\n- A change.\n");
    this.write(SIGNERS, `# Who may sign.\nada@acme.example namespaces="git" ${this.key("ada")}\n`);
    mkdirSync(join(this.#runner.folder, "release"));
    for (const file of ["check-tag.ts", "notes.ts"])
      cpSync(join(packageRoot, "release", file), join(this.#runner.folder, "release", file));
    this.commit();
    this.pushMain();
  }

  write(path: string, text: string): void {
    const file = join(this.#runner.folder, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
  }

  git(...args: readonly string[]): void {
    this.#runner.git(".", ...args);
  }

  commit(): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message=change");
  }

  /** What the commit is, main is on the host. */
  pushMain(): void {
    this.git("update-ref", "refs/remotes/origin/main", "HEAD");
  }

  /** Makes a key of this person. @returns its public half */
  key(who: string): string {
    const file = join(this.#keys, who);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", who, "-f", file]);
    return readFileSync(`${file}.pub`, "utf8").trim();
  }

  /** A tag of the current commit that this person signs. */
  sign(tag: string, who: string): void {
    const key = ["-c", "gpg.format=ssh", "-c", `user.signingkey=${join(this.#keys, who)}`];
    this.git(...key, "tag", "--sign", "--message=release", tag);
  }

  /** @returns what the check objects to; nothing if it accepts the tag */
  check(tag: string): string {
    const { status, stderr } = this.#runner.run(workflow, "tag", "Check", { TAG: tag });
    const [objection = ""] = /^cannot release .*$/m.exec(stderr) ?? [];
    expect(status, stderr).toBe(objection === "" ? 0 : 1);
    return objection;
  }
}

const tools = hasTool("git") && hasTool("ssh-keygen");

describe.skipIf(!tools)("the check of a tag", () => {
  test("accepts the version's tag of a commit on main, signed by a key that main lists", () => {
    const repository = new Repository();
    repository.sign("v1.2.0", "ada");
    expect(repository.check("v1.2.0")).toBe("");
  });

  test("refuses a tag that no one signed, one without a message, and one by an unknown key", () => {
    const repository = new Repository();
    const refused =
      /^cannot release the tag v1\.2\.0: it has no SSH signature by a key of .* on main\. Sign it/;
    repository.git("tag", "--annotate", "--message=release", "v1.2.0");
    expect(repository.check("v1.2.0")).toMatch(refused);
    repository.git("tag", "--force", "--no-sign", "v1.2.0", "HEAD");
    expect(repository.check("v1.2.0")).toMatch(refused);
    repository.git("tag", "--delete", "v1.2.0");
    repository.key("eve");
    repository.sign("v1.2.0", "eve");
    expect(repository.check("v1.2.0")).toMatch(refused);
  });

  test("refuses a key that only the tag's own commit lists", { tags: "ci" }, () => {
    const repository = new Repository();
    repository.write(SIGNERS, `eve@acme.example namespaces="git" ${repository.key("eve")}\n`);
    repository.commit();
    repository.sign("v1.2.0", "eve");
    expect(repository.check("v1.2.0")).toContain("its commit is not on main. Merge it");
    repository.pushMain();
    repository.write(SIGNERS, "# No one.\n");
    repository.commit();
    repository.pushMain();
    repository.git("checkout", "--quiet", "v1.2.0");
    expect(repository.check("v1.2.0")).toContain("it has no SSH signature");
  });

  test("refuses another version, a version before a release, and a changelog without its date", {
    tags: "ci",
  }, () => {
    const repository = new Repository();
    repository.sign("v1.3.0", "ada");
    expect(repository.check("v1.3.0")).toContain("package.json has the version 1.2.0");
    repository.write("package.json", '{"type":"module","version":"1.3.0-rc.1"}');
    expect(repository.check("v1.3.0-rc.1")).toContain("A release has three numbers");
    repository.write("package.json", '{"type":"module","version":"1.3.0"}');
    expect(repository.check("v1.3.0")).toContain("CHANGELOG.md has no date for 1.3.0");
    repository.write("CHANGELOG.md", "## [1.3.0] - Unreleased\n");
    expect(repository.check("v1.3.0")).toContain("CHANGELOG.md has no date for 1.3.0");
  });

  test("refuses a tag that has moved since the checkout", { tags: "ci" }, () => {
    const repository = new Repository();
    repository.git("commit", "--quiet", "--allow-empty", "--message=later");
    repository.sign("v1.2.0", "ada");
    repository.git("checkout", "--quiet", "HEAD~1");
    expect(repository.check("v1.2.0")).toContain("the tag names another commit");
  });
});

/** A folder as the artifact leaves it, and the commands of the host. */
function downloaded(): Runner {
  const runner = new Runner();
  const files = [
    "orgseat-1.2.0.tgz",
    "orgseat-1.2.0.cdx.json",
    "pulumi-resource-orgseat-v1.2.0-linux-amd64.tar.gz",
  ];
  const sums = files.map((file) => {
    writeFileSync(join(runner.folder, file), file);
    return `${createHash("sha256").update(file).digest("hex")}  ${file}\n`;
  });
  writeFileSync(join(runner.folder, "SHA256SUMS"), sums.join(""));
  writeFileSync(join(runner.folder, "RELEASE-NOTES.md"), "- A change.\n");
  writeFileSync(join(runner.folder, "bundle.json"), "{}\n");
  for (const command of ["npm", "gh"]) runner.command(command, "exit 0");
  return runner;
}

const BUNDLE = { TAG: "v1.2.0", BUNDLE: "bundle.json" };

describe.skipIf(!hasTool("sha256sum") || !hasTool("openssl"))("the publication", () => {
  const VIEW = "view orgseat@1.2.0 dist.integrity";
  const PUBLISH = "publish ./orgseat-1.2.0.tgz --provenance --access public";

  test.each([
    ["no such version", "exit 0"],
    ["no such package", "[ $1 = publish ]"],
    ["another file of the version, which it refuses to replace", 'echo "sha512-other"'],
  ])("sends npm the file that was made, with provenance, if npm has %s", (_, npm) => {
    const runner = downloaded();
    runner.command("npm", npm);
    expect(runner.run(workflow, "npm", "Publish", { TAG: "v1.2.0" })).toMatchObject({ status: 0 });
    expect(runner.calls).toEqual([VIEW, PUBLISH]);
  });

  test("sends npm nothing if it has the same file already", () => {
    const runner = downloaded();
    const integrity = createHash("sha512").update("orgseat-1.2.0.tgz").digest("base64");
    runner.command("npm", `echo "sha512-${integrity}"`);
    expect(runner.run(workflow, "npm", "Publish", { TAG: "v1.2.0" })).toMatchObject({ status: 0 });
    expect(runner.calls).toEqual([VIEW]);
  });

  test("fails if npm refuses the file", () => {
    const runner = downloaded();
    runner.command("npm", "[ $1 = view ]");
    expect(runner.run(workflow, "npm", "Publish", { TAG: "v1.2.0" })).toMatchObject({ status: 1 });
  });

  test("attaches every file and the signed provenance to the release of the tag", () => {
    const runner = downloaded();
    expect(runner.run(workflow, "github", "Publish", BUNDLE)).toMatchObject({ status: 0 });
    const options = "release create v1.2.0 --verify-tag --title v1.2.0 --notes-file RELEASE-NOTES.md";
    const files = "orgseat-1.2.0.cdx.json orgseat-1.2.0.intoto.jsonl orgseat-1.2.0.tgz";
    expect(runner.calls).toEqual([
      `${options} ${files} pulumi-resource-orgseat-v1.2.0-linux-amd64.tar.gz SHA256SUMS`,
    ]);
  });

  test.each([
    ["npm", { TAG: "v1.2.0" }],
    ["github", BUNDLE],
  ])("publishes no file that has changed since it was made: %s", (job, env) => {
    const runner = downloaded();
    writeFileSync(join(runner.folder, "orgseat-1.2.0.tgz"), "other");
    expect(runner.run(workflow, job, "Publish", env)).toMatchObject({ status: 1 });
    expect(runner.calls).toEqual([]);
  });
});

test("the files are made by the command that CONTRIBUTING.md names", () => {
  const runner = new Runner();
  runner.command("npm", "exit 0");
  expect(runner.run(workflow, "files", "Make")).toMatchObject({ status: 0 });
  expect(runner.calls).toEqual(["run release -- --out .orgseat/release"]);
  const upload = workflow.jobs.files?.steps.find(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
  expect(upload?.with).toMatchObject({ path: ".orgseat/release" });
  expect(readFileSync(join(packageRoot, "CONTRIBUTING.md"), "utf8")).toContain("npm run release -- --out ");
});
