// @module-tag ci
import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { attended } from "../command/cli/attended.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { temporaryFolder } from "../setup/sandbox.ts";

/** A copy of the root program, in a folder of the test's own. */
function project(): string {
  const folder = temporaryFolder();
  for (const name of ["index.ts", "Pulumi.yaml"]) copyFileSync(join(packageRoot, name), join(folder, name));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "acme", type: "module", private: true }),
  );
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function sandboxCommand(verb: "start" | "reset", folder: string, environment: Record<string, string> = {}) {
  const launcher = join(packageRoot, "sandbox", "bin", "orgseat-sandbox.js");
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [launcher, verb, "--project", folder],
      { env: { ...process.env, ...environment } },
      (error, stdout, stderr) => resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
    onTestFinished(() => void child.kill("SIGKILL"));
  });
}

test("npm start applies the roster, reports no changes, applies an edited roster, and reset removes everything", async () => {
  const folder = project();
  const elsewhere = await InterceptingProxy.before("http://127.0.0.1:9");
  const caller = {
    ORGSEAT_ORG_URL: `${elsewhere.address}/api/v1`,
    ORGSEAT_TOKEN_URL: `${elsewhere.address}/token`,
    ORGSEAT_CLIENT_ID: "of-the-caller",
    ORGSEAT_CLIENT_SECRET: "of-the-caller",
    PULUMI_BACKEND_URL: elsewhere.address,
    PULUMI_CONFIG_PASSPHRASE: "of-the-caller",
  };

  const first = await sandboxCommand("start", folder, caller);
  expect(first.code, first.output).toBe(0);
  expect(first.output.split("\n")[0]).toMatch(/^Pulumi CLI v\d+\.\d+\.\d+ \(\/.+\)$/);
  for (const who of ["ada", "grace", "katherine", "margaret", "radia"]) {
    expect(first.output).toMatch(
      new RegExp(`│ ${who}@acme.example +│ yes  │ \\d{4}-\\d\\d-\\d\\dT23:59:59Z │ confirmed │ +\\d+ │`),
    );
  }
  expect(first.output).toMatch(/│ Linux builds .*│ yes/);
  expect(first.output).toMatch(/│ macOS builds .*│ yes/);
  expect(first.output).toContain("Done.");
  expect(first.output.split("\n").length, "a screen of lines").toBeLessThan(40);

  const second = await sandboxCommand("start", folder, caller);
  expect(second.code).toBe(0);
  expect(second.output).toContain("No changes.");

  const program = join(folder, "index.ts");
  const roster = readFileSync(program, "utf8");
  writeFileSync(
    program,
    `${roster
      .replace(/\s*"grace@acme\.example",/, "")
      .replace('"macOS builds"', '"Windows builds"')
      .replace("token: {}", 'token: email.startsWith("ada") ? { rotation: 1 } : {}')}
import { getModelServers } from "orgseat";
// The model area is configured too.
export const servers = await getModelServers();
`,
  );
  const edited = await sandboxCommand("start", folder, caller);
  expect(edited.code).toBe(0);
  expect(edited.output).toMatch(/ {2}grace@acme\.example +revoke token, remove seat, remove user\n/);
  const rotations = edited.output.match(/.*rotation changed.*/g);
  expect(rotations).toEqual([
    expect.stringMatching(/^ {2}ada@acme\.example +.*revoke token.*issue token.*rotation changed/),
  ]);
  expect(edited.output).toMatch(/ {2}Windows builds +add user, assign seat, issue token\n/);
  expect(edited.output).not.toMatch(/│ grace@/);
  expect(edited.output).toMatch(/│ Windows builds/);

  writeFileSync(program, "// Nobody is left.\n");
  const emptied = await sandboxCommand("start", folder, caller);
  expect(emptied.code, "the removal limit of the product").toBe(1);
  expect(emptied.output).toContain("[removal-limit]");
  expect([...emptied.output.matchAll(/^ {2}done .*(@|builds)/gm)].length).toBeLessThanOrEqual(3);

  rmSync(join(folder, ".orgseat", "service"), { recursive: true });
  const mismatch = await sandboxCommand("start", folder, caller);
  expect(mismatch.code).toBe(1);
  expect(mismatch.output.trim().split("\n").at(-1)).toMatch(
    /^The state in \.orgseat does not match .*`npm run reset`/,
  );

  expect(await sandboxCommand("reset", folder)).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, ".orgseat"))).toBe(false);
  expect(elsewhere.passed, "nothing of the caller's environment is used").toEqual([]);
  expect(readdirSync(folder).toSorted(), "all that is kept lies in .orgseat").toEqual([
    "Pulumi.yaml",
    "index.ts",
    "node_modules",
    "package.json",
  ]);
});

test("npm start asks at a terminal before it applies, and a no changes nothing", async () => {
  const folder = project();
  const place = { folder, environment: {}, main: "sandbox/cli.ts" };
  const no = await attended(["start", "--project", folder], { ...place, answers: ["no"] });
  expect(no, no.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ {2}ada@acme\.example +add user, [\s\S]*No changes were made\.\n$/),
    stderr: expect.stringContaining("Apply these changes? [y/N]"),
  });
  const yes = await attended(["start", "--project", folder], { ...place, answers: ["yes"] });
  expect(yes, yes.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Applying:\n[\s\S]* {2}done {2}ada@acme\.example\n/),
  });
});
