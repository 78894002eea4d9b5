/** Former public names are errors that say the new name. */
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { formerNameIssues, refuseFormerNames } from "../../provider/config/setting-values.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { unknownSettings } from "../../provider/config/unknown-settings.ts";
import { readOffboarded } from "../../sdk/automation/roster/offboarded.ts";
import { commandLine, main } from "../../sdk/command/main.ts";
import { temporaryFile } from "../setup/temporary.ts";

const nothing = () => undefined;

describe("a former name", () => {
  test.each([
    ["ORGSEAT_AUDIT", "ORGSEAT_AUDIT_LOG"],
    ["ORGSEAT_CREATIONS", "ORGSEAT_WORK_DIR"],
    ["ORGSEAT_DIALECT", "ORGSEAT_PLATFORM"],
    ["ORGSEAT_MEMBERS", "ORGSEAT_MEMBERS_FILE"],
    ["ORGSEAT_NAMES", "ORGSEAT_NAMES_FILE"],
    ["ORGSEAT_PULUMI", "ORGSEAT_PULUMI_PATH"],
    ["ORGSEAT_RUN", "ORGSEAT_RUN_ID"],
    ["ORGSEAT_SEAL_TOKENS", "ORGSEAT_REQUIRE_SEALED_TOKENS"],
  ])("makes the variable %s an issue that says %s", (former, name) => {
    const issue = `${former} is now ${name}: rename it`;
    expect(readSettings(nothing, { [former]: "x" }).issues).toEqual([issue]);
    expect(readSettings(nothing, { [former]: "" }).issues).toEqual([]);
    expect(formerNameIssues(nothing, { [name]: "x" })).toEqual([]);
    expect(() => refuseFormerNames({ [former]: "x" })).toThrow(`invalid environment: ${issue}`);
  });

  test("makes the configuration key orgseat:dialect an issue that says orgseat:platform", () => {
    const config = new Map([["orgseat:dialect", "anaconda"]]);
    expect(readSettings((key) => config.get(key), {}).issues).toEqual([
      "orgseat:dialect is now orgseat:platform: rename it",
    ]);
    expect(unknownSettings(config.keys(), {})).toEqual([]);
  });

  test("makes no unknown name: the doctor reports it once", () => {
    expect(unknownSettings([], { ORGSEAT_AUDIT: "audit.jsonl" })).toEqual([]);
  });

  test("stops a command before it reads anything", async () => {
    vi.stubEnv("ORGSEAT_AUDIT", "audit.jsonl");
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await main(["node", "orgseat", "audit", "verify"]);
    expect(printed.mock.calls.flat().join("\n")).toContain(
      "invalid environment: ORGSEAT_AUDIT is now ORGSEAT_AUDIT_LOG: rename it",
    );
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  test.each([
    ["up", "--allow-removals", "--approve: pass --approve"],
    ["preview", "--protect", "--never-remove: pass --never-remove"],
    ["rotate", "--managed", "--machine-users: pass --machine-users"],
    ["adopt", "--on-removal", "--on-delete: pass --on-delete"],
    ["report", "--csv", "--format csv --out FILE: pass --format csv --out FILE"],
    ["report", "--html", "--format html --out FILE: pass --format html --out FILE"],
    ["up", "--created", "`orgseat resolve WHO --exists ID`: run that command"],
    ["up", "--not-created", "`orgseat resolve WHO --missing`: run that command"],
  ])("makes the flag of %s, %s, an error that says %s", async (verb, former, advice) => {
    for (const flag of [former, `${former}=x`]) {
      let error = "";
      const program = commandLine();
      const writeErr = (text: string): void => {
        error += text;
      };
      for (const command of [program, ...program.commands])
        command.exitOverride().configureOutput({ writeErr });
      await expect(program.parseAsync([verb, flag], { from: "user" })).rejects.toThrow();
      expect(error.split("\n")[0]).toBe(`error: ${former} is now ${advice}`);
    }
  });

  test("stops each command that finds an offboarded list under it", async () => {
    const former = temporaryFile("people.leavers.csv", "key,email,user_id,left_at,by\n");
    const file = join(dirname(former), "people.offboarded.csv");
    await expect(readOffboarded(file)).rejects.toThrow(`${former} is now people.offboarded.csv: rename it`);
  });
});
