/** `orgseat init` in a real process, and beside a real Pulumi; stories/init.txt has the rest. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { main } from "../../../command/cli/main.ts";
import { runnable, runnableLine } from "../../../command/cli/output.ts";
import { readRoster } from "../../../command/roster/read.ts";
import { pulumiCommand, pulumiReady } from "../../setup/project.ts";
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

  test("writes nothing beside a .gitignore that it cannot read, so that it can run again", async () => {
    writeFileSync(join(folder, ".gitignore"), Buffer.from([0xff, 0xfe, 0x00]));
    await init("--organization", ORGANIZATION, "--json");
    expect(process.exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual([".gitignore"]);
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
