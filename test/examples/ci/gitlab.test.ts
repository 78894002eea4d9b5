// @module-tag ci
/** The promises of GitLab's pipeline. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runScript } from "./action.ts";
import { read } from "./files.ts";
import { type Change, changedJobs, type GitLabJob, jobsIn, lintPipeline, pipelineJobs } from "./gitlab.ts";
import { Runner } from "./step.ts";

describe("the linter", () => {
  test("finds nothing wrong with the pipeline, and a job that there is not in another one", async () => {
    expect(await lintPipeline()).toBe("");
    const change = (text: string) => text.replace("needs: [orgseat renew]", "needs: [orgseat renewal]");
    expect(await lintPipeline(change)).not.toBe("");
  });
});

test("the README shows .gitlab-ci.yml with a variable, and each variable that the jobs ask for", () => {
  const readme = read("README.md");
  const [, shown = ""] = /```yaml\n(include:\n.*?)```/s.exec(readme) ?? [];
  expect(shown).toBe(`${read(".gitlab-ci.yml")}\nvariables:\n  ROSTER: people.csv\n`);
  const asked = [...read("gitlab/orgseat.yml").matchAll(/\$(ORGSEAT_\w+)/g)].map(([, name = ""]) => name);
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

describe("the jobs", () => {
  const of = (CI_PIPELINE_SOURCE: string, CI_COMMIT_BRANCH = "main") => ({
    ...{ CI_PIPELINE_SOURCE, CI_COMMIT_BRANCH, CI_DEFAULT_BRANCH: "main" },
  });
  const request = (CI_MERGE_REQUEST_SOURCE_PROJECT_ID: string) => ({
    ...{ CI_PIPELINE_SOURCE: "merge_request_event", CI_PROJECT_ID: "3", CI_COMMIT_BRANCH: "" },
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID,
  });
  const preview = { "orgseat preview": "on_success" };
  const ofProgram = { preview: "on_success" };

  test.each([
    ["a merge request", request("3"), { ...preview, "orgseat note": "always" }],
    ["a merge request of a fork", request("4"), {}],
    ["a push to the default branch", of("push"), { ...preview, "orgseat up": "manual" }],
    ["a push to another branch", of("push", "try"), {}],
    ["the schedule", of("schedule"), { "orgseat renew": "on_success", "orgseat report": "always" }],
    ["a schedule of another branch", of("schedule", "try"), {}],
  ])("run as their rules say: %s", async (_, variables, jobs) => {
    expect(await jobsIn(variables)).toEqual(jobs);
  });

  test.each([
    ["a merge request", request("3"), { ...ofProgram, note: "always" }],
    ["a merge request of a fork", request("4"), {}],
    ["a push to the default branch", of("push"), { ...ofProgram, up: "manual" }],
    ["a push to another branch", of("push", "try"), {}],
    ["the schedule", of("schedule"), { drift: "on_success" }],
  ])("run as the rules of a program say: %s", async (_, variables, jobs) => {
    expect(await jobsIn(variables, true)).toEqual(jobs);
  });
});

/** By job: where it writes, what it knows besides addresses, what it runs and keeps. */
const table = `
orgseat preview | variables: ORGSEAT_READ_ROLE sealed | preview --plan-file="DIR/plan.json" | keeps plan.md plan.json always for developer
orgseat note | variables: ORGSEAT_NOTE_TOKEN | comment.mjs
orgseat up | in orgseat one at a time to its end | variables: ORGSEAT_WRITE_ROLE audit.jsonl GITLAB_USER_LOGIN sealed | up --plan-file=plan.json | keeps audit.jsonl result.md always for developer
orgseat renew | in orgseat one at a time to its end | variables: ORGSEAT_WRITE_ROLE audit.jsonl sealed | renew | keeps audit.jsonl result.md always for developer
orgseat report | variables: ORGSEAT_READ_ROLE sealed | report --out report.json report --out report.csv report --out report.html preview | keeps report.json report.csv report.html always for developer
`;
const SEALED = {
  ORGSEAT_REQUIRE_SEALED_TOKENS: "true",
  PULUMI_CONFIG_PASSPHRASE: "plain",
  PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
};

function rowsOf(jobs: Readonly<Record<string, GitLabJob>>): string[] {
  return Object.entries(jobs).map(
    ([name, { environment, resource_group, interruptible, variables, artifacts, script }]) => {
      const isSealed = Object.entries(SEALED).every(([key, value]) => variables[key] === value);
      const known =
        Object.values(variables)
          .join(" ")
          .match(/ORGSEAT_\w+|GITLAB_USER_LOGIN|audit\.jsonl/g) ?? [];
      const place = [
        environment && `in ${environment}`,
        resource_group && "one at a time",
        interruptible === false && "to its end",
      ];
      const commands =
        script
          .join("\n")
          .match(/comment\.mjs|(?<=--command=)\w+|--plan-file=\S+|\.bin\/orgseat \w+|--out \S+/g) ?? [];
      return [
        name,
        place.filter(Boolean).join(" "),
        `variables: ${[...new Set(known), ...(isSealed ? ["sealed"] : [])].join(" ")}`,
        commands
          .map((command) => command.replace(/^\.bin\/orgseat /, ""))
          .join(" ")
          .replaceAll("$CI_PROJECT_", ""),
        artifacts && `keeps ${artifacts.paths.join(" ")} ${artifacts.when} for ${artifacts.access}`,
      ]
        .filter(Boolean)
        .join(" | ");
    },
  );
}

describe("the pipeline", () => {
  const expected = table.trim().split("\n");

  test("gives each job the rights of the table, and takes packages from the lock file, without their install scripts", async () => {
    const jobs = await pipelineJobs();
    expect(rowsOf(jobs)).toEqual(expected);
    for (const { before_script, script, variables } of Object.values(jobs)) {
      const commands = [...before_script, ...script].join("\n");
      expect(commands).not.toMatch(/\bnpx\b|\bnpm (?!ci --ignore-scripts$)|^orgseat\b/m);
      expect(commands.includes("npm ") && variables.COMMENT_TOKEN !== undefined).toBe(false);
    }
  });

  test.each([
    ["orgseat up", "  environment: orgseat\n", ""],
    ["orgseat preview", "$ORGSEAT_READ_ROLE", "$ORGSEAT_WRITE_ROLE"],
    ["orgseat renew", "    ORGSEAT_REQUIRE_SEALED_TOKENS: 'true'\n", ""],
  ])("shows other rights of a job: %s", async (name, from, to) => {
    const change: Change = (text) => {
      expect(text).toContain(from);
      return text.replace(from, () => to);
    };
    const rows = rowsOf(await changedJobs(change)).filter((row) => row.startsWith(name));
    expect(expected).not.toContain(rows.join());
  });
});

describe("a merge request", () => {
  /** A repository whose main has gone on since the branch began, and that branch. */
  async function taken(change: (folder: string) => void, onMain: (folder: string) => void = () => {}) {
    const runner = new Runner();
    const origin = join(runner.folder, "origin");
    runner.git("origin", "init", "--quiet", "--initial-branch=main");
    writeFileSync(join(origin, "people.csv"), "1\n2\n3\n4\n5\n");
    writeFileSync(join(origin, "tool"), "of main\n");
    const commit = () => {
      runner.git("origin", "add", "--all");
      runner.git("origin", "commit", "--quiet", "--allow-empty", "--message", "a change");
    };
    commit();
    runner.git("origin", "checkout", "--quiet", "-b", "change");
    change(origin);
    commit();
    runner.git("origin", "checkout", "--quiet", "main");
    onMain(origin);
    commit();
    runner.git(".", "clone", "--quiet", "--branch", "change", "origin", "clone");
    const folder = join(runner.folder, "clone");
    const [first = ""] = (await pipelineJobs())["orgseat preview"]?.before_script ?? [];
    const { stdout: sha } = await runScript("git rev-parse HEAD", folder, {});
    const env = {
      ROSTER: "people.csv",
      CI_COMMIT_SHA: sha.trim(),
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
    };
    const { code, stdout } = await runScript(`${first}\npwd`, folder, env);
    return {
      code,
      stdout,
      read: (name: string) => readFileSync(join(folder, ".orgseat-main", name), "utf8"),
      has: (name: string) => existsSync(join(folder, ".orgseat-main", name)),
    };
  }

  test("brings the roster as the merge would leave it, and runs the tools of the target branch", async () => {
    const { code, stdout, read, has } = await taken(
      (folder) => {
        writeFileSync(join(folder, "people.csv"), "1\n2\n3\n4\n5\n6\n");
        writeFileSync(join(folder, "people.offboarded.csv"), "key\n");
        writeFileSync(join(folder, "tool"), "of the branch\n");
      },
      (folder) => writeFileSync(join(folder, "people.csv"), "0\n1\n2\n3\n4\n5\n"),
    );
    expect([code, stdout.trim().endsWith(".orgseat-main")]).toEqual([0, true]);
    expect([read("people.csv"), read("tool"), has("people.offboarded.csv")]).toEqual([
      "0\n1\n2\n3\n4\n5\n6\n",
      "of main\n",
      true,
    ]);
  });

  test("follows no link in the roster's place", async () => {
    const { read } = await taken((folder) => {
      writeFileSync(join(folder, "other"), "");
      symlinkSync("/etc/hostname", join(folder, "people.offboarded.csv"));
    });
    expect(read("people.offboarded.csv")).toBe("/etc/hostname");
  });

  test("ends at a conflict, and says what to do", async () => {
    const { code, stdout } = await taken(
      (folder) => writeFileSync(join(folder, "people.csv"), "a\n"),
      (folder) => writeFileSync(join(folder, "people.csv"), "b\n"),
    );
    expect(code).toBe(1);
    expect(stdout).toContain("Resolve the conflicts first.");
  });
});
