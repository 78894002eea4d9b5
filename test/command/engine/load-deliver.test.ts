/** The module of a roster: only the one that the command read is loaded, here and by the runner. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { hashOfModule, loadDeliver } from "../../../command/engine/runner/load-deliver.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

let file: string;
let loaded: string;
const moduleText = (): string =>
  `require("node:fs").writeFileSync(${JSON.stringify(loaded)}, "");\nmodule.exports = () => undefined;\n`;

beforeEach(() => {
  const folder = temporaryFolder();
  loaded = join(folder, "loaded");
  file = join(folder, "deliver.cjs");
  writeFileSync(file, moduleText());
});

describe("loadDeliver", () => {
  test("refuses a module that changed since its hash was taken, without running it", () => {
    const hash = hashOfModule(file);
    writeFileSync(file, `${moduleText()}// one more line\n`);
    expect(() => loadDeliver(file, hash)).toThrow(
      "deliver.cjs has changed since the command read it. Run the command again",
    );
    expect(existsSync(loaded)).toBe(false);
  });

  test("loads the module of the hash", () => {
    expect(loadDeliver(file, hashOfModule(file))).toBeTypeOf("function");
    expect(existsSync(loaded)).toBe(true);
  });
});
