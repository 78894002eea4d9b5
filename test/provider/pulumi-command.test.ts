import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyPassphrase, errorOf, reasonOf, runPulumi } from "../../provider/util/pulumi-command.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const warned =
  "warning: A new version of Pulumi is available. To upgrade from version '3.1.0' to '3.2.0', visit\nhttps://example.com\n";

describe("emptyPassphrase", () => {
  const file = (text: string): string => {
    const name = join(temporaryFolder(), "phrase");
    writeFileSync(name, text);
    return name;
  };
  const isSet =
    /^PULUMI_CONFIG_PASSPHRASE is set to an empty text, so everyone who gets the state could read/;
  const isInFile =
    /^the file in PULUMI_CONFIG_PASSPHRASE_FILE is empty, so everyone who gets the state could/;

  test.each([
    ["an empty variable", "", undefined, isSet],
    ["an empty variable, which Pulumi prefers to a file", "", "words", isSet],
    ["a variable with white space", " \n", undefined, isSet],
    ["an empty file", undefined, "", isInFile],
    ["a file of white space, which Pulumi drops", undefined, " \n", isInFile],
    ["a variable with a passphrase", "words", "", undefined],
    ["a file with a passphrase", undefined, "words\n", undefined],
    ["nothing", undefined, undefined, undefined],
  ])("reads %s", (_, phrase, inFile, text) => {
    const PULUMI_CONFIG_PASSPHRASE_FILE = inFile === undefined ? undefined : file(inFile);
    const empty = emptyPassphrase({ PULUMI_CONFIG_PASSPHRASE: phrase, PULUMI_CONFIG_PASSPHRASE_FILE });
    if (text === undefined) expect(empty).toBeUndefined();
    else expect(empty?.text).toMatch(text);
  });

  test("says what to do", () => {
    expect(emptyPassphrase({ PULUMI_CONFIG_PASSPHRASE: "" })?.next).toBe(
      "set PULUMI_CONFIG_PASSPHRASE, or unset it and set PULUMI_CONFIG_PASSPHRASE_FILE to a file. In CI, check that the secret exists",
    );
    const both = { PULUMI_CONFIG_PASSPHRASE: "", PULUMI_CONFIG_PASSPHRASE_FILE: file("words") };
    expect(emptyPassphrase(both)?.next).toBe(
      "unset PULUMI_CONFIG_PASSPHRASE, which Pulumi prefers to PULUMI_CONFIG_PASSPHRASE_FILE",
    );
    const empty = file("");
    expect(emptyPassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: empty })?.next).toBe(
      `write the passphrase into ${empty}`,
    );
    expect(
      emptyPassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: join(temporaryFolder(), "gone") }),
    ).toBeUndefined();
  });
});

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
