/** The scripts of `orgseat completion`, in the shells that this machine has. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { allVerbs, verbTree } from "../../../command/cli/completion/tree.ts";
import { type Shell, shells } from "../../../command/cli/line/options.ts";
import { commandLine, main } from "../../../command/cli/main.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

/** Prints what the shell would offer for the last word, one word a line. The arguments are the script, and the words so far. */
const programs: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    ...["--norc", "-c"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orgseat; printf "%s\\n" "${COMPREPLY[@]}"',
    "bash",
  ],
  // Without the completion system, which needs a terminal: its functions print what they get.
  zsh: [
    ...["-f", "-c"],
    [
      "compdef() { }; compset() { }",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
      "_describe() { print -l -- ${(M)${(P)2}:#${words[CURRENT]}*} }; _files() { print -l -- ${words[CURRENT]}*(N) }",
      'source "$1"; shift; words=("$@"); CURRENT=$#; _orgseat',
    ].join("\n"),
    "zsh",
  ],
  fish: ["--no-config", "-c", 'source $argv[1]; complete -C (string join " " -- $argv[2..-1])'],
};

/** @param words the last one is completed. The folder has one file. */
async function offeredBy(shell: Shell, words: readonly string[]): Promise<string[]> {
  const folder = temporaryFolder();
  const file = join(folder, `orgseat.${shell}`);
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await main(["node", "orgseat", "completion", shell]);
  writeFileSync(file, printed.mock.calls.join("\n"));
  printed.mockRestore();
  const args = [...programs[shell], file, "orgseat", ...words];
  const { stdout, stderr, status } = spawnSync(shell, args, { cwd: folder, encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => line.split(/[\t:]/, 1)[0] ?? "").toSorted();
}

describe("completion", () => {
  describe.each(shells)("the script for %s", (shell) => {
    const isInstalled = spawnSync(shell, ["--version"]).status === 0;
    const offered = (...words: string[]) => offeredBy(shell, words);

    const tree = verbTree(commandLine());
    test.skipIf(!isInstalled).each(allVerbs(tree).map((verb) => [verb.path, verb] as const))(
      `offers the verbs and flags after orgseat %s, if ${shell} is installed`,
      async (path, { verbs, flags }) => {
        const words = path.split(" ").filter((word) => word !== "");
        const long = flags.flatMap(({ names }) => names.filter((name) => name.startsWith("--")));
        const found = await offered(...words, "--");
        expect(found.filter((name) => name.startsWith("--"))).toEqual(long.toSorted());
        if (verbs.length > 0)
          expect(await offered(...words, "")).toEqual(verbs.map(({ name }) => name).toSorted());
      },
    );

    test.skipIf(!isInstalled)(`completes a part of a word, if ${shell} is installed`, async () => {
      expect(await offered("re")).toEqual(["reclaim", "remove", "renew", "report"]);
      expect(await offered("report", "--mo")).toEqual(["--month"]);
    });

    test.skipIf(!isInstalled)(
      `offers the values of flags and arguments, if ${shell} is installed`,
      async () => {
        expect(await offered("report", "--format", "")).toEqual(["csv", "html", "ics", "json", "text"]);
        expect(await offered("-C", "elsewhere", "init", "--yes", "--format", "y")).toEqual(["yaml"]);
        expect(await offered("completion", "")).toEqual([...shells].toSorted());
        expect(await offered("report", "--out", "orgseat.")).toEqual([`orgseat.${shell}`]);
        expect(await offered("adopt", "orgseat.")).toEqual([`orgseat.${shell}`]);
        expect(await offered("report", "--month", "")).toEqual([]);
      },
    );

    test.skipIf(!isInstalled)(`takes the value of a flag for no verb, if ${shell} is installed`, async () => {
      expect(await offered("report", "--stack", "dev", "--form")).toEqual(["--format"]);
    });
  });

  test.skipIf(spawnSync("bash", ["--version"]).status !== 0)(
    "completes a value after an equals sign, which bash makes a separate word",
    async () => {
      expect(await offeredBy("bash", ["report", "--format", "=", "h"])).toEqual(["html"]);
    },
  );
});
