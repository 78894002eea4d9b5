/** Why Pulumi cannot open a state, and the step that heals it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { damageIn, type StateFile, stateFault } from "../../../provider/backend/state-faults.ts";
import { backendIn, statePlace } from "../../../provider/backend/state-files.ts";
import { checkCases } from "../../setup/cases.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

const contents = ["whole", "empty", "broken"] as const;
const suffixes = ["", ".attrs", ".bak", ".bak.attrs"] as const;

/** The files of a stack `people`, by their suffix. */
function filesOf(contentOf: Readonly<Partial<Record<string, StateFile["content"]>>>): StateFile[] {
  return suffixes.flatMap((suffix) => {
    const content = contentOf[suffix];
    return content === undefined ? [] : [{ file: `/state/people.json${suffix}`, content }];
  });
}

const EOF = "failed to load checkpoint: EOF";
const CUT = "failed to load checkpoint: place 1: unexpected end of JSON input";
const whole = { "": "whole", ".attrs": "whole", ".bak": "whole", ".bak.attrs": "whole" } as const;
const PASSPHRASE = expect.stringMatching(/^set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE/);

describe("a state that Pulumi cannot open", () => {
  const removing = (...suffixes: readonly string[]) =>
    `remove it (\`rm ${suffixes.map((suffix) => `/state/people.json${suffix}`).join(" ")}\`)`;
  const EARLY =
    'failed to load checkpoint: blob (key ".pulumi/stacks/orgseat/people.json") (code=Unknown): unexpected EOF';
  const LITERAL = "failed to load checkpoint: invalid character '\\n' in string literal";
  const GARBAGE = "failed to load checkpoint: place 1: invalid character 'g' looking for beginning of value";
  const COPY = "copy /state/people.json.bak, the previous state, over /state/people.json";
  const both = { ...whole, ".attrs": "empty", ".bak.attrs": "empty" } as const;
  const lost = { "": "broken", ".bak": "empty" } as const;
  test.each([
    ["empty attributes", EOF, { ...whole, ".attrs": "empty" }, removing(".attrs")],
    ["attributes that end early", EARLY, { ...whole, ".attrs": "broken" }, removing(".attrs")],
    ["attributes cut off", LITERAL, { ...whole, ".attrs": "broken" }, removing(".attrs")],
    ["attributes of the backup", EOF, { ...whole, ".bak.attrs": "empty" }, removing(".bak.attrs")],
    ["both empty", EOF, both, removing(".attrs", ".bak.attrs")],
    ["a state cut off", CUT, { ...whole, "": "broken" }, COPY],
    ["no JSON, without a whole backup", GARBAGE, lost, "restore /state/people.json from a copy"],
  ] as const)("names the file and the step: %s", (_, error, files, step) => {
    const found = stateFault(error, { stack: "people", backend: "file:///state", files: filesOf(files) });
    expect(found).toMatchObject({
      step,
      isDamaged: true,
      cause: expect.stringContaining("/state/people.json"),
    });
  });

  test.each([
    ["no login", "pulumi is not logged in to a backend", "run `pulumi login`, or set PULUMI_BACKEND_URL"],
    [
      "no folder",
      "unable to open state directory \"file:///it's\": stat /it's: no such file or directory",
      "create the folder of the backend: `mkdir -p '/it'\\''s'`",
    ],
    [
      "no home folder",
      "failed to get the home path: getting current user: user: Current requires cgo or $USER, $HOME set in environment",
      "set HOME to a folder that you can write",
    ],
    ["another passphrase", "incorrect passphrase", PASSPHRASE],
    ["no passphrase", "passphrase must be set with PULUMI_CONFIG_PASSPHRASE", PASSPHRASE],
    [
      "a file of another user",
      "open /state/people.json: permission denied",
      "let this user read /state/people.json",
    ],
  ])("names the step for what is not damaged: %s", (_, error, step) => {
    expect(stateFault(error, { stack: "people", backend: "", files: filesOf(whole) })).toEqual({
      step,
      isDamaged: false,
    });
  });

  test("names the object in a backend that is no folder", () => {
    expect(stateFault(CUT, { stack: "people", backend: "s3://acme/states", files: [] })?.step).toBe(
      "copy people.json.bak, the previous state, over people.json in s3://acme/states",
    );
  });

  test.each([
    ["an ended connection", EOF, []],
    ["files that are whole", EOF, filesOf(whole)],
    ["another error", "the backend is gone", filesOf({ ...whole, ".attrs": "empty" })],
  ])("says nothing that is not known: %s", (_, error, files) => {
    expect(stateFault(error, { stack: "people", backend: "s3://acme", files })).toBeUndefined();
  });

  test("never removes or overwrites a whole file, whichever files are damaged", async () => {
    const content = fc.option(fc.constantFrom(...contents), { nil: undefined });
    const drawn = fc.record({ "": content, ".attrs": content, ".bak": content, ".bak.attrs": content });
    await checkCases({ name: "damaged files of a state", level: "R", cases: 200 }, drawn, async (some) => {
      const files = filesOf(some);
      const fault = damageIn({ files });
      const lost = /^remove it \(`rm (.*)`\)$/.exec(fault?.step ?? "")?.[1]?.split(" ") ?? [];
      const over = / over (\S+)$/.exec(fault?.step ?? "")?.[1] ?? [];
      const gone = [...lost, ...[over].flat()];
      for (const file of gone)
        expect(files).toContainEqual({ file, content: expect.stringMatching(/empty|broken/) });
      for (const file of lost) expect(file).toMatch(/\.attrs$/);
      const isBlocked = [some[""], some[".attrs"], some[".bak.attrs"]].some((one) => one && one !== "whole");
      expect(fault !== undefined).toBe(isBlocked);
    });
  });
});

describe("statePlace", () => {
  const folder = (...parts: string[]) => {
    const root = temporaryFolder();
    const stacks = join(root, ".pulumi", "stacks", ...parts);
    mkdirSync(stacks, { recursive: true });
    return { root, stacks };
  };

  test.each([
    ["in the folder of the project", ["acme"]],
    ["of an older Pulumi", []],
  ])("finds the files: %s", (_, parts) => {
    const { root, stacks } = folder(...parts);
    writeFileSync(join(stacks, "people.json"), "{}");
    writeFileSync(join(stacks, "people.json.attrs"), "");
    writeFileSync(join(stacks, "people.json.bak"), "{");
    const { files } = statePlace({
      backend: `file://${root}?no_tmp_dir=true`,
      project: "acme",
      stack: "people",
    });
    expect(files).toEqual([
      { file: join(stacks, "people.json"), content: "whole" },
      { file: join(stacks, "people.json.attrs"), content: "empty" },
      { file: join(stacks, "people.json.bak"), content: "broken" },
    ]);
  });

  test("finds no files if the backend is no folder, or has no such stack", () => {
    const { root } = folder("acme");
    for (const backend of ["s3://acme", "", `file://${root}`])
      expect(statePlace({ backend, project: "acme", stack: "people" }).files).toEqual([]);
  });

  test("takes the backend that Pulumi is logged in to", () => {
    expect(backendIn('{"user":"ada","url":"file:///state"}')).toBe("file:///state");
    expect(backendIn("")).toBe("");
  });
});
