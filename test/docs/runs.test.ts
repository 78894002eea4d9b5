// @module-tag full
/** The command lines of orgseat in the pages work, in the order of each page, on its own organization. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Row,
  runningOrganization,
  type TestOrganization,
  testOrganization,
} from "../automation/organization.ts";
import { type CommandLine, commandLines } from "./command-lines.ts";

const people: readonly Row[] = [
  { email: "ada@acme.example" },
  { email: "bob@acme.example" },
  { key: "linux-builds", purpose: "Linux builds" },
];
const [ada = {}, bob = {}] = people;

/** Stands in the pages for a user id that the service gives. */
const USER_ID = "7a1f2c3d";
const ASKS = ["up", "renew", "rotate", "offboard", "adopt", "destroy"];

/** What has to be there before a line runs. */
const before: Readonly<Record<string, (acme: TestOrganization) => Promise<void>>> = {
  "npx orgseat resolve linux-builds --exists 7a1f2c3d": loseCreation,
  "npx orgseat resolve linux-builds --missing": loseCreation,
};

/** Leaves a creation of the machine user without an answer. */
async function loseCreation(acme: TestOrganization): Promise<void> {
  acme.write([ada, bob]);
  expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
  await acme.sandbox.service.management.addFaults({ match: { call: 5 }, fault: { kind: "cut-after" } });
  acme.write(people);
  expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 1 });
}

async function run(acme: TestOrganization, { text, words }: CommandLine): Promise<void> {
  await before[text]?.(acme);
  const { users } = await acme.sandbox.service.management.snapshot();
  const made = users.findLast(({ email }) => email === null)?.userId ?? "";
  const args = words.slice(words.indexOf("orgseat") + 1).map((word) => word.replace(USER_ID, made));
  // No one is there to be asked.
  if (ASKS.includes(args[0] ?? "") && !args.includes("--yes")) args.push("--yes");
  if (args.includes("--out")) rmSync(join(acme.folder, "ada.token"), { force: true });
  const { code, stdout, stderr } = await acme.orgseat(...args);
  expect(code, `${text}: ${stdout}${stderr}`).toBe(0);
}

function linesOf(page: string): CommandLine[] {
  const lines = commandLines(page).filter(({ words }) => words[0] === "npx" && words[1] === "orgseat");
  // `adopt` begins with members whom no state has, and `init` in a folder without a roster.
  return lines.filter(({ words }) => words[2] !== "adopt" && words[2] !== "init");
}

describe("the command lines of orgseat", () => {
  test.each([
    ["README.md"],
    ["docs/quickstart-roster.md"],
    ["docs/commands.md"],
    ["docs/troubleshooting.md"],
    ["docs/tokens.md", "docs/audit.md", "docs/people.md"],
  ])("run as they stand in %s", async (...pages) => {
    const acme = await runningOrganization(people);
    const lines = pages.flatMap(linesOf);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) await run(acme, line);
  });

  test("adopt members", async () => {
    const lines = commandLines("docs/commands.md").filter(({ words }) => words[2] === "adopt");
    expect(lines).toHaveLength(1);
    const old = await runningOrganization(people);
    const { users } = await old.sandbox.service.management.snapshot();
    await old.close();
    const acme = await testOrganization({}, old.dataFolder);
    acme.write([]);
    const rows = users.flatMap(({ email, userId }) => (email === null ? [] : [`${email},${userId}`]));
    writeFileSync(join(acme.folder, "members.csv"), ["email,user_id", ...rows, ""].join("\n"));
    for (const line of lines) await run(acme, line);
    expect(acme.read()).toContain("ada@acme.example");
  });

  test("help with a stack whose run has died", async () => {
    const acme = await runningOrganization(people);
    const lines = commandLines("docs/troubleshooting.md").filter(({ words }) =>
      words.includes(".orgseat/pulumi"),
    );
    expect(lines).toHaveLength(1);
    expect(existsSync(join(acme.folder, ".orgseat/pulumi/Pulumi.yaml"))).toBe(true);
    for (const { text, words } of lines) {
      const args = words
        .slice(words.indexOf("pulumi") + 1)
        .filter((word) => !/^(--cwd|\.orgseat\/pulumi)$/.test(word));
      const { code, stdout, stderr } = await acme.pulumi(...args);
      expect(code, `${text}: ${stdout}${stderr}`).toBe(0);
    }
  });
});
