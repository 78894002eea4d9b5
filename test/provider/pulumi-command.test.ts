import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorOf, reasonOf, runPulumi } from "../../provider/util/pulumi-command.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const warned =
  "warning: A new version of Pulumi is available. To upgrade from version '3.1.0' to '3.2.0', visit\nhttps://example.com\n";

describe("the reason that a failed pulumi gave", () => {
  test.each([
    [
      "is its error, not a warning before it",
      `${warned}error: no stack named 'people' found\n`,
      "no stack named 'people' found",
    ],
    ["is its first error, not what it printed after it", "error: first\nerror: second\n", "first"],
    [
      "counts several errors and says each",
      "error: 2 errors occurred:\n    1) the first\n    2) the second\n\n",
      "2 errors occurred: 1) the first 2) the second",
    ],
    ["stands in the line below where its own is empty", "error:\n  wrong\n", "wrong"],
    [
      "without an error is the first line that is no warning",
      "warning: old\npanic: at a loss\n",
      "panic: at a loss",
    ],
    ["is said to be missing where it only warned", "warning: old\n", "pulumi printed no error message"],
    ["is said to be missing where it printed nothing", "", "pulumi printed no error message"],
  ])("%s", (_, stderr, reason) => {
    expect(reasonOf(stderr)).toBe(reason);
  });

  test("stays undefined if there is only other text", () => {
    expect(errorOf("code: 1\n stdout: an error: none\n")).toBeUndefined();
  });
});

describe.skipIf(process.platform === "win32")("a command that finds a file half written", () => {
  /** A CLI that fails this many times. */
  function cliFailing(times: number) {
    const folder = temporaryFolder();
    const [command, count] = [join(folder, "pulumi"), join(folder, "count")];
    const script = `#!/bin/sh
echo >> ${count}
[ $(wc -l < ${count}) -gt ${times} ] && echo done && exit
echo "error: failed to load checkpoint: EOF" >&2
exit 255
`;
    writeFileSync(command, script);
    chmodSync(command, 0o755);
    const run = () => runPulumi(["stack", "export"], { environment: process.env, command });
    return { run, tries: () => readFileSync(count, "utf8").length };
  }

  test("runs again until another process has written it", async () => {
    const { run, tries } = cliFailing(2);
    expect(await run()).toBe("done\n");
    expect(tries()).toBe(3);
  });

  test("fails if the file stays half written", async () => {
    const { run, tries } = cliFailing(99);
    await expect(run()).rejects.toThrow(/^failed to load checkpoint: EOF$/);
    expect(tries()).toBe(5);
  });
});
