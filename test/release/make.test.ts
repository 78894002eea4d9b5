/** What a release refuses, and its notes. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRelease } from "../../release/make.ts";
import { dayOf, notesOf } from "../../release/notes.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const CHANGELOG = `# Changelog

## [1.3.0] - Unreleased

## [1.2.0] - 2026-12-01

### Safety

- A [guard](docs/commands.md#guards), as [elsewhere](https://example.com/).

## [1.1.0] - 2026-11-01

- Older.
`;

describe("the release notes", () => {
  test("repeat the section of the version, with links that work outside of the repository", () => {
    expect(notesOf(CHANGELOG, "1.2.0")).toBe(
      "### Safety\n\n- A [guard](https://github.com/orgseat/orgseat/blob/v1.2.0/docs/commands.md#guards), as [elsewhere](https://example.com/).\n",
    );
    expect(notesOf(CHANGELOG, "1.1.0")).toBe("- Older.\n");
  });

  test.each(["1.3.0", "1.4.0", "1.2"])("need a section of %s in the changelog", (version) => {
    expect(() => notesOf(CHANGELOG, version)).toThrow(`CHANGELOG.md has no section of ${version}`);
  });

  test("take the day from the heading", () => {
    expect(dayOf(CHANGELOG, "1.2.0")).toBe("2026-12-01");
    expect(dayOf(CHANGELOG, "1.3.0")).toBeUndefined();
  });
});

describe("a release", () => {
  /** A clone in which nothing could be built. */
  function clone(): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "package.json"), '{"name":"orgseat","version":"1.2.0"}');
    writeFileSync(join(folder, "CHANGELOG.md"), CHANGELOG);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@acme.example", ...args], {
        cwd: folder,
      });
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message=change");
    return folder;
  }

  test("refuses a clone with changes, because no commit would make the same files", () => {
    const folder = clone();
    writeFileSync(join(folder, "new.ts"), "");
    expect(() => makeRelease(folder, join(folder, "out"))).toThrow(
      "the clone has changes. Commit or remove them:\n?? new.ts",
    );
  });

  test("refuses a folder with files, which are of another release", () => {
    const out = temporaryFolder();
    writeFileSync(join(out, "orgseat-1.1.0.tgz"), "");
    expect(() => makeRelease(clone(), out)).toThrow(`${out} is not empty. Name another folder`);
  });
});
