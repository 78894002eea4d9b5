// @module-tag ci
/** docs/programs-in-ci.md: its commands and the steps of its workflows, as they stand, in a clean folder. */
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { codeBlocks } from "../../docs/pages.ts";
import { type Ended, runIn } from "../../package/install.ts";
import { findSecrets, marked, markedSecrets } from "../../setup/secrets.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { files, read } from "./files.ts";
import { Forge } from "./forge.ts";
import { type Play, play } from "./host.ts";
import { GUIDE, guideLines, ProgramRepository } from "./program.ts";
import { programOf } from "./workflow.ts";

const [savePlan = "", upPlan = "", lookForDrift = "", restore = "", cancel = ""] = guideLines.slice(4);
/** The comment and the error that the guide shows. */
const [shownComment = "", shownLock = ""] = codeBlocks(GUIDE)
  .filter(({ language }) => language === "text")
  .map(({ text }) => text.trimEnd());

const SETUP = ["actions/checkout", "npm ci --ignore-scripts"];
const UP = "exec pulumi up --plan plan.json --yes --skip-preview";
const ALL = ["ada*", "grace*", "hedy", "katherine*", "margaret"].map(addressOf);

function run(
  repository: ProgramRepository,
  forge: Forge,
  event: "pull_request" | "push" | "schedule",
  approve?: Play["approve"],
) {
  const isSecret = (name: string) => /SECRET|PASSPHRASE/.test(name);
  const settings = Object.entries(repository.settings).map(([name, value]) => [
    `${isSecret(name) ? "secrets" : "vars"}.${name}`,
    value,
  ]);
  return play(programOf(files), {
    values: {
      ...Object.fromEntries(settings),
      ...{ "github.event_name": event, "github.repository": "acme/people", "github.token": "the-token" },
      ...(event === "pull_request" && {
        "github.event.pull_request.head.repo.full_name": "acme/people",
        "github.event.pull_request.number": "7",
      }),
    },
    machine: { ...repository.machine, ...forge.environment },
    checkout: (folder) => repository.checkout(folder),
    commands: { npm: "exit 0" },
    ...(approve && { approve }),
  });
}

test("GitHub: a comment, the saved plan, a change since then, drift, and a lock", async () => {
  const repository = await ProgramRepository.open();
  // A secret of the program, which is in the saved plan too.
  await repository.succeed(`pulumi config set --secret note ${marked.password}`);
  const forge = await Forge.open("GitHub");
  const logs: string[] = [];
  const on = async (...[event, approve]: [Parameters<typeof run>[2], Play["approve"]?]) => {
    const jobs = await run(repository, forge, event, approve);
    logs.push(...Object.values(jobs).map(({ log }) => log));
    return jobs;
  };

  const proposed = await on("pull_request");
  expect(proposed.preview, proposed.preview?.log).toMatchObject({
    result: "success",
    steps: [...SETUP, "Preview", "Comment"],
  });
  expect(proposed.up?.result).toBe("skipped");
  expect(forge.own).toHaveLength(1);
  expect(forge.own[0]).toMatch(/^<!-- orgseat acme -->\n```\nPreviewing update \(acme\):\n/);
  expect(forge.own[0]).toContain('email                : "grace@acme.example"');
  expect(forge.own[0]).toMatch(/\n {4}\+ 6 to create\n```\n/);

  const refused = await on("push", (environment) => environment !== "orgseat");
  expect([refused.preview?.result, refused.up?.result]).toEqual(["success", "skipped"]);
  // A pull request has no service account, and a plan needs none.
  expect(await repository.sandbox.calls()).toEqual([]);

  const merged = await on("push");
  expect(merged.preview?.steps).toEqual([...SETUP, "Preview", "actions/upload-artifact"]);
  expect(merged.up, merged.up?.log).toMatchObject({
    result: "success",
    steps: [...SETUP, "actions/download-artifact", UP],
  });
  expect(await repository.members()).toEqual(ALL);

  // The next pull request: the same comment changes, and says what the guide shows.
  repository.edit('hedy@acme.example", seat: false', 'hedy@acme.example", seat: true');
  await on("pull_request");
  expect(forge.own).toHaveLength(1);
  for (const line of shownComment.split("\n")) expect(forge.own[0]).toContain(line);

  // Someone removes a person after the plan was saved: `up` does not bring that person back.
  await repository.writes();
  const changed = await on("push", async (environment) => {
    if (environment !== "orgseat") return true;
    repository.edit(/ {2}\{ name: "katherine".*\n/, "");
    await repository.succeed(savePlan);
    await repository.succeed(upPlan);
    repository.edit(
      /(.*name: "margaret".*\n)/,
      '$1  { name: "katherine", email: "katherine@acme.example", seat: true },\n',
    );
    return true;
  });
  expect(changed.up).toMatchObject({ result: "failure" });
  expect(changed.up?.log).toMatch(/::katherine violates plan: /);
  expect(await repository.members()).toEqual(["ada*", "grace*", "hedy*", "margaret"].map(addressOf));
  const again = await on("push");
  expect(again.up, again.up?.log).toMatchObject({ result: "success" });
  expect(await repository.members()).toEqual(
    ["ada*", "grace*", "hedy*", "katherine*", "margaret"].map(addressOf),
  );

  expect((await on("schedule")).preview).toMatchObject({ result: "success", steps: [...SETUP, "Preview"] });
  await repository.remove("ada@acme.example");
  await repository.writes();
  const night = await on("schedule");
  expect([night.preview?.result, night.up?.result]).toEqual(["failure", "skipped"]);
  expect(night.preview?.log).toMatch(/\+ pulumi-nodejs:orgseat:OrgMember: \(create\)\n.*::ada\]/);
  expect(await repository.writes()).toEqual([]);
  expect((await repository.shell(lookForDrift)).code).not.toBe(0);
  await repository.succeed(restore);
  expect(await repository.members()).toContain("ada@acme.example*");
  await repository.succeed(lookForDrift);

  repository.edit('margaret@acme.example", seat: false', 'margaret@acme.example", seat: true');
  const other = await repository.startUp();
  await repository.writes();
  const locked = await on("push");
  expect([locked.preview?.result, locked.up?.result]).toEqual(["success", "failure"]);
  expect(locked.up?.log).toContain(shownLock);
  other.kill("SIGKILL");
  expect((await on("push")).up).toMatchObject({ result: "failure", log: expect.stringContaining(shownLock) });
  await repository.succeed(cancel);
  const unlocked = await on("push");
  expect(unlocked.up, unlocked.up?.log).toMatchObject({ result: "success" });
  expect(await repository.members()).toContain("margaret@acme.example*");

  expect(readFileSync(join(repository.folder, "plan.json"), "utf8")).toContain('"org-members:note"');
  const texts = { printed: [...repository.printed, ...logs].join(""), comments: forge.own.join("") };
  expect(findSecrets(markedSecrets, { texts, folders: [repository.folder] })).toEqual([]);
});

function addressOf(who: string): string {
  return who.replace(/(\w+)/, "$1@acme.example");
}

const jobSchema = z.looseObject({
  script: z.union([z.string(), z.array(z.string())]),
  variables: z.record(z.string(), z.string()).default({}),
});
const pipelineSchema = z.looseObject({ variables: z.record(z.string(), z.string()) });

/** Runs the script of a job of GitLab, whose runner ends it at the first error, in the folder of a job before. */
function runJob(name: string, folder: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const pipeline = pipelineSchema.parse(parse(read("gitlab/program.yml")));
  const { script, variables } = jobSchema.parse(pipeline[name]);
  const own = Object.entries(variables).map(([key, value]) => [key, env[value.replace("$", "")] ?? value]);
  const all = { ...env, ...pipeline.variables, ...Object.fromEntries(own) };
  return runIn(folder, "bash", ["-eo", "pipefail", "-c", [script].flat().join("\n")], all);
}

test("GitLab: a note, the saved plan, and drift", async () => {
  expect(read("gitlab/program.yml").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  const repository = await ProgramRepository.open();
  const forge = await Forge.open("GitLab");
  const { ORGSEAT_CLIENT_ID, ORGSEAT_CLIENT_SECRET, ...open } = repository.settings;
  const request = { ...repository.machine, ...open, CI_PIPELINE_SOURCE: "merge_request_event" };
  const folder = temporaryFolder();
  symlinkSync(join(repository.folder, "node_modules"), join(folder, "node_modules"));
  repository.checkout(folder);

  const proposed = await runJob("preview", folder, request);
  expect(proposed.code, proposed.output).toBe(0);
  const token = { ORGSEAT_NOTE_TOKEN: "the-token" };
  const noted = await runJob("note", folder, { ...request, ...forge.environment, ...token });
  expect(noted, noted.output).toMatchObject({ code: 0, stdout: "created the comment\n" });
  expect(forge.own[0]).toMatch(/\n {4}\+ 6 to create\n```\n/);
  expect(existsSync(join(folder, "plan.json"))).toBe(false);

  const account = {
    ORGSEAT_CLIENT_ID: `${ORGSEAT_CLIENT_ID}`,
    ORGSEAT_CLIENT_SECRET: `${ORGSEAT_CLIENT_SECRET}`,
  };
  const main = { ...repository.machine, ...open, ...account, CI_PIPELINE_SOURCE: "push" };
  expect(await runJob("preview", folder, main)).toMatchObject({ code: 0 });
  expect(await repository.sandbox.calls()).toEqual([]);
  const up = await runJob("up", folder, main);
  expect(up, up.output).toMatchObject({ code: 0 });
  expect(await repository.members()).toEqual(ALL);

  expect(await runJob("drift", folder, main)).toMatchObject({ code: 0 });
  await repository.remove("grace@acme.example");
  const night = await runJob("drift", folder, main);
  expect([night.code === 0, night.output]).toEqual([false, expect.stringContaining("1 to create")]);
  const failed = await runJob("preview", folder, { ...request, PULUMI_CONFIG_PASSPHRASE: "wrong" });
  expect([failed.code === 0, failed.output]).toEqual([
    false,
    expect.stringContaining("incorrect passphrase"),
  ]);
});
