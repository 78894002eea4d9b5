/** Former public names are errors that say the new name. */
import { describe, expect, test, vi } from "vitest";
import { formerNameIssues, refuseFormerNames } from "../../provider/config/former-names.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { unknownSettings } from "../../provider/config/unknown-settings.ts";
import { main } from "../../sdk/command/main.ts";

const nothing = () => undefined;

describe("a former name", () => {
  test.each([
    ["ORGSEAT_AUDIT", "ORGSEAT_AUDIT_LOG"],
    ["ORGSEAT_CREATIONS", "ORGSEAT_WORK_DIR"],
    ["ORGSEAT_MEMBERS", "ORGSEAT_MEMBERS_FILE"],
    ["ORGSEAT_NAMES", "ORGSEAT_NAMES_FILE"],
    ["ORGSEAT_PULUMI", "ORGSEAT_PULUMI_PATH"],
    ["ORGSEAT_RUN", "ORGSEAT_RUN_ID"],
  ])("makes the variable %s an issue that says %s", (former, name) => {
    const issue = `${former} is now ${name}: rename it`;
    expect(readSettings(nothing, { [former]: "x" }).issues).toEqual([issue]);
    expect(readSettings(nothing, { [former]: "" }).issues).toEqual([]);
    expect(formerNameIssues(nothing, { [name]: "x" })).toEqual([]);
    expect(() => refuseFormerNames({ [former]: "x" })).toThrow(`invalid environment: ${issue}`);
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
});
