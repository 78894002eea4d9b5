// @module-tag ci
/**
 * The recordings in the documentation, made of what the commands print. `npm run docs` writes them, by `ORGSEAT_TEST_WRITE=1`, and
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
import { drawing, type Texts } from "./drawing.ts";

const ROSTER = `email,purpose,key,team
ada@acme.example,,,core
bob@acme.example,,,core
grace@acme.example,,,data
katherine@acme.example,,,data
,Linux builds,linux-builds,core
`;

/** A command of a screen with its exit code, and what happens before it. */
type Shown = readonly [
  command: string,
  code: number,
  before?: (acme: TestOrganization) => Promise<unknown> | undefined,
];

interface Recording extends Texts {
  readonly file: string;
  readonly prepare: (acme: TestOrganization) => void;
  readonly screens: readonly (readonly Shown[])[];
}

const tour: Recording = {
  file: "docs/tour.svg",
  title: "A roster, its preview, the run, and a removal that orgseat refuses",
  description:
    "Three screens of a terminal. One: a CSV file with four people and a machine user, and the preview that adds them. Two: the run, with the result of each person. Three: the preview that removes Bob, whose row was deleted, and the preview without all people, which the removal limit blocks.",
  prepare: (acme) => {
    writeFileSync(acme.file, `# organization: ${acme.sandbox.organizationId}\n${ROSTER}`);
    acme.environment.ORGSEAT_SEATS = "10";
  },
  screens: [
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
  ],
};

const END = "2030-12-31T23:59:59Z";
const RENEWED = "2031-12-31T23:59:59Z";
const subscribe = (expiresAt: string) => (acme: TestOrganization) =>
  acme.sandbox.service.management.changeSubscription(acme.sandbox.organizationId, { expiresAt });

const firstHour: Recording = {
  file: "docs/pictures/first-hour.svg",
  title: "From an empty folder to the first token, a leaver, a renewal, and a change of a colleague in CI",
  description:
    "Five screens of a terminal. One: a new roster with two people. Two: the run that adds them, and a token in a file. Three: Grace leaves. Four: the subscription runs a year longer, and the token with it. Five: a colleague adds Bob, and CI applies exactly the plan that it has shown.",
  prepare: (acme) => {
    const isOfFile = ([name]: [string, string]) =>
      /^(ORGSEAT_(?!PULUMI_PATH|TEST|SEATS)|PULUMI_(BACKEND_URL|CONFIG_PASSPHRASE))/.test(name);
    const seats = { ORGSEAT_SEATS: "10", ORGSEAT_SUBSCRIPTION_EXPIRES_AT: END };
    const variables = Object.entries({ ...acme.variables(), ...seats }).filter(isOfFile);
    const lines = variables.map(([name, value]) => `${name}=\`${value}\`\n`).join("");
    writeFileSync(join(acme.folder, "orgseat.env"), lines, { mode: 0o600 });
    for (const [name] of variables) acme.environment[name] = "";
  },
  screens: [
    [
      ["orgseat init --yes | tail -n 4", 0, subscribe(END)],
      ["orgseat add ada@acme.example grace@acme.example", 0],
    ],
    [
      ["orgseat up --yes", 0],
      ["orgseat token ada@acme.example --out ada.token", 0],
    ],
    [
      ["orgseat offboard grace@acme.example --by ticket-4711 --yes", 0],
      ["orgseat remove grace@acme.example | tail -n 1", 0],
    ],
    [
      ["sed -i.bak 's/^# subscription: .*/# subscription: 2031-12-31/' people.csv", 0, subscribe(RENEWED)],
      ["orgseat renew --yes", 0],
    ],
    [
      ["orgseat add bob@acme.example | tail -n 1", 0],
      ["orgseat preview --plan plan.json", 0],
      ["orgseat up --plan plan.json --yes", 0],
    ],
  ],
};

/** Values that differ from run to run, with others that do not. */
function withoutChance(output: string, { folder }: TestOrganization): string {
  return output
    .replaceAll(folder, "my-team")
    .replaceAll(/^(.*# roster: )[0-9a-f-]{36}/gm, "$166c4ae57-d039-421a-bb3a-a31e12c11b22")
    .replaceAll(/^(Plan|Wrote plan) [0-9a-f]+/gm, "$1 67b5d4cddd80")
    .replaceAll(
      /--approve [0-9a-f]{16}@\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g,
      "--approve 67b5d4cddd80fdbd@2026-11-24T13:36:04Z",
    );
}

/** Runs one command in the folder of the roster. @returns what the terminal gets, prompt included */
async function run(acme: TestOrganization, [command, code, before]: Shown): Promise<string> {
  await before?.(acme);
  const { folder } = acme;
  const prompt = `\u001b[1m$ ${command}\u001b[0m\n`;
  if (!command.startsWith("orgseat ")) {
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: folder });
    return prompt + stdout;
  }
  const [line = "", last] = command.split(" | tail -n ");
  const environment = acme.variables();
  const ended = await attended(line.split(" ").slice(1), { folder, environment, isColored: true });
  expect(ended.code, ended.stderr + ended.stdout).toBe(code);
  expect((await screenOf(ended.stderr)).trim(), "only the progress line, which is gone").toBe("");
  const shown = withoutChance(ended.stdout, acme).split("\n");
  return prompt + shown.slice(last === undefined ? 0 : -Number(last) - 1).join("\n");
}

describe("a recording in the documentation", () => {
  test.each([tour, firstHour])(
    "$file shows what the commands print; if not, run `npm run docs`",
    async ({ file, prepare, screens, ...texts }) => {
      const acme = await testOrganization({}, undefined, "anaconda");
      prepare(acme);
      const outputs: string[] = [];
      for (const commands of screens) {
        const parts: string[] = [];
        for (const command of commands) parts.push(await run(acme, command));
        outputs.push(parts.join("\n").trimEnd());
      }
      const svg = await drawing(outputs, texts);
      if (process.env.ORGSEAT_TEST_WRITE === "1") writeFileSync(join(packageRoot, file), svg);
      expect(page(file)).toBe(svg);
      expect(svg.length).toBeLessThan(60_000);
      acme.expectNoSecrets({ svg });
    },
  );
});
