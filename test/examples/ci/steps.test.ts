// @module-tag ci
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { files } from "./files.ts";
import { Runner } from "./step.ts";
import { workflowsOf } from "./workflow.ts";

const { preview, up, nightly } = workflowsOf(files);

describe("the preview's job", () => {
  /** A pull request whose roster is made by `change`, beside a folder that has main's. */
  function proposal(change: (roster: string) => void): Runner {
    const runner = new Runner();
    writeFileSync(join(runner.folder, "people.csv"), "main's\n");
    writeFileSync(join(runner.folder, "people.leavers.csv"), "main's leavers\n");
    runner.git("proposed", "init", "--quiet");
    change(join(runner.folder, "proposed", "people.csv"));
    runner.git("proposed", "add", "--all");
    runner.git("proposed", "commit", "--quiet", "--allow-empty", "--message", "a change");
    return runner;
  }

  const taken = (runner: Runner) => runner.run(preview, "preview", "Take the roster, as text");

  test("takes the roster as the merge would leave it, and no list of leavers that it would not leave", () => {
    const runner = proposal((roster) => writeFileSync(roster, "proposed\n"));
    expect(taken(runner).status).toBe(0);
    expect(readFileSync(join(runner.folder, "people.csv"), "utf8")).toBe("proposed\n");
    expect(existsSync(join(runner.folder, "people.leavers.csv"))).toBe(false);
  });

  test("follows no link that a pull request puts in the roster's place", () => {
    const runner = proposal((roster) => symlinkSync("/etc/hostname", roster));
    expect(taken(runner).status).toBe(0);
    expect(lstatSync(join(runner.folder, "people.csv")).isFile()).toBe(true);
    expect(readFileSync(join(runner.folder, "people.csv"), "utf8")).toBe("/etc/hostname");
  });

  test("has no roster where the pull request deletes it, rather than main's", () => {
    const runner = proposal(() => {});
    expect(taken(runner).status).toBe(0);
    expect(existsSync(join(runner.folder, "people.csv"))).toBe(false);
  });
});

describe("an approval", () => {
  const NAME = "Refuse an approval that nobody had to give";

  /** @param gh what GitHub answers of the environment's rules, in sh */
  function approved(gh: string) {
    const runner = new Runner();
    runner.command("gh", gh);
    const { status, stdout } = runner.run(up, "approve", NAME, { GITHUB_REPOSITORY: "o/r", GH_TOKEN: "x" });
    return { status, stdout, calls: runner.calls };
  }

  test("of an environment with required reviewers lets the run go on", () => {
    const { status, calls } = approved("echo 2");
    expect(status).toBe(0);
    expect(calls).toEqual([
      'api repos/o/r/environments/orgseat-approval --jq [.protection_rules[]? | select(.type == "required_reviewers") | .reviewers[]?] | length',
    ]);
  });

  test.each([
    ["has no reviewers", "echo 0"],
    ["is answered by nothing", "true"],
    ["is answered by what is no number", "echo null"],
  ])("of an environment that %s ends the run before anything is done, and says what to do", (_, gh) => {
    const { status, stdout } = approved(gh);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^::error::The environment orgseat-approval has no required reviewers, so nobody has approved this\. Nothing was done\. Add reviewers/,
    );
  });

  test("of an environment whose rules cannot be read ends the run", () => {
    expect(approved("echo 'gh: Not Found (HTTP 404)' >&2; exit 1").status).toBe(1);
  });
});

describe("an approval that comes late", () => {
  const roster = "4a58007052a65fbc2fc3f910f2855f45a4058e74";

  /** A run on a commit that has a roster, while main has what `gh` answers of each file. */
  function refused(main: string) {
    const runner = new Runner();
    runner.git(".", "init", "--quiet");
    writeFileSync(join(runner.folder, "people.csv"), "a\n");
    runner.git(".", "add", "people.csv");
    runner.git(".", "commit", "--quiet", "--message", "a roster");
    const hash = "git rev-parse HEAD:people.csv";
    runner.command(
      "gh",
      `missing() { echo 'gh: Not Found (HTTP 404)' >&2; exit 1; }; same() { ${hash}; }\n${main}`,
    );
    const name = "Refuse a roster that main has left behind";
    return runner.run(up, "up", name, { GITHUB_REPOSITORY: "o/r", GH_TOKEN: "x" });
  }

  test("goes on where main has the same roster still", () => {
    expect(refused('case "$*" in */people.csv*) same;; *) missing;; esac').status).toBe(0);
  });

  test.each([
    ["another roster", `case "$*" in */people.csv*) echo ${roster};; *) missing;; esac`, "people.csv"],
    ["no roster", "missing", "people.csv"],
    [
      "a list of leavers that was not there",
      `case "$*" in */people.csv*) same;; *) echo ${roster};; esac`,
      "people.leavers.csv",
    ],
  ])("is refused where main has %s by now", (_, main, file) => {
    expect(refused(main)).toMatchObject({
      status: 1,
      stdout: `::error::main has another ${file} by now. Nothing was done; approve the newest run of this workflow.\n`,
    });
  });

  test("is refused where main cannot be read", () => {
    const { status, stdout } = refused("echo 'gh: Bad gateway (HTTP 502)' >&2; exit 1");
    expect([status, stdout]).toEqual([1, "gh: Bad gateway (HTTP 502)\n"]);
  });
});

describe("a night that fails", () => {
  /** @param found the number of the open issue, or nothing */
  function reported(found: string) {
    const runner = new Runner();
    runner.command("gh", `case "$2" in list) echo ${found};; esac`);
    const env = { RENEW: "success", REPORT: "failure", LOG: "https://github.example/run" };
    const { status } = runner.run(nightly, "issue", "Open an issue, or comment on the open one", env);
    return { status, calls: runner.calls.join("\n") };
  }

  test("opens an issue with the result of each job and the log", () => {
    const { status, calls } = reported("");
    expect(status).toBe(0);
    expect(calls).toContain(
      "issue create --title orgseat nightly failed --body Job renew: success. Job report: failure. Log: https://github.example/run\n",
    );
  });

  test("comments on the issue that is still open", () => {
    const { status, calls } = reported("7");
    expect(status).toBe(0);
    expect(calls).toContain("issue comment 7 --body Job renew: success.");
    expect(calls).not.toContain("issue create");
  });
});
