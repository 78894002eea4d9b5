// @module-tag ci
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { files } from "./files.ts";
import { Runner } from "./step.ts";
import { workflowsOf } from "./workflow.ts";

const { plan, up, nightly } = workflowsOf(files);

describe("the preview's job", () => {
  /** A pull request whose roster is made by `change`, beside a folder that has main's. */
  function proposal(change: (roster: string) => void): Runner {
    const runner = new Runner();
    writeFileSync(join(runner.folder, "people.csv"), "main's\n");
    writeFileSync(join(runner.folder, "people.offboarded.csv"), "main's offboarded list\n");
    runner.git("proposed", "init", "--quiet");
    change(join(runner.folder, "proposed", "people.csv"));
    runner.git("proposed", "add", "--all");
    runner.git("proposed", "commit", "--quiet", "--allow-empty", "--message", "a change");
    return runner;
  }

  const taken = (runner: Runner) => runner.run(plan, "preview", "Take the roster, as text");

  test("takes the roster as the merge would leave it, and no offboarded list that it would not leave", () => {
    const runner = proposal((roster) => writeFileSync(roster, "proposed\n"));
    expect(taken(runner).status).toBe(0);
    expect(readFileSync(join(runner.folder, "people.csv"), "utf8")).toBe("proposed\n");
    expect(existsSync(join(runner.folder, "people.offboarded.csv"))).toBe(false);
  });

  test("follows no link that a pull request puts in the roster's place", () => {
    const runner = proposal((roster) => symlinkSync("/etc/hostname", roster));
    expect(taken(runner).status).toBe(0);
    expect(lstatSync(join(runner.folder, "people.csv")).isFile()).toBe(true);
    expect(readFileSync(join(runner.folder, "people.csv"), "utf8")).toBe("/etc/hostname");
  });

  test("takes no roster if the pull request deletes it, rather than main's", () => {
    const runner = proposal(() => {});
    expect(taken(runner).status).toBe(0);
    expect(existsSync(join(runner.folder, "people.csv"))).toBe(false);
  });
});

describe("an approval", () => {
  /** @param gh what GitHub answers, in sh */
  function run(step: string, gh: string) {
    const runner = new Runner();
    runner.command("gh", gh);
    const environment = { GITHUB_REPOSITORY: "o/r", GITHUB_RUN_ID: "7", GH_TOKEN: "x" };
    return { ...runner.run(up, "approve", step, environment), calls: runner.calls };
  }
  const approved = (gh: string) => run("Refuse an approval that nobody else had to give", gh);
  const noted = (gh: string) => run("Note who approved", gh);

  const answer = (...values: unknown[]) => `printf '${values.join("\\t")}\\n'`;

  test("lets the run go on if the reviewers are other people and nobody can bypass them", () => {
    const { status, calls } = approved(answer(2, true, true));
    expect(status).toBe(0);
    expect(calls.join("\n")).toMatch(
      /^api repos\/o\/r\/environments\/orgseat-approval --jq .*prevent_self_review == true, \.can_admins_bypass == false\] \| @tsv$/s,
    );
  });

  test("leaves the name of who gave it", () => {
    const { status, output, calls } = noted("echo grace-h");
    expect([status, output]).toEqual([0, "login=grace-h\n"]);
    expect(calls.join("\n")).toMatch(/^api repos\/o\/r\/actions\/runs\/7\/approvals --jq /);
  });

  test.each([
    ["GitHub does not say it", "exit 1"],
    ["nobody had to give it", "true"],
    ["GitHub says what is no name", "printf 'x\\nsecret=1'"],
  ])("leaves no name if %s", (_, gh) => {
    expect(noted(gh)).toMatchObject({ status: 0, output: "login=\n" });
  });

  const jq = spawnSync("jq", ["--version"]).status === 0;
  test.skipIf(!jq).each([
    [{}, "0\tfalse\tfalse"],
    [{ protection_rules: [], can_admins_bypass: true }, "0\tfalse\tfalse"],
    [
      {
        can_admins_bypass: false,
        protection_rules: [
          { type: "branch_policy" },
          { type: "required_reviewers", prevent_self_review: true, reviewers: [{}, {}] },
        ],
      },
      "2\ttrue\ttrue",
    ],
    [
      {
        can_admins_bypass: true,
        protection_rules: [{ type: "required_reviewers", prevent_self_review: false, reviewers: [{}] }],
      },
      "1\tfalse\tfalse",
    ],
  ])("reads the rules of an environment: %j", (environment, line) => {
    const [, filter = ""] = /--jq ([\s\S]*@tsv)/.exec(approved("true").calls.join("\n")) ?? [];
    const { stdout } = spawnSync("jq", ["-r", filter], {
      input: JSON.stringify(environment),
      encoding: "utf8",
    });
    expect(stdout.trimEnd()).toBe(line);
  });

  test.each([
    ["has no reviewers", answer(0, true, true), "has no required reviewers, so nobody has approved this"],
    ["is answered by nothing", "true", "has no required reviewers"],
    ["is answered by what is no number", "echo null", "has no required reviewers"],
    ["lets people approve their own runs", answer(2, false, true), "lets people approve their own runs"],
    ["lets administrators bypass it", answer(2, true, false), "lets administrators bypass its reviewers"],
    ["says nothing of a bypass", answer(2, true), "lets administrators bypass its reviewers"],
  ])("ends the run before anything is done, and says what to do, if the environment %s", (_, gh, why) => {
    const { status, stdout } = approved(gh);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^::error::The environment orgseat-approval .*\. Nothing was done\. .*README\.md says/,
    );
    expect(stdout).toContain(why);
  });

  test("ends the run if the rules of the environment cannot be read", () => {
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
      "an offboarded list that was not there",
      `case "$*" in */people.csv*) same;; *) echo ${roster};; esac`,
      "people.offboarded.csv",
    ],
  ])("ends the run if main has %s by now", (_, main, file) => {
    expect(refused(main)).toMatchObject({
      status: 1,
      stdout: `::error::main has another ${file} by now. Nothing was done; approve the newest run of this workflow.\n`,
    });
  });

  test("ends the run if main cannot be read", () => {
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
