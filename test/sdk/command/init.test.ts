/** `orgseat init`: the files that it writes, and what it asks. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readRoster } from "../../../sdk/automation/roster/read.ts";
import { main } from "../../../sdk/command/main.ts";
import { temporaryFolder } from "../../setup/temporary.ts";
import { attended } from "./attended.ts";

const ORGANIZATION = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";
const IGNORED = ".orgseat/\n*.token\nplan.json\n";

describe("init", () => {
  const before = process.cwd();
  let folder = "";

  beforeEach(() => {
    folder = temporaryFolder();
    vi.stubEnv("ORGSEAT_ORGANIZATION_ID", undefined);
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

  test("writes a valid roster and the files to ignore, and names the next commands", async () => {
    const { stdout } = await init("--organization", ORGANIZATION, "--yes");
    expect(read("people.csv")).toBe(`# organization: ${ORGANIZATION}\nkey,email,purpose,team\n`);
    expect(read(".gitignore")).toBe(IGNORED);
    expect(readdirSync(folder).toSorted()).toEqual([".gitignore", "people.csv"]);
    await expect(readRoster(join(folder, "people.csv"))).resolves.toMatchObject({ people: [] });
    expect(stdout).toMatch(
      /^Created people\.csv\. Added \.orgseat\/, \*\.token, plan\.json to \.gitignore\.\n/,
    );
    expect(stdout).toMatch(/PULUMI_BACKEND_URL.*`orgseat doctor`.*`orgseat preview`\.$/s);
  });

  test("takes the organization of the environment, and writes YAML", async () => {
    vi.stubEnv("ORGSEAT_ORGANIZATION_ID", ORGANIZATION);
    const { stdout } = await init("--format", "yaml", "--json");
    expect(JSON.parse(stdout)).toEqual({
      ...{ status: "succeeded", roster: "people.yaml", ignored: IGNORED.trim().split("\n") },
    });
    await expect(readRoster(join(folder, "people.yaml"))).resolves.toMatchObject({
      ...{ organizationId: ORGANIZATION, people: [] },
    });
  });

  test("adds the lines that .gitignore lacks", async () => {
    writeFileSync(join(folder, ".gitignore"), "node_modules/\n.orgseat/");
    await init("--organization", ORGANIZATION);
    expect(read(".gitignore")).toBe("node_modules/\n.orgseat/\n*.token\nplan.json\n");
  });

  test("writes no roster beside a .gitignore that it cannot read, so that it can run again", async () => {
    writeFileSync(join(folder, ".gitignore"), Buffer.from([0xff, 0xfe, 0x00]));
    await init("--organization", ORGANIZATION);
    expect(process.exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual([".gitignore"]);
  });

  test.each(["people.csv", "people.yml", "people.json"])("refuses a folder with %s", async (name) => {
    writeFileSync(join(folder, name), "mine\n");
    const { stderr } = await init("--organization", ORGANIZATION, "--format", "yaml");
    expect(stderr).toContain(`cannot create a roster: ${name} exists. Use it with \`orgseat preview\``);
    expect(process.exitCode).toBe(1);
    expect(read(name)).toBe("mine\n");
    expect(readdirSync(folder)).toEqual([name]);
  });

  test.each([
    [["--yes"], "--organization must be passed in to proceed"],
    [["--organization", "a b"], "organization"],
  ])("writes nothing for the arguments %j", async (args, message) => {
    const { stderr } = await init(...args);
    expect(stderr).toContain(message);
    expect(process.exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("asks in a terminal for the organization and the format", async () => {
    const { code, stderr } = await attended(["init"], {
      ...{ folder, environment: {}, answers: [ORGANIZATION, "yaml"] },
    });
    expect({ code, files: readdirSync(folder).toSorted() }).toEqual({
      ...{ code: 0, files: [".gitignore", "people.yaml"] },
    });
    expect(stderr).toContain("Organization id, from the service's admin console: ");
    expect(stderr).toContain("Format of the roster (csv or yaml) [csv] ");
  });

  test("offers the organization of the environment in a terminal, and takes defaults", async () => {
    const environment = { ORGSEAT_ORGANIZATION_ID: ORGANIZATION };
    const { code } = await attended(["init"], { folder, environment, answers: ["", ""] });
    expect(code).toBe(0);
    expect(read("people.csv")).toContain(`# organization: ${ORGANIZATION}\n`);
  });

  test("writes nothing after an invalid answer", async () => {
    const answers = [ORGANIZATION, "xml"];
    const { code, stderr } = await attended(["init"], { folder, environment: {}, answers });
    expect(code).toBe(1);
    expect(stderr).toContain("invalid format xml: expected csv or yaml. No files were written");
    expect(existsSync(join(folder, ".gitignore"))).toBe(false);
  });
});
