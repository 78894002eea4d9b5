/** A salt that a kill has cut off in the settings of a stack. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { removeCutOffSalt } from "../../../command/engine/stack-names.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

const SALT = "encryptionsalt: v1:kX2pYzhQm0I=:v1:9cXN0L2wJbE3rT8a:Zm9vYmFyYmF6cXV4cXV1eGNvcmdlZ3JhdQ==\n";
const CONFIG = "config:\n  orgseat:orgUrl: https://orgs.example\n";

/** What is left of the settings of stack people. */
function repaired(text: string, stack = "people"): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), "name: orgseat\nruntime: nodejs\n");
  const file = join(folder, "Pulumi.people.yaml");
  writeFileSync(file, text);
  removeCutOffSalt(folder, stack);
  return readFileSync(file, "utf8");
}

describe("the settings of a stack", () => {
  test("lose a salt that is cut off at any byte, and nothing else", () => {
    for (const before of ["", CONFIG])
      for (let length = 0; length < SALT.length - 2; length++)
        expect(repaired(before + SALT.slice(0, length)), `${length} bytes`).toBe(before);
  });

  test("keep a whole salt, what is no salt, and those of other stacks", () => {
    for (const text of [
      SALT,
      SALT.trimEnd(),
      SALT + CONFIG.trimEnd(),
      CONFIG.trimEnd(),
      "secretsprovider: x",
    ])
      expect(repaired(text)).toBe(text);
    expect(repaired(SALT.slice(0, 40), "other")).toBe(SALT.slice(0, 40));
  });
});
