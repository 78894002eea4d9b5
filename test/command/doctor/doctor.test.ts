/** What a text of cases cannot say of `orgseat doctor`: time, and the command itself. reports.txt has the rest. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { diagnose } from "../../../command/doctor/doctor.ts";
import { type DoctorReport, doctorReportSchema } from "../../../command/doctor/report.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { isolatedEnvironment } from "../../../sandbox/start/isolated-environment.ts";
import { listenOnLoopback } from "../../setup/loopback.ts";
import { npmPulumi } from "../../setup/npm-pulumi.ts";
import { pulumiCommand, pulumiReady } from "../../setup/project.ts";
import { temporaryFolder } from "../../setup/sandbox.ts";
import { type Environment, rightPlace, without } from "./right-place.ts";

/** Status and text by check; of several of one name the last. */
function checksIn({
  checks,
}: DoctorReport): Record<string, { status: string; text: string; next: string | null }> {
  return Object.fromEntries(checks.map((one) => [one.check, one]));
}
const folder = temporaryFolder;

describe("doctor", () => {
  test("ends in its time with what it found if nothing answers, whatever time the configuration gives a request", async () => {
    const { environment, model } = await rightPlace();
    const address = await listenOnLoopback(createServer(() => undefined));
    const hanging = {
      ...{ ...environment, ...model, ORGSEAT_TIMEOUT: "12h", ORGSEAT_OPERATION_TIMEOUT: "24h" },
      ORGSEAT_ORG_URL: `${address}/api/v1`,
      ORGSEAT_TOKEN_URL: `${address}/token`,
      ORGSEAT_MODEL_URL: `${address}/model/v1`,
    };
    const report = await diagnose({ environment: hanging, folder: folder(), totalMs: 800 });
    expect(checksIn(report)).toMatchObject({
      "token endpoint": { status: "failed" },
      "organization service": { status: "failed" },
      "model area": { status: "failed" },
    });

    const { ORGSEAT_TOKEN_URL = "" } = environment;
    const mixed = { ...hanging, ORGSEAT_TOKEN_URL };
    expect(checksIn(await diagnose({ environment: mixed, folder: folder(), totalMs: 3000 }))).toMatchObject({
      "token endpoint": { status: "ok" },
      administrator: { status: "ok" },
      organization: { status: "failed" },
      "model area": { status: "failed" },
    });
  });

  test.skipIf(process.platform === "win32")(
    "gives a pulumi that hangs its share of the time, and looks at the service by the environment alone",
    async () => {
      const { environment } = await rightPlace();
      const place = folder();
      writeFileSync(join(place, "Pulumi.yaml"), "name: roster\nruntime: nodejs\n");
      // Its child keeps the pipes open when it is killed.
      const script = "#!/bin/sh\n/bin/sleep 30 & /bin/sleep 30\n";
      writeFileSync(join(place, "pulumi"), script, { mode: 0o755 });
      const hanging = { ...environment, ORGSEAT_PULUMI_PATH: join(place, "pulumi") };
      const report = await diagnose({ environment: hanging, folder: place, totalMs: 5000 });
      expect(checksIn(report)).toMatchObject({
        "stack configuration": {
          status: "cannot be checked",
          text: "`pulumi config` failed: pulumi did not finish in time; using environment variables only",
        },
        administrator: { status: "ok" },
      });
    },
  );

  test.skipIf(process.platform === "win32")(
    "downloads nothing: says how to have npm's package download it",
    async () => {
      const npm = npmPulumi("");
      const report = await diagnose({ environment: { ...npm.environment, PATH: "" }, folder: npm.folder });
      expect(checksIn(report)["Pulumi CLI"]).toMatchObject({
        status: "cannot be checked",
        text: `npm's package pulumi downloads it to ${npm.file} when it first runs`,
        next: "run `npx pulumi version`, then `orgseat doctor` again",
      });
      expect(existsSync(npm.file)).toBe(false);
    },
  );
});

/** Runs the command as a person does. */
function orgseat(args: readonly string[], environment: Environment, folder = temporaryFolder()) {
  const launcher = join(packageRoot, "sdk", "bin", "orgseat.js");
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: { PATH: "", ...environment } };
    const child = execFile(process.execPath, [launcher, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (child.exitCode ?? 1), stdout, stderr }),
    );
    onTestFinished(() => void child.kill("SIGKILL"));
  });
}

describe("the command orgseat doctor", () => {
  test("prints lines and exits with 0 where all works, and with --json a report of one form", async () => {
    const { environment } = await rightPlace();
    const words = await orgseat(["doctor"], environment);
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout).toMatch(/^ok {17}organization: /m);
    expect(words.stdout).toMatch(/^No problems found\.$/m);
    const json = await orgseat(["doctor", "--json"], { ...environment, ORGSEAT_PASSWORD: "wrong" });
    expect(json.code).toBe(1);
    expect(doctorReportSchema.parse(JSON.parse(json.stdout)).ok).toBe(false);
  });

  test("reads the stack's configuration in a project, secrets too, by the pulumi of the PATH", {
    tags: "ci",
  }, async () => {
    const { environment, sandbox } = await rightPlace();
    const { service } = sandbox;
    const secrets = [service.seed.password, environment.ORGSEAT_CLIENT_SECRET];
    await pulumiReady();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "Pulumi.yaml"), "name: roster\nruntime: nodejs\n");
    mkdirSync(join(folder, "state"));
    const isolated = isolatedEnvironment(
      { PATH: dirname(pulumiCommand) },
      { folder, passphrase: "for tests", compileCache: join(folder, "compiled"), configuration: {} },
    );
    const run = (...args: string[]) =>
      new Promise<void>((resolve, reject) => {
        execFile(pulumiCommand, args, { cwd: folder, env: isolated }, (error) =>
          error ? reject(error) : resolve(),
        );
      });
    expect((await orgseat(["doctor"], isolated, folder)).stdout, "no stack yet").toMatch(
      /^cannot be checked {2}stack configuration: /m,
    );
    await run("stack", "init", "dev", "--non-interactive");
    const pairs = Object.entries({
      organizationId: environment.ORGSEAT_ORGANIZATION_ID,
      orgUrl: service.orgUrl,
      tokenUrl: service.tokenUrl,
      clientId: environment.ORGSEAT_CLIENT_ID,
    }).flatMap(([key, value]) => ["--plaintext", `orgseat:${key}=${value}`]);
    const secret = ["--secret", `orgseat:clientSecret=${environment.ORGSEAT_CLIENT_SECRET}`];
    await run("config", "set-all", ...pairs, ...secret, "--non-interactive");
    const inside = join(folder, "below");
    mkdirSync(inside);
    const unlocked = await orgseat(["doctor"], { ...isolated, PULUMI_CONFIG_PASSPHRASE: "" }, folder);
    expect(unlocked.code).toBe(1);
    expect(unlocked.stdout).toMatch(
      /^failed +stack configuration: PULUMI_CONFIG_PASSPHRASE is set to an empty text, .* \[empty-passphrase\]$/m,
    );

    await run("config", "set", "orgseat:apikey", "not-shown-either", "--plaintext", "--non-interactive");
    const misspelt = await orgseat(["doctor"], isolated, folder);
    expect(misspelt.code).toBe(1);
    expect(misspelt.stdout).toContain(
      "unknown name orgseat:apikey, which orgseat ignores; did you mean orgseat:apiKey?",
    );
    expect(misspelt.stdout).not.toContain("not-shown-either");
    await run("config", "rm", "orgseat:apikey", "--non-interactive");

    const selected = await orgseat(["doctor"], isolated, folder);
    expect(selected, selected.stdout).toMatchObject({ code: 0, stderr: "" });
    expect(selected.stdout).toContain("stack configuration: 5 orgseat values in the selected stack");
    expect(selected.stdout).toMatch(
      /^ok +service account: the token endpoint accepts clientId and clientSecret;/m,
    );

    await run("config", "set", "orgseat:apiKey", "not-shown-too", "--plaintext", "--non-interactive");
    const plain = await orgseat(["doctor"], isolated, folder);
    expect(plain).toMatchObject({ code: 1, stdout: expect.not.stringContaining("not-shown-too") });
    expect(plain.stdout).toMatch(
      /^failed +stack configuration: orgseat:apiKey is a secret in plain text: .*\n +next: replace the secret in the service, then run `pulumi config set --secret orgseat:apiKey`/m,
    );
    await run("config", "rm", "orgseat:apiKey", "--non-interactive");

    const unknown = await orgseat(["doctor", "--stack", "nobody"], isolated, folder);
    expect(unknown.code).toBe(1);
    expect(unknown.stdout).toMatch(/^failed +stack configuration: /m);
    const alone = await orgseat(
      ["doctor"],
      { ...without(environment, "ORGSEAT_PULUMI_PATH"), PATH: "" },
      inside,
    );
    expect(alone.stdout).toMatch(
      /^failed +stack configuration: no pulumi on the PATH \[missing-pulumi\]\n +next: run `npm install pulumi`, or install/m,
    );
    expect(alone.code).toBe(1);
    const named = { ...isolated, ORGSEAT_PULUMI_PATH: pulumiCommand, PATH: dirname(process.execPath) };
    expect((await orgseat(["doctor"], named, folder)).stdout).toContain(
      "5 orgseat values in the selected stack",
    );
    const gone = await orgseat(
      ["doctor"],
      { ...isolated, ORGSEAT_PULUMI_PATH: join(folder, "pulumi") },
      folder,
    );
    expect(gone.code).toBe(1);
    expect(gone.stdout).toMatch(
      /^failed +stack configuration: cannot use the Pulumi CLI .* does not exist \[missing-pulumi\]$/m,
    );
    for (const secretText of secrets) {
      expect(selected.stdout + unknown.stdout + alone.stdout).not.toContain(secretText);
    }
  });

  test("reads the roster of the folder, or the one that is named, with its errors by line", async () => {
    const { environment } = await rightPlace();
    const folder = temporaryFolder();
    const { ORGSEAT_ORGANIZATION_ID: organizationId = "" } = environment;
    const header = `# organization: ${organizationId}\nemail\n`;
    writeFileSync(join(folder, "people.csv"), `${header}ada@acme.example\nbob@acme.example\n`);
    const bare = without(environment, "ORGSEAT_ORGANIZATION_ID");
    const found = await orgseat(["doctor"], bare, folder);
    expect(found, found.stdout).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toContain("roster: people.csv: 2 people, stack people\n");
    expect(found.stdout).toContain("stack people does not exist yet; `orgseat up` creates it");

    writeFileSync(join(folder, "other.csv"), `${header}ada@\n`);
    const wrong = await orgseat(["doctor", "--roster", "other.csv"], environment, folder);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^failed +roster: other\.csv, line 3, column 1 \(email\): /m);
    const gone = await orgseat(["doctor", "--roster", "gone.csv"], environment, folder);
    expect(gone.stdout).toMatch(/^failed +roster: gone\.csv: no such file/m);
  });

  test("an old Node: one sentence with the required version", async () => {
    const launcher = JSON.stringify(join(packageRoot, "sdk", "bin", "orgseat.js"));
    const script = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.0.0" } });require(${launcher});`;
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, ["-e", script], (_, _stdout, stderr) => resolve(stderr));
    });
    expect(said).toMatch(/^orgseat needs Node 22\.19 or newer, but this is Node 18\.0\.0.*\n$/);
  });
});
