import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { main } from "../../sandbox/engine/main.ts";
import { chooseEngine, emulatorCommand, findRealCli } from "../../sandbox/start/engine.ts";
import { temporaryFolder } from "../setup/temporary.ts";

describe("the engine of npm start", () => {
  test("runs the one that ORGSEAT_PULUMI_PATH names", async () => {
    const chosen = chooseEngine({ ...process.env, ORGSEAT_PULUMI_PATH: emulatorCommand });
    expect(await chosen).toMatchObject({ kind: "emulator", command: emulatorCommand });
  });

  test.each([
    ["does not exist", () => undefined, "it does not exist"],
    ["is not executable", (file: string) => writeFileSync(file, ""), "it is not executable"],
    [
      "does not work",
      (file: string) => {
        writeFileSync(file, "#!/bin/sh\nexit 1\n");
        chmodSync(file, 0o755);
      },
      "`pulumi version` fails there",
    ],
  ])(
    "gives an error if the one that ORGSEAT_PULUMI_PATH names %s, and no other one stands in",
    async (_, make, obstacle) => {
      const file = join(temporaryFolder(), "pulumi");
      make(file);
      await expect(chooseEngine({ ...process.env, ORGSEAT_PULUMI_PATH: file })).rejects.toThrow(
        `cannot run the Pulumi CLI that ORGSEAT_PULUMI_PATH names: ${file}: ${obstacle}`,
      );
    },
  );

  test("takes the pulumi.exe of Path on Windows, in whatever letter case", () => {
    const folder = temporaryFolder();
    const bin = join(folder, "node_modules", ".bin");
    mkdirSync(bin, { recursive: true });
    for (const file of [join(folder, "pulumi.exe"), join(folder, "pulumi"), join(bin, "pulumi.exe")]) {
      writeFileSync(file, "");
      chmodSync(file, 0o755);
    }
    const environment = { HOME: folder, Path: `${bin};${folder}` };
    expect(findRealCli(environment, "win32")).toBe(join(folder, "pulumi.exe"));
    expect(findRealCli({ HOME: folder, PATH: folder }, "linux")).toBe(join(folder, "pulumi"));
  });

  test("refuses the emulator on Windows, and says in one sentence what to do instead", async () => {
    const environment = { HOME: temporaryFolder(), Path: "" };
    await expect(chooseEngine(environment, "win32")).rejects.toThrow(
      /^cannot find a Pulumi CLI, and the emulator does not run on Windows\. Install the Pulumi CLI, or use WSL$/,
    );
  });

  test("says the same on Windows if the emulator itself is called, and does nothing", async () => {
    const told: unknown[] = [];
    const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => told.push(text) > 0);
    const code = process.exitCode;
    try {
      await main("win32");
      expect(process.exitCode).toBe(1);
    } finally {
      write.mockRestore();
      process.exitCode = code;
    }
    expect(told).toEqual([
      "error: the Pulumi emulator does not run on Windows: install the Pulumi CLI, or use WSL\n",
    ]);
  });
});
