// @module-tag ci
/** What the action and GitLab's jobs run: plans, results, approved plans, with a command of the test's own and with orgseat. */
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type TestOrganization, testOrganization } from "../../automation/organization.ts";
import type { Ended } from "../../package/install.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { equip, findNodeOfSteps, runAction, runScript } from "./action.ts";
import { files } from "./files.ts";
import { scriptOfJob } from "./gitlab.ts";

type Inputs = Readonly<Record<string, string>>;

interface Action extends Ended {
  readonly outputs: Record<string, string>;
  readonly summary: string;
  readonly plan: string;
}

/** One run of the action in a folder. */
async function acted(folder: string, inputs: Inputs, env: Inputs = {}): Promise<Action> {
  const noted = temporaryFolder();
  const files = { GITHUB_OUTPUT: join(noted, "output"), GITHUB_STEP_SUMMARY: join(noted, "summary") };
  const plan = join(noted, "plan.md");
  const ended = await runAction("Run", { plan, ...inputs }, folder, { ...files, ...env });
  const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const lines = read(files.GITHUB_OUTPUT).split("\n").filter(Boolean);
  const outputs = Object.fromEntries(lines.map((line) => line.split("=", 2)));
  return { ...ended, outputs, summary: read(files.GITHUB_STEP_SUMMARY), plan: read(plan) };
}

function withOrgseat(script: string): string {
  const folder = temporaryFolder();
  equip(folder, `echo "$@" >> calls.txt\n${script}`);
  return folder;
}
const callsIn = (folder: string) => readFileSync(join(folder, "calls.txt"), "utf8").trimEnd().split("\n");

describe("the action", () => {
  test.each([
    [0, 0, "false"],
    [1, 1, "false"],
    [2, 0, "true"],
    [3, 3, "false"],
  ])(
    "exits as a preview with exit code %i does: with %i, and has changes: %s",
    async (exit, code, changes) => {
      const folder = withOrgseat(`echo "### orgseat: 1 to add"; exit ${exit}`);
      const ended = await acted(folder, { command: "preview" });
      expect(ended).toMatchObject({ code, outputs: { code: String(exit), changes } });
      expect(ended.outputs.plan).toMatch(/plan\.md$/);
      expect([ended.plan, ended.summary]).toEqual(Array(2).fill("### orgseat: 1 to add\n"));
      expect(callsIn(folder)).toEqual(["preview --markdown --exit-code --roster=people.csv"]);
    },
  );

  test.each(["up", "renew"])("runs %s without a question, and shows its result", async (command) => {
    const folder = withOrgseat("echo 'ok ``` ada'; exit 0");
    const ended = await acted(folder, { command });
    expect(ended).toMatchObject({ code: 0, outputs: { changes: "false" } });
    expect(ended.plan).toBe(`### orgseat: ${command} succeeded\n\n\`\`\`\`text\nok \`\`\` ada\n\`\`\`\`\n`);
    expect(callsIn(folder)).toEqual([`${command} --yes --roster=people.csv`]);
  });

  test("gives a preview that says nothing a plan that says so", async () => {
    const ended = await acted(withOrgseat("exit 1"), { command: "preview" });
    expect(ended).toMatchObject({ code: 1, plan: "### orgseat: preview failed (exit code 1)\n" });
  });

  test("passes what others write as one argument, which no shell reads", async () => {
    const folder = withOrgseat("exit 0");
    const roster = '$(touch hacked)"; touch hacked #`touch hacked`.csv';
    await acted(folder, { command: "preview", roster });
    expect(callsIn(folder)).toEqual([`preview --markdown --exit-code --roster=${roster}`]);
    expect(existsSync(join(folder, "hacked"))).toBe(false);
  });

  test("refuses another command, and runs nothing", async () => {
    const folder = withOrgseat("exit 0");
    const { code, stdout } = await acted(folder, { command: "destroy" });
    expect([code, stdout]).toEqual([1, '::error::unknown command "destroy" (expected preview, up, renew)\n']);
    expect(existsSync(join(folder, "calls.txt"))).toBe(false);
  });

  test("masks secrets in the log, and replaces them in plan and summary", async () => {
    const env = { PULUMI_CONFIG_PASSPHRASE: "pass%phrase", ORGSEAT_TOKEN_URL: "https://token.example" };
    const folder = withOrgseat('echo "$PULUMI_CONFIG_PASSPHRASE $ORGSEAT_CLIENT_SECRET $ORGSEAT_TOKEN_URL"');
    const ended = await acted(folder, { command: "preview", "client-secret": "s3cret-value" }, env);
    expect(ended.stdout).toContain("::add-mask::s3cret-value\n");
    expect(ended.stdout).toContain("::add-mask::pass%25phrase\n");
    expect([ended.plan, ended.summary]).toEqual(Array(2).fill("*** *** https://token.example\n"));
  });

  test("leaves the public passphrase of the workflows as it is: it is no secret", async () => {
    const [, passphrase = ""] = /PULUMI_CONFIG_PASSPHRASE: (\w+)\n/.exec(files.plan) ?? [];
    expect(passphrase).not.toBe("");
    const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
    const folder = withOrgseat(`echo 'tokens are sealed, not ${passphrase}'`);
    const ended = await acted(folder, { command: "preview" }, env);
    expect(ended.plan).toBe(`tokens are sealed, not ${passphrase}\n`);
    expect(ended.stdout).not.toContain("::add-mask::");
  });

  test.each([
    ["a plan", ""],
    ["an error", " >&2; exit 1"],
  ])("obeys no command of the runner in %s", async (_, end) => {
    const folder = withOrgseat(`echo '::set-env name=X::y'${end}`);
    const { stdout, stderr } = await acted(folder, { command: "preview" });
    const [, stop, text, go] = /^::stop-commands::(\S+)\n(.*?)\n::(\S+)::\n/s.exec(stdout) ?? [];
    expect([stop, text]).toEqual([go, "::set-env name=X::y"]);
    expect(stderr).not.toContain("::set-env");
  });

  test("writes the plan of a preview to a file, with the override", async () => {
    const folder = withOrgseat("exit 2");
    const inputs = { "plan-file": "plan.json", approve: "0123@2026-01-01T00:00:00Z" };
    await acted(folder, { command: "preview", ...inputs });
    expect(callsIn(folder)).toEqual([
      "preview --markdown --exit-code --roster=people.csv --plan=plan.json --approve=0123@2026-01-01T00:00:00Z",
    ]);
  });

  test("applies exactly the plan that it gets", async () => {
    const folder = withOrgseat("exit 3");
    const ended = await acted(folder, { command: "up", "plan-file": "plan.json" });
    expect(ended).toMatchObject({ code: 3, plan: expect.stringContaining("up failed (exit code 3)") });
    expect(callsIn(folder)).toEqual(["up --yes --roster=people.csv --plan=plan.json"]);
  });
});

const oldNode = await findNodeOfSteps();

describe.skipIf(oldNode === undefined)("the action of an older Node", () => {
  test("previews, and applies the approved plan", async () => {
    const folder = withOrgseat('echo "### orgseat: 1 to add"; exit $(test "$1" = up; echo $((2 * $?)))');
    const env = { GITHUB_OUTPUT: join(folder, "output") };
    const run = (inputs: Inputs) => runAction("Run", inputs, folder, env, {}, oldNode);
    expect(await run({ command: "preview", plan: "plan.md", "plan-file": "plan.json" })).toMatchObject({
      code: 0,
    });
    expect(readFileSync(env.GITHUB_OUTPUT, "utf8")).toContain("changes=true");
    const inputs = { command: "up", plan: "result.md", "plan-file": "plan.json" };
    expect(await run(inputs)).toMatchObject({ code: 0 });
    expect(callsIn(folder)).toHaveLength(2);
  });
});

const ada = { email: "ada@acme.example" };
const bob = { email: "bob@acme.example" };
const PLAN = "plan.json";

function digestIn(folder: string): string {
  return z.looseObject({ digest: z.string() }).parse(JSON.parse(readFileSync(join(folder, PLAN), "utf8")))
    .digest;
}

describe("CI with orgseat and the sandbox service", () => {
  async function repository(): Promise<TestOrganization> {
    const acme = await testOrganization({ seats: 10 });
    equip(acme.folder);
    acme.write([ada]);
    return acme;
  }

  /** Runs the action in the organization's folder. As in the workflows, only what writes has credentials. */
  function actIn(acme: TestOrganization, inputs: Inputs): Promise<Action> {
    const isCredential = (name: string) => /^ORGSEAT_(CLIENT_ID|CLIENT_SECRET|USERNAME|PASSWORD)$/.test(name);
    const entries = Object.entries(acme.variables());
    const env = entries.filter(([name]) => inputs.command !== "preview" || !isCredential(name));
    return acted(acme.folder, { "plan-file": PLAN, ...inputs }, Object.fromEntries(env));
  }

  test("the action previews, applies the approved plan and no other, renews, and finds nothing changed", async () => {
    const acme = await repository();
    const preview = await actIn(acme, { command: "preview" });
    expect(preview, preview.stderr).toMatchObject({ code: 0, outputs: { changes: "true" } });
    expect(preview.plan).toContain("ada@acme.example");
    expect(preview.summary).toContain(`Plan \`${digestIn(acme.folder).slice(0, 12)}\``);
    acme.write([ada, bob]);
    const other = await actIn(acme, { command: "up" });
    expect(other).toMatchObject({ code: 3, stdout: expect.stringContaining("added: bob@acme.example") });
    expect(await acme.writes()).toEqual([]);

    await actIn(acme, { command: "preview" });
    const applied = await actIn(acme, { command: "up" });
    expect(applied, applied.stdout).toMatchObject({ code: 0 });
    expect(applied.plan).toContain("2 succeeded");
    expect(Object.keys(await acme.members())).toEqual([ada.email, bob.email]);

    expect(await actIn(acme, { command: "renew", "plan-file": "" })).toMatchObject({ code: 0 });
    expect(await actIn(acme, { command: "preview" })).toMatchObject({
      code: 0,
      outputs: { changes: "false" },
    });
    acme.expectNoSecrets({ plans: preview.plan + applied.plan + applied.summary, log: applied.stderr });
  });

  test("GitLab's jobs preview, apply and renew", async () => {
    const acme = await repository();
    const run = async (name: string) => {
      const env = {
        ...acme.variables(),
        ROSTER: "people.csv",
        CI_PROJECT_DIR: acme.folder,
        GITLAB_CI: "true",
      };
      return runScript(await scriptOfJob(name), acme.folder, env);
    };
    expect(await run("orgseat preview")).toMatchObject({ code: 0 });
    cpSync(join(acme.folder, "plan.md"), join(acme.folder, "first.md"));
    const up = await run("orgseat up");
    expect(up, up.stdout + up.stderr).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toEqual([ada.email]);
    expect(readFileSync(join(acme.folder, "result.md"), "utf8")).toContain("up succeeded");
    const again = await run("orgseat up");
    expect(again).toMatchObject({ code: 3, stdout: expect.stringContaining("missing: ada@acme.example") });
    expect(await run("orgseat renew")).toMatchObject({ code: 0 });
    const report = await run("orgseat report");
    expect(report, report.stdout + report.stderr).toMatchObject({ code: 0 });
    acme.expectNoSecrets({ plan: readFileSync(join(acme.folder, "first.md"), "utf8") });
  });
});
