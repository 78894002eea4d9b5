// @module-tag full
/** The command lines of orgseat in the pages work, in the order of each page, on its own organization. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type Row,
  runningOrganization,
  type TestOrganization,
  testOrganization,
} from "../automation/organization.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { type CommandLine, commandLines } from "./command-lines.ts";

const people: readonly Row[] = [
  { email: "ada@acme.example" },
  { email: "bob@acme.example" },
  { key: "linux-builds", purpose: "Linux builds" },
];
const [ada = {}, bob = {}] = people;

/** Stands in the pages for the value of --approve that a preview prints. */
const APPROVAL = "0123456789abcdef@2026-11-21T13:00:00Z";
const previewSchema = z.object({ undecidedOverride: z.string() });
const ASKS = ["up", "renew", "rotate", "offboard", "adopt", "destroy"];

/** What has to be there before a line runs. */
const before: Readonly<Record<string, (acme: TestOrganization) => Promise<void>>> = {
  "npx orgseat up --approve 0123456789abcdef@2026-11-21T13:00:00Z": loseCreation,
};

/** Leaves a creation of the machine user without an answer. */
async function loseCreation(acme: TestOrganization): Promise<void> {
  acme.write([ada, bob]);
  await acme.succeed("up", "--yes");
  await acme.sandbox.service.management.addFaults({ match: { call: 5 }, fault: { kind: "cut-before" } });
  acme.write(people);
  expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 1 });
}

async function run(acme: TestOrganization, { text, words }: CommandLine): Promise<void> {
  await before[text]?.(acme);
  const args = words.slice(words.indexOf("orgseat") + 1);
  if (args.includes(APPROVAL)) {
    const { undecidedOverride } = await acme.json(previewSchema, "preview");
    args.splice(args.indexOf(APPROVAL), 1, undecidedOverride);
  }
  // No one is there to be asked.
  if (ASKS.includes(args[0] ?? "") && !args.includes("--yes")) args.push("--yes");
  // Whoever is in the roster cannot be added.
  const isAdded = (word: string, at: number) => word.includes("@") || args[at - 1] === "--purpose";
  if (args[0] === "add" && args.filter(isAdded).some((name) => acme.read().includes(name))) return;
  if (args.includes("--out")) rmSync(join(acme.folder, "ada.token"), { force: true });
  const { code, stdout, stderr } = await acme.orgseat(...args);
  expect(code, `${text}: ${stdout}${stderr}`).toBe(0);
}

/** Runs a line of Pulumi in the project that orgseat has made. */
async function runPulumi(acme: TestOrganization, { text, words }: CommandLine): Promise<void> {
  const args = words
    .slice(words.indexOf("pulumi") + 1)
    .filter((word) => !/^(--cwd|\.orgseat\/pulumi)$/.test(word));
  const { code, stdout, stderr } = await acme.pulumi(...args);
  expect(code, `${text}: ${stdout}${stderr}`).toBe(0);
}

/** No shell is there to put in the folder. */
function withFolder(line: CommandLine, folder: string): CommandLine {
  return { ...line, words: line.words.map((word) => word.replace("$PWD", folder)) };
}

/** The files of the backend that contain resources. */
function statesIn(acme: TestOrganization): string[] {
  const files = readdirSync(join(acme.folder, "state"), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => readFileSync(path, "utf8").includes("OrgMember"));
}

function linesOf(page: string): CommandLine[] {
  const lines = commandLines(page).filter(({ words }) => words[0] === "npx" && words[1] === "orgseat");
  // `adopt` begins with members whom no state has, and `init` in a folder without a roster.
  return lines.filter(({ words }) => words[2] !== "adopt" && words[2] !== "init");
}

describe("the command lines of orgseat", () => {
  test.each([
    ["README.md"],
    ["docs/commands.md"],
    ["docs/troubleshooting.md"],
    ["docs/tokens.md", "docs/people.md"],
  ])("run as they stand in %s", async (...pages) => {
    const acme = await runningOrganization(people);
    const lines = pages.flatMap(linesOf);
    expect(lines.length).toBeGreaterThan(2);
    const today = new Date().toISOString().slice(0, 10);
    writeFileSync(join(acme.folder, "seen.csv"), `email,last_seen\nada@acme.example,${today}\n`);
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
    const rows = users.flatMap(({ email, userId }) => (email === null ? [] : [`${email},${userId},yes`]));
    writeFileSync(join(acme.folder, "members.csv"), ["email,user_id,seat", ...rows, ""].join("\n"));
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
    for (const line of lines) await runPulumi(acme, line);
  });

  test("back up a state, and move it to another backend", async () => {
    const acme = await runningOrganization(people);
    const before = await acme.sandbox.service.management.snapshot();
    const project = join(acme.folder, ".orgseat", "pulumi");
    const seen: string[] = [];
    for (const line of commandLines("docs/security.md")) {
      const [first = "", verb = ""] = line.words;
      seen.push(`${first} ${verb}`);
      if (first === "pulumi") await runPulumi(acme, withFolder(line, acme.folder));
      else if (first === "rm") rmSync(join(acme.folder, verb));
      else if (first === "export") acme.environment.PULUMI_BACKEND_URL = `file://${temporaryFolder()}`;
      else if (first === "npx") await run(acme, line);
      else expect(line.text).toBe("umask 077");
    }
    expect(seen).toEqual([
      ...["pulumi stack", "umask 077", "pulumi stack", "export PULUMI_BACKEND_URL=s3://acme-orgseat"],
      ...["pulumi stack", "pulumi stack", "rm .orgseat/pulumi/state.json", "npx orgseat"],
    ]);
    expect(readdirSync(project)).not.toContain("state.json");
    const backup = readFileSync(join(acme.folder, "people.state.json"), "utf8");
    expect(backup).toContain("OrgMember");
    acme.expectNoSecrets({ backup });
    // The old backend is not asked any more.
    rmSync(join(acme.folder, "state"), { recursive: true });
    expect(await acme.orgseat("preview")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("No changes"),
    });
    expect(await acme.sandbox.service.management.snapshot()).toEqual(before);
    rmSync(join(acme.folder, "ada.token"), { force: true });
    await acme.succeed("token", "ada@acme.example", "--out", "ada.token");
  });

  test("stop orgseat: nothing changes in the service, and no state remains", async () => {
    const acme = await runningOrganization(people);
    const before = await acme.sandbox.service.management.snapshot();
    expect(before.tokens.filter(({ revoked }) => !revoked)).toHaveLength(people.length);
    expect(statesIn(acme).length).toBeGreaterThan(0);
    const lines = commandLines("docs/decide.md");
    expect(lines.map(({ words }) => words[0])).toEqual(["npx", "pulumi"]);
    for (const line of lines) {
      if (line.words[0] === "npx") await run(acme, line);
      else await runPulumi(acme, line);
    }
    expect(await acme.sandbox.service.management.snapshot()).toEqual(before);
    expect(statesIn(acme)).toEqual([]);
    // A run that someone starts by accident adds no one again.
    const { code, stdout, stderr } = await acme.orgseat("up", "--yes");
    expect([code, stdout + stderr]).toEqual([3, expect.stringContaining("new-stack")]);
    expect(await acme.sandbox.service.management.snapshot()).toEqual(before);
  });
});
