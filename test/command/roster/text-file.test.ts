import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writePrivateText } from "../../../command/roster/formats/text-file.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

const modeOf = (file: string) => lstatSync(file).mode & 0o777;

describe("a file that names people", () => {
  test("belongs to its user only, also if an older file was for everybody", () => {
    const file = join(temporaryFolder(), "report.csv");
    writePrivateText(file, "first");
    expect(modeOf(file)).toBe(0o600);
    writeFileSync(file, "", { mode: 0o644 });
    execFileSync("chmod", ["644", file]);
    writePrivateText(file, "second");
    expect([modeOf(file), readFileSync(file, "utf8")]).toEqual([0o600, "second"]);
  });

  test("replaces a link, and leaves what the link leads to", () => {
    const folder = temporaryFolder();
    const elsewhere = join(folder, "elsewhere");
    writeFileSync(elsewhere, "kept");
    for (const target of [elsewhere, join(folder, "gone")]) {
      const file = join(folder, "plan.json");
      execFileSync("rm", ["-f", file]);
      symlinkSync(target, file);
      writePrivateText(file, "names");
      expect([modeOf(file), readFileSync(file, "utf8")]).toEqual([0o600, "names"]);
    }
    expect(readFileSync(elsewhere, "utf8")).toBe("kept");
    expect(readdirSync(folder).toSorted()).toEqual(["elsewhere", "plan.json"]);
  });

  test("says which folder is missing", () => {
    const folder = join(temporaryFolder(), "reports");
    const file = join(folder, "due.csv");
    expect(() => writePrivateText(file, "names")).toThrow(
      `cannot write ${file}: no such folder: ${folder}. Create it`,
    );
  });

  test("reaches a device, which stays what it is", () => {
    writePrivateText("/dev/null", "names");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });
});
