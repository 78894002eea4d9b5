/** `orgseat.env`: what a command takes from it, from which file it takes nothing, and that no shell needs more. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { loadVariables, takenFrom } from "../../command/stacks/variables.ts";
import { checkCases } from "../setup/cases.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const ORG = { ORGSEAT_ORG_URL: "o", ORGSEAT_TOKEN_URL: "t" };
const ACCOUNT = { ORGSEAT_CLIENT_ID: "i", ORGSEAT_CLIENT_SECRET: "s" };
const STATE = { PULUMI_BACKEND_URL: "file:///state", PULUMI_CONFIG_PASSPHRASE: "p" };
const FILE = "/acme/orgseat.env";

describe("a command with a file of variables", () => {
  test.each([
    [
      "all, where the environment has none",
      { ...ORG, ...ACCOUNT, ...STATE },
      {},
      { ...ORG, ...ACCOUNT, ...STATE },
    ],
    ["nothing, where the environment has all", ORG, { ...ORG, ...ACCOUNT }, {}],
    [
      "the groups of which the environment has nothing",
      { ...ORG, ...ACCOUNT, ...STATE },
      { ORGSEAT_ORG_URL: "other", ORGSEAT_TOKEN_URL: "other", ...ACCOUNT },
      STATE,
    ],
    [
      "the state by any means of encryption",
      STATE,
      { PULUMI_BACKEND_URL: "s3://acme", PULUMI_CONFIG_PASSPHRASE_FILE: "f" },
      {},
    ],
    [
      "others with the organization area, if the environment lacks them",
      { ...ORG, ORGSEAT_PLATFORM: "anaconda", ORGSEAT_CONCURRENCY: "4" },
      { ORGSEAT_CONCURRENCY: "8" },
      { ...ORG, ORGSEAT_PLATFORM: "anaconda" },
    ],
    ["no others without it", { ORGSEAT_PLATFORM: "anaconda" }, { ...ORG, ...ACCOUNT }, {}],
    ["an empty variable as an absent one", ORG, { ORGSEAT_CLIENT_SECRET: "" }, ORG],
    [
      "nothing else, and no program",
      { ...ORG, PATH: "x", NODE_OPTIONS: "x", PULUMI_HOME: "x", ORGSEAT_PULUMI_PATH: "x" },
      {},
      ORG,
    ],
  ])("it takes %s", (_, found, environment, taken) => {
    expect(takenFrom(found, environment, FILE)).toEqual(taken);
  });

  test.each([
    [
      "a secret of the shell and an address of the file",
      ORG,
      { ORGSEAT_CLIENT_SECRET: "s" },
      "the variables of the organization area come from two places, so orgseat uses neither: ORGSEAT_CLIENT_SECRET from the environment, ORGSEAT_ORG_URL, ORGSEAT_TOKEN_URL from /acme/orgseat.env. Write all of them into the file, or load it before you set others: `set -a; . /acme/orgseat.env; set +a`. To ignore the file, pass --no-env-file",
    ],
    ["an address of the shell", { ...ORG, ...ACCOUNT }, { ORGSEAT_ORG_URL: "x" }, "the organization area"],
    ["the model area", { ORGSEAT_MODEL_URL: "m" }, { ORGSEAT_API_KEY: "k" }, "the model area"],
    ["the state", STATE, { PULUMI_CONFIG_PASSPHRASE: "x" }, "the variables of the state come from"],
  ])("it refuses %s", (_, found, environment, text) => {
    expect(() => takenFrom(found, environment, FILE)).toThrow(text);
  });

  test("it never completes a group of the environment", async () => {
    const names = [...Object.keys({ ...ORG, ...ACCOUNT, ...STATE }), "ORGSEAT_USERNAME", "ORGSEAT_PASSWORD"];
    const some = fc.uniqueArray(fc.constantFrom(...names));
    const all = (of: string[], value: string) => Object.fromEntries(of.map((name) => [name, value]));
    const groupOf = (name: string) => (name.startsWith("PULUMI") ? "state" : "organization");
    await checkCases(
      { name: "variables of a file", level: "R", cases: 2_000 },
      fc.tuple(some, some),
      async ([file, shell]) => {
        let taken: Record<string, string> = {};
        try {
          taken = takenFrom(all(file, "file"), all(shell, "shell"), FILE);
        } catch {
          return;
        }
        const groups = new Set(Object.keys(taken).map(groupOf));
        for (const group of groups) expect(shell.map(groupOf)).not.toContain(group);
      },
    );
  });
});

describe("the file of a folder", () => {
  const written = (text: string, mode = 0o600): string => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "orgseat.env"), text, { mode });
    return folder;
  };

  test("it goes into the environment, with paths from its folder", () => {
    const folder = written("PULUMI_BACKEND_URL=file://./state\nPULUMI_CONFIG_PASSPHRASE_FILE='our words'\n");
    const environment: NodeJS.ProcessEnv = {};
    expect(loadVariables(folder, environment)?.names).toEqual([
      "PULUMI_BACKEND_URL",
      "PULUMI_CONFIG_PASSPHRASE_FILE",
    ]);
    expect(environment).toEqual({
      PULUMI_BACKEND_URL: `file://${folder}/state`,
      PULUMI_CONFIG_PASSPHRASE_FILE: join(folder, "our words"),
    });
    expect(loadVariables(temporaryFolder(), environment)).toBeUndefined();
  });

  test.each([0o640, 0o602, 0o644])("nobody reads it with mode %o", (mode) => {
    const folder = written("ORGSEAT_ORG_URL=x\n");
    chmodSync(join(folder, "orgseat.env"), mode);
    expect(() => loadVariables(folder, {})).toThrow(
      `cannot use ${folder}/orgseat.env: others can read or write it (mode ${mode.toString(8)}). Run \`chmod 600`,
    );
  });

  test("nobody reads it if another user owns it", () => {
    const folder = written("ORGSEAT_ORG_URL=x\n");
    vi.spyOn(process, "getuid").mockReturnValue(4_711);
    expect(() => loadVariables(folder, {})).toThrow("another user owns it, and could change it");
    vi.restoreAllMocks();
  });

  test("nobody reads it if git tracks it, and runs nothing of the repository", () => {
    const folder = written("ORGSEAT_ORG_URL=x\n");
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
    git("init");
    expect(loadVariables(folder, {})?.names).toEqual(["ORGSEAT_ORG_URL"]);
    git("add", "-f", "orgseat.env");
    git("config", "core.fsmonitor", `touch ${join(folder, "it-ran")}; false`);
    expect(() => loadVariables(folder, {})).toThrow(
      "git tracks it. Run `git rm --cached orgseat.env`, add it to .gitignore, and change its secrets. Or pass --no-env-file",
    );
    expect(() => execFileSync("ls", [join(folder, "it-ran")], { stdio: "ignore" })).toThrow();
  });

  test("nobody reads it if it is no file", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "orgseat.env"));
    expect(() => loadVariables(folder, {})).toThrow("it is not a file. Move it away");
    const other = temporaryFolder();
    symlinkSync("nowhere", join(other, "orgseat.env"));
    expect(loadVariables(other, {})).toBeUndefined();
  });
});
