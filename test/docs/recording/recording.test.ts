// @module-tag ci
/**
 * The recording in README.md, made of what the commands print. `npm run docs` writes it, by `ORGSEAT_TEST_WRITE=1`, and
 * otherwise the test compares.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { type TestOrganization, testOrganization } from "../../automation/organization.ts";
import { attended } from "../../command/cli/attended.ts";
import { screenOf } from "../../setup/screen.ts";
import { page } from "../pages.ts";
import { drawing } from "./drawing.ts";

const FILE = "docs/tour.svg";

const ROSTER = `email,purpose,key,team
ada@acme.example,,,core
bob@acme.example,,,core
grace@acme.example,,,data
katherine@acme.example,,,data
,Linux builds,linux-builds,core
`;

/** The commands of each screen, with their exit codes. */
const SCREENS: readonly (readonly (readonly [command: string, code: number])[])[] = [
  [
    ["cat people.csv", 0],
    ["orgseat preview", 0],
  ],
  [["orgseat up --yes", 0]],
  [
    ["sed -i.bak '/bob@/d' people.csv", 0],
    ["orgseat preview", 0],
    ["sed -i.bak '/@/d' people.csv", 0],
    ["orgseat preview", 3],
  ],
];

const TEXTS = {
  title: "A roster, its preview, the run, and a removal that orgseat refuses",
  description:
    "Three screens of a terminal. One: a CSV file with four people and a machine user, and the preview that adds them. Two: the run, with the result of each person. Three: the preview that removes Bob, whose row was deleted, and the preview without all people, which the removal limit blocks.",
};

/** Values that differ from run to run, with others that do not. */
function withoutChance(output: string): string {
  return output
    .replaceAll(/^(.*# roster: )[0-9a-f-]{36}/gm, "$166c4ae57-d039-421a-bb3a-a31e12c11b22")
    .replaceAll(
      /--approve [0-9a-f]{16}@\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g,
      "--approve 67b5d4cddd80fdbd@2026-11-24T13:36:04Z",
    );
}

/** Runs one command in the folder of the roster. @returns what the terminal gets, prompt included */
async function run(acme: TestOrganization, command: string, code: number): Promise<string> {
  const { folder } = acme;
  const prompt = `\u001b[1m$ ${command}\u001b[0m\n`;
  if (!command.startsWith("orgseat ")) {
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: folder });
    return prompt + stdout;
  }
  const environment = acme.variables();
  const ended = await attended(command.split(" ").slice(1), { folder, environment, isColored: true });
  expect(ended.code, ended.stderr).toBe(code);
  expect((await screenOf(ended.stderr)).trim(), "only the progress line, which is gone").toBe("");
  return prompt + withoutChance(ended.stdout);
}

describe("the recording in README.md", () => {
  test("shows what the commands print; if not, run `npm run docs`", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    writeFileSync(acme.file, `# organization: ${acme.sandbox.organizationId}\n${ROSTER}`);
    acme.environment.ORGSEAT_SEATS = "10";
    const outputs: string[] = [];
    for (const commands of SCREENS) {
      const parts: string[] = [];
      for (const [command, code] of commands) parts.push(await run(acme, command, code));
      outputs.push(parts.join("\n").trimEnd());
    }
    const svg = await drawing(outputs, TEXTS);
    if (process.env.ORGSEAT_TEST_WRITE === "1") writeFileSync(join(packageRoot, FILE), svg);
    expect(page(FILE)).toBe(svg);
    expect(svg.length).toBeLessThan(60_000);
    acme.expectNoSecrets({ svg });
  });
});
