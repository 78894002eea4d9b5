/** `orgseat init`: the files that it writes, and what it asks. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { main } from "../../../command/cli/main.ts";
import { runnable, runnableLine } from "../../../command/cli/output.ts";
import { readRoster } from "../../../command/roster/read.ts";
import { sandboxServiceAccount } from "../../../sandbox/service/index.ts";
import { pulumiCommand, pulumiReady } from "../../setup/project.ts";
import { sandbox } from "../../setup/sandbox.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { attended } from "./attended.ts";

const ORGANIZATION = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";
const IGNORED = "node_modules/\n.orgseat/\n*.token\norgseat.env\nplan.json\n";
const UNSET = [
  ...["ORGSEAT_ORGANIZATION_ID", "ORGSEAT_PLATFORM", "ORGSEAT_ORG_URL", "ORGSEAT_TOKEN_URL"],
  ...["ORGSEAT_CLIENT_ID", "ORGSEAT_CLIENT_SECRET", "ORGSEAT_SUBSCRIPTION_EXPIRES_AT"],
  ...["ORGSEAT_SECRETS_PROVIDER", "PULUMI_BACKEND_URL"],
  ...["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"],
];
/** Nobody answers there. */
const ADDRESS = "http://127.0.0.1:1";
/** Empty answers for the subscription, the service, and its account. */
const LATER = ["", "", "", "", "", ""];

describe("init", () => {
  const before = process.cwd();
  let folder = "";

  beforeAll(pulumiReady);

  beforeEach(() => {
    folder = realpathSync(temporaryFolder());
    for (const name of UNSET) vi.stubEnv(name, undefined);
  });

  afterEach(() => {
    process.chdir(before);
    process.exitCode = undefined;
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  async function init(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    const out = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const err = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await main(["node", "orgseat", "-C", folder, "init", ...args]);
    return { stdout: out.mock.calls.join("\n"), stderr: err.mock.calls.join("\n") };
  }

  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  /** As a shell reads it. */
  const variables = (): string[] =>
    execFileSync("sh", ["-c", "set -a; . ./orgseat.env; env"], { cwd: folder, encoding: "utf8", env: {} })
      .split("\n")
      .filter((line) => /^(ORGSEAT|PULUMI)_/.test(line))
      .toSorted();

  test("writes a valid roster, the variables, and the files to ignore, checks them, and names the next commands", async () => {
    vi.stubEnv("ORGSEAT_PULUMI_PATH", pulumiCommand);
    const { stdout } = await init("--organization", ORGANIZATION, "--yes");
    expect(process.exitCode, "as doctor").toBe(1);
    expect(read("people.csv")).toBe(`# organization: ${ORGANIZATION}\nkey,email,purpose,team\n`);
    expect(read(".gitignore")).toBe(IGNORED);
    expect(readdirSync(folder).toSorted()).toEqual([".gitignore", ".orgseat", "orgseat.env", "people.csv"]);
    await expect(readRoster(join(folder, "people.csv"))).resolves.toMatchObject({ people: [] });
    expect(statSync(join(folder, "orgseat.env")).mode & 0o777).toBe(0o600);
    expect(variables()).toEqual([
      `PULUMI_BACKEND_URL=file://${folder}/.orgseat/state`,
      expect.stringMatching(/^PULUMI_CONFIG_PASSPHRASE=[\w-]{32}$/),
    ]);
    expect(existsSync(join(folder, ".orgseat/state"))).toBe(true);
    expect(stdout).toMatch(
      /^Wrote people\.csv and orgseat\.env .*Added node_modules\/, \.orgseat\/, \*\.token, orgseat\.env, plan\.json to \.gitignore\.\nKeep a copy of \.orgseat\/state, and of the new passphrase in orgseat\.env: /,
    );
    expect(stdout).toMatch(
      /^missing +orgUrl: not set.*^Next steps:\n +1\. Fill in orgseat\.env: ORGSEAT_PLATFORM, /ms,
    );
    expect(stdout, "in the new state").toMatch(/^ok +stack configuration: stack people does not exist yet/m);
    expect(stdout).toMatch(/Fill in orgseat\.env: [^\n]*\n.*`orgseat doctor`.*`orgseat up`\.$/s);
    expect(stdout).not.toContain("set -a");
  });

  test("takes flags and the environment, whose secrets stay there, and writes YAML", async () => {
    vi.stubEnv("ORGSEAT_ORGANIZATION_ID", ORGANIZATION);
    vi.stubEnv("ORGSEAT_CLIENT_SECRET", "sandbox-only-secret");
    const file = join(temporaryFolder(), "our passphrase");
    writeFileSync(file, "sandbox-only");
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", file);
    const given = ["--format", "yaml", "--platform", "anaconda", "--subscription", "2027-12-31"];
    const { stdout } = await init(...given, "--backend", "s3://acme-state", "--json");
    expect(JSON.parse(stdout)).toEqual({
      ...{ status: "succeeded", roster: "people.yaml", ignored: IGNORED.trim().split("\n") },
      ...{ missing: ["ORGSEAT_CLIENT_ID", "ORGSEAT_CLIENT_SECRET"], hasNewPassphrase: false },
    });
    await expect(readRoster(join(folder, "people.yaml"))).resolves.toMatchObject({
      ...{ organizationId: ORGANIZATION, subscriptionExpiresAt: "2027-12-31T23:59:59Z", people: [] },
    });
    expect(variables()).toEqual([
      "ORGSEAT_ORG_URL=https://anaconda.com/api/v1",
      "ORGSEAT_PLATFORM=anaconda",
      "ORGSEAT_TOKEN_URL=https://anaconda.com/api/iam/token",
      "PULUMI_BACKEND_URL=s3://acme-state",
      `PULUMI_CONFIG_PASSPHRASE_FILE=${file}`,
    ]);
  });

  test("makes no passphrase for a backend that needs a login, and says so", async () => {
    vi.stubEnv("ORGSEAT_PULUMI_PATH", pulumiCommand);
    vi.stubEnv("PULUMI_BACKEND_URL", ADDRESS);
    const { stdout } = await init("--organization", ORGANIZATION, "--yes");
    expect(variables()).toEqual([`PULUMI_BACKEND_URL=${ADDRESS}`]);
    expect(stdout).toContain("Log in to Pulumi Cloud with `pulumi login`.");
    expect(stdout).not.toContain("Keep a copy of");
  });

  test.each([
    ["state", "/state/\n"],
    ["file://./state", "/state/\n"],
    [".", "/.pulumi/\n"],
    [".orgseat/ours", ""],
    ["../elsewhere", ""],
  ])("adds the lines that .gitignore lacks for a state in %s", async (backend, line) => {
    folder = join(folder, "checkout");
    mkdirSync(folder);
    await init("--organization", ORGANIZATION, "--backend", backend, "--json");
    expect(read(".gitignore")).toBe(`${IGNORED}${line}`);
    expect(variables()).toContain(
      `PULUMI_BACKEND_URL=file://${join(folder, backend.replace("file://", ""))}`,
    );
  });

  test("adds the lines that .gitignore lacks", async () => {
    writeFileSync(join(folder, ".gitignore"), "node_modules/\n.orgseat/");
    await init("--organization", ORGANIZATION, "--json");
    expect(read(".gitignore")).toBe("node_modules/\n.orgseat/\n*.token\norgseat.env\nplan.json\n");
  });

  test("writes nothing beside a .gitignore that it cannot read, so that it can run again", async () => {
    writeFileSync(join(folder, ".gitignore"), Buffer.from([0xff, 0xfe, 0x00]));
    await init("--organization", ORGANIZATION, "--json");
    expect(process.exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual([".gitignore"]);
  });

  test("leaves no roster beside variables that it cannot write, so that it can run again", async () => {
    symlinkSync("nowhere", join(folder, "orgseat.env"));
    await init("--organization", ORGANIZATION, "--json");
    expect(process.exitCode).toBe(1);
    expect(readdirSync(folder).toSorted()).toEqual([".gitignore", ".orgseat", "orgseat.env"]);
  });

  test.each(["people.csv", "people.yml", "people.json"])("refuses a folder with %s", async (name) => {
    writeFileSync(join(folder, name), "mine\n");
    const { stderr } = await init("--organization", ORGANIZATION, "--format", "yaml");
    expect(stderr).toContain(
      `cannot set up this folder: ${name} exists, and \`orgseat init\` overwrites nothing. Go on with \`orgseat preview\`, or run`,
    );
    expect(process.exitCode).toBe(1);
    expect(read(name)).toBe("mine\n");
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("adds to the variables of the folder what they lack, and takes the others from there", async () => {
    const mine = `# mine\nORGSEAT_ORGANIZATION_ID=${ORGANIZATION}\nORGSEAT_ORG_URL=${ADDRESS}\nORGSEAT_CLIENT_SECRET=sandbox-only-secret\n`;
    writeFileSync(join(folder, "orgseat.env"), mine, { mode: 0o600 });
    const { stdout } = await init("--platform", "basic", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      status: "succeeded",
      missing: ["ORGSEAT_TOKEN_URL", "ORGSEAT_CLIENT_ID"],
      hasNewPassphrase: true,
    });
    expect(read("orgseat.env").startsWith(mine)).toBe(true);
    expect(read("people.csv")).toContain(`# organization: ${ORGANIZATION}\n`);
    expect(variables()).toEqual([
      "ORGSEAT_CLIENT_SECRET=sandbox-only-secret",
      `ORGSEAT_ORGANIZATION_ID=${ORGANIZATION}`,
      ...[`ORGSEAT_ORG_URL=${ADDRESS}`, "ORGSEAT_PLATFORM=basic"],
      `PULUMI_BACKEND_URL=file://${folder}/.orgseat/state`,
      expect.stringMatching(/^PULUMI_CONFIG_PASSPHRASE=[\w-]{32}$/),
    ]);
    expect(statSync(join(folder, "orgseat.env")).mode & 0o777).toBe(0o600);
  });

  test("says all that is wrong with what it was given, before a question", async () => {
    vi.stubEnv("ORGSEAT_ORG_URL", "http://acme.example");
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", "nowhere");
    writeFileSync(join(folder, "people.csv"), "");
    const { stderr } = await init("--organization", "a b", "--platform", "xml", "--subscription", "soon");
    const lines = stderr.split("\n").slice(1);
    expect(lines.map((line) => line.trim().split(" ")[0])).toEqual([
      ...["people.csv", "--organization", "--subscription", "--platform"],
      ...["ORGSEAT_ORG_URL", "PULUMI_CONFIG_PASSPHRASE_FILE"],
    ]);
    expect(stderr).toContain("--platform is not one of basic, anaconda");
    expect(stderr).toMatch(/No files were written/);
    expect(readdirSync(folder)).toEqual(["people.csv"]);
  });

  test.each([
    [["--yes"], "--organization must be passed in to proceed"],
    [["--organization", "a b"], "--organization is not an organization id"],
    [
      ["--organization", ORGANIZATION, "--platform", "xml"],
      "--platform is not one of basic, anaconda. No files were written",
    ],
    [["--organization", ORGANIZATION, "--subscription", "soon"], "--subscription is not a valid date"],
  ])("writes nothing for the arguments %j", async (args, message) => {
    const { stderr } = await init(...args);
    expect(stderr).toContain(message);
    expect(process.exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("asks in a terminal for each value, and does not show the secret", async () => {
    const answers = [ORGANIZATION, "2027-12-31", "basic", ADDRESS, `${ADDRESS}/token`, "acme", "it's secret"];
    const { code, stdout, stderr } = await attended(["init"], {
      ...{ folder, environment: {}, answers: [...answers, "states", "awskms://alias/acme"] },
    });
    expect(code).toBe(1);
    expect(read("people.csv")).toContain("# subscription: 2027-12-31\n");
    expect(variables()).toEqual([
      ...["ORGSEAT_CLIENT_ID=acme", "ORGSEAT_CLIENT_SECRET=it's secret"],
      ...[
        `ORGSEAT_ORG_URL=${ADDRESS}`,
        "ORGSEAT_PLATFORM=basic",
        "ORGSEAT_SECRETS_PROVIDER=awskms://alias/acme",
      ],
      ...[`ORGSEAT_TOKEN_URL=${ADDRESS}/token`, `PULUMI_BACKEND_URL=file://${folder}/states`],
    ]);
    expect(stderr).toContain("Organization id, from the service's admin console: ");
    expect(stderr).toContain("Platform of the service (basic or anaconda) (empty: later): ");
    expect(stdout + stderr).not.toContain("it's secret");
    expect(stdout).not.toContain("Fill in orgseat.env");
  });

  test("asks which of several product codes is the seat, and writes the answer", async () => {
    const account = sandboxServiceAccount;
    const { service, organizationId } = await sandbox({ serviceAccount: account }, undefined, "anaconda");
    const item = (id: string, code: string) => ({ id, role: "member", subscriptions: [code] });
    await service.management.setOddItems(
      ...["u1", "u2"].map((id) => ({ call: 17, item: item(id, "commercial") })),
      { call: 17, item: item("u3", "analytics") },
    );
    const environment = {
      ...{ ORGSEAT_ORGANIZATION_ID: organizationId, ORGSEAT_PLATFORM: "anaconda" },
      ...{ ORGSEAT_ORG_URL: service.orgUrl, ORGSEAT_TOKEN_URL: service.tokenUrl },
      ...{ ORGSEAT_CLIENT_ID: account.clientId, ORGSEAT_CLIENT_SECRET: account.clientSecret },
      PULUMI_CONFIG_PASSPHRASE: "sandbox-only",
    };
    const { stdout, stderr } = await attended(["init"], {
      ...{ folder, environment, answers: ["", "", "", "", "", "", "", "commercial"] },
    });
    expect(stderr).toContain(
      "Product code of the seat: commercial (2 users), analytics (1 user) (empty: later): ",
    );
    expect(variables()).toContain("ORGSEAT_PRODUCT=commercial");
    expect(stdout).toContain("2 with a seat of the product commercial");
  });

  test("offers the values of the environment in a terminal, and takes defaults", async () => {
    const environment = {
      ...{ ORGSEAT_ORGANIZATION_ID: ORGANIZATION, ORGSEAT_CLIENT_SECRET: "sandbox-only-secret" },
      ...{ ORGSEAT_ORG_URL: ADDRESS, ORGSEAT_TOKEN_URL: ADDRESS, PULUMI_CONFIG_PASSPHRASE: "sandbox-only" },
    };
    const answers = ["", "", "", "", "", "", "no", "", "no"];
    const { code, stdout } = await attended(["init"], { folder, environment, answers });
    expect(code).toBe(1);
    expect(read("people.csv")).toContain(`# organization: ${ORGANIZATION}\n`);
    expect(variables()).toEqual([
      ...[`ORGSEAT_ORG_URL=${ADDRESS}`, "ORGSEAT_PLATFORM=basic", `ORGSEAT_TOKEN_URL=${ADDRESS}`],
      `PULUMI_BACKEND_URL=file://${folder}/.orgseat/state`,
    ]);
    expect(stdout).toContain(
      "In each new shell, load the file, and set ORGSEAT_CLIENT_SECRET, PULUMI_CONFIG_PASSPHRASE, which it does not have: set -a; . ./orgseat.env; set +a",
    );
  });

  test("offers to write the secrets of the shell, and then no shell needs them", async () => {
    const environment = {
      ...{ ORGSEAT_ORGANIZATION_ID: ORGANIZATION, ORGSEAT_CLIENT_SECRET: "sandbox-only-secret" },
      ...{ ORGSEAT_ORG_URL: ADDRESS, ORGSEAT_TOKEN_URL: ADDRESS, PULUMI_CONFIG_PASSPHRASE: "sandbox-only" },
    };
    const answers = ["", "", "", "", "", "acme", "yes", "", "yes"];
    const { stdout, stderr } = await attended(["init"], { folder, environment, answers });
    expect(stderr).toContain(
      "Write ORGSEAT_CLIENT_SECRET of this shell into orgseat.env, so that new shells have it? [y/N]",
    );
    expect(variables()).toEqual(
      expect.arrayContaining([
        "ORGSEAT_CLIENT_SECRET=sandbox-only-secret",
        "PULUMI_CONFIG_PASSPHRASE=sandbox-only",
      ]),
    );
    expect(stdout).not.toContain("In each new shell");
  });

  test("asks again after an invalid answer", async () => {
    const answers = [ORGANIZATION, "soon", "2027-12-31", "xml", "basic", "", "", "", "", "state", ""];
    const { stderr } = await attended(["init"], { folder, environment: {}, answers });
    expect(stderr).toContain("This is not a valid date");
    expect(stderr).toContain("This is not one of basic, anaconda.");
    expect(variables()).toContain("ORGSEAT_PLATFORM=basic");
  });

  test("takes ~ in the answers as the home folder", async () => {
    const home = realpathSync(temporaryFolder());
    writeFileSync(join(home, "passphrase"), "sandbox-only");
    const answers = [ORGANIZATION, ...LATER, "~/states", "~/passphrase"];
    const { code } = await attended(["init"], { folder, environment: { HOME: home }, answers });
    expect(code).toBe(1);
    expect(variables()).toEqual([
      `PULUMI_BACKEND_URL=file://${home}/states`,
      `PULUMI_CONFIG_PASSPHRASE_FILE=${home}/passphrase`,
    ]);
    expect(readdirSync(home)).toContain("states");
  });

  test("asks again for a file that it cannot find", async () => {
    const passphrase = join(temporaryFolder(), "passphrase");
    writeFileSync(passphrase, "sandbox-only");
    const answers = [ORGANIZATION, ...LATER, "state", "correct horse", passphrase];
    const { stderr } = await attended(["init"], { folder, environment: {}, answers });
    expect(stderr).toContain("This names no file.");
    expect(variables()).toContain(`PULUMI_CONFIG_PASSPHRASE_FILE=${passphrase}`);
  });
});

test("names commands of a local installation with npx, and others as they are", () => {
  const project = temporaryFolder();
  const folder = join(project, "node_modules", ".bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "orgseat"), "");
  const text = "run `orgseat up`, then `pulumi login`; orgseat: `orgseat-sandbox`";
  expect(runnable(text, join(folder, "orgseat"), project)).toBe(
    "run `npx orgseat up`, then `pulumi login`; orgseat: `orgseat-sandbox`",
  );
  expect(runnable(text, "/usr/local/bin/orgseat", project)).toBe(text);
  // As a global installation of pnpm.
  expect(runnable(text, join(folder, "orgseat"), "/acme")).toBe(text);
  const lines = ["orgseat up --yes", "source <(orgseat doctor --json)", "set -a; . ./orgseat.env"];
  expect(lines.map((line) => runnableLine(line, join(folder, "orgseat"), project))).toEqual([
    ...["npx orgseat up --yes", "source <(npx orgseat doctor --json)", "set -a; . ./orgseat.env"],
  ]);
});
