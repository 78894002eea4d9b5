import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseEngine, standInCommand } from "../../sandbox/start/engine.ts";
import { temporaryFolder } from "../setup/temporary.ts";

describe("the engine of npm start", () => {
  test("that ORGSEAT_PULUMI names is the one that runs", async () => {
    const chosen = chooseEngine({ ...process.env, ORGSEAT_PULUMI: standInCommand });
    expect(await chosen).toMatchObject({ kind: "stand-in", command: standInCommand });
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
    "that ORGSEAT_PULUMI names and that %s is an error, and no other one stands in",
    async (_, make, obstacle) => {
      const file = join(temporaryFolder(), "pulumi");
      make(file);
      await expect(chooseEngine({ ...process.env, ORGSEAT_PULUMI: file })).rejects.toThrow(
        `cannot run the Pulumi CLI that ORGSEAT_PULUMI names: ${file}: ${obstacle}`,
      );
    },
  );
});
