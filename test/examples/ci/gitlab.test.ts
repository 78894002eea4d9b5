// @module-tag ci
/** The promises of GitLab's pipeline. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runScript } from "./action.ts";
import { breaksIn, ruleOf } from "./breaks.ts";
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

type Jobs = Readonly<Record<string, GitLabJob>>;
const where = (jobs: Jobs, isBroken: (job: GitLabJob, name: string) => boolean) =>
  Object.entries(jobs).flatMap(([name, job]) => (isBroken(job, name) ? [name] : []));
const runs = ({ before_script, script }: GitLabJob) => [...before_script, ...script].join("\n");
const isWriter = (job: GitLabJob) => /--command=(up|renew)/.test(runs(job));

const rules = {
  "what writes runs one at a time, and is never cut off": (jobs) =>
    where(jobs, (job) => isWriter(job) && (job.resource_group !== "orgseat" || job.interruptible !== false)),
  "the secret is that of the environment, which only jobs that write have": (jobs) =>
    where(jobs, (job) => (job.environment === "orgseat") !== isWriter(job)),
  "only jobs that write have the writing role": (jobs) =>
    where(jobs, (job) => JSON.stringify(job).includes("ORGSEAT_WRITE_ROLE") !== isWriter(job)),
  "up applies only the plan that was approved": (jobs) =>
    where(jobs, (job) => runs(job).includes("--command=up") && !runs(job).includes("--plan-file=plan.json")),
  "the preview keeps the plan that up applies": (jobs) =>
    where(jobs, ({ artifacts, ...job }) => {
      const isKept = artifacts?.paths.includes("plan.json") && runs(job).includes('DIR/plan.json"');
      return runs(job).includes("--command=preview") && !isKept;
    }),
  "reports, which name people, are files of their user alone": (jobs) =>
    where(jobs, (job) => /orgseat report\b(?!.*--out )/.test(runs(job))),
  "the audit log says who approved": (jobs) =>
    where(
      jobs,
      (job) => runs(job).includes("--command=up") && job.variables.ORGSEAT_APPROVER !== "$GITLAB_USER_LOGIN",
    ),
  "every write is in an audit log that is kept": (jobs) =>
    where(jobs, ({ variables, artifacts, ...job }) => {
      const isKept =
        artifacts?.when === "always" && artifacts.paths.includes(variables.ORGSEAT_AUDIT_LOG ?? "");
      return isWriter({ variables, artifacts, ...job }) && !isKept;
    }),
  "each job that runs orgseat seals tokens, and takes no plugin of the machine": (jobs) =>
    where(jobs, ({ variables, ...job }) => {
      const isSealed =
        variables.ORGSEAT_REQUIRE_SEALED_TOKENS === "true" &&
        variables.PULUMI_CONFIG_PASSPHRASE === "plain" &&
        variables.PULUMI_IGNORE_AMBIENT_PLUGINS === "true";
      return /run\.mjs|\.bin\/orgseat/.test(runs({ variables, ...job })) && !isSealed;
    }),
  "no job that runs packages has the token for notes": (jobs) =>
    where(
      jobs,
      (job) => runs(job).includes("npm ") && JSON.stringify(job.variables).includes("ORGSEAT_NOTE_TOKEN"),
    ),
  "packages come from the lock file, and their install scripts do not run": (jobs) =>
    where(jobs, (job) => /\bnpx\b|\bnpm (?!ci --ignore-scripts$)|^orgseat\b/m.test(runs(job))),
  "artifacts name people, so guests do not see them": (jobs) =>
    where(jobs, ({ artifacts }) => artifacts !== undefined && artifacts.access !== "developer"),
} as const satisfies Readonly<Record<string, (jobs: Jobs) => string[]>>;

/** Each with the job in which the rule finds it. */
const breaks = breaksIn(String.raw`
what writes runs one at a time, and is never cut off
  orgseat up | "  resource_group: orgseat\n" | ""
  orgseat renew | "interruptible: false" | "interruptible: true"
the secret is that of the environment, which only jobs that write have
  orgseat up | "  environment: orgseat\n" | ""
  orgseat preview | "orgseat preview:\n" | "orgseat preview:\n  environment: orgseat\n"
only jobs that write have the writing role
  orgseat preview | "$ORGSEAT_READ_ROLE" | "$ORGSEAT_WRITE_ROLE"
up applies only the plan that was approved
  orgseat up | " --plan-file=plan.json" | ""
the preview keeps the plan that up applies
  orgseat preview | "plan.md, plan.json]" | "plan.md]"
each job that runs orgseat seals tokens, and takes no plugin of the machine
  orgseat renew | "    ORGSEAT_REQUIRE_SEALED_TOKENS: 'true'\n" | ""
reports, which name people, are files of their user alone
  orgseat report | " --out report.csv" | " > report.csv"
the audit log says who approved
  orgseat up | "ORGSEAT_APPROVER: $GITLAB_USER_LOGIN" | "ORGSEAT_APPROVER: unknown"
every write is in an audit log that is kept
  orgseat renew | "paths: [audit.jsonl, " | "paths: ["
no job that runs packages has the token for notes
  orgseat preview | "    AWS_ROLE_SESSION_NAME" | "    COMMENT_TOKEN: $ORGSEAT_NOTE_TOKEN\n    AWS_ROLE_SESSION_NAME"
packages come from the lock file, and their install scripts do not run
  orgseat preview | " --ignore-scripts" | ""
  orgseat report | "node_modules/.bin/orgseat report" | "npx orgseat report"
artifacts name people, so guests do not see them
  orgseat preview | "    access: developer\n    expose_as" | "    access: all\n    expose_as"
`);

describe("the pipeline", () => {
  test.each(Object.entries(rules))("keeps its rule: %s", async (_, brokenAt) => {
    expect(brokenAt(await pipelineJobs())).toEqual([]);
  });

  test.each(breaks)('notices a break of "$rule": $from as $to', async (one) => {
    const { from, to } = one;
    const change: Change = (text) => {
      expect(text).toContain(from);
      return text.replace(from, () => to);
    };
    expect(ruleOf(one, rules)(await changedJobs(change))).toContain(one.cells[0]);
  });

  test("breaks each rule at least once", () => {
    expect(new Set(breaks.map(({ rule }) => rule))).toEqual(new Set(Object.keys(rules)));
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
