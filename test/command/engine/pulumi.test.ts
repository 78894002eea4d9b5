/** Which `pulumi` an organization is run by, and what is made of its errors. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { PulumiEngine } from "../../../command/engine/pulumi.ts";
import { npmPulumi } from "../../setup/npm-pulumi.ts";
import { program, ScriptedPulumi } from "../../setup/scripted-pulumi.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

const WARNING = "warning: A new version of Pulumi is available.\nwarning: this backend is old\n";
/** A run of the stack. */
const RUN = {
  ...{ stack: "people", program },
  targets: ["urn:pulumi:people::orgseat::orgseat:index:Roster::r"],
};
const NO_STACK = `${WARNING}error: no stack named 'people' found\n`;

describe("ORGSEAT_PULUMI_PATH", () => {
  const engineOf = (named: string) =>
    new PulumiEngine({ folder: temporaryFolder(), environment: { ORGSEAT_PULUMI_PATH: named } });

  test("gives an error if it names what cannot be run, and the pulumi of the PATH does not stand in", () => {
    const folder = temporaryFolder();
    const file = (name: string, mode: number) => {
      writeFileSync(join(folder, name), "#!/bin/sh\n");
      chmodSync(join(folder, name), mode);
      return join(folder, name);
    };
    mkdirSync(join(folder, "a"));
    for (const [named, obstacle] of [
      [join(folder, "gone", "pulumi"), "does not exist"],
      [folder, "is not a file"],
      [file("pulumi", 0o644), "is not executable"],
      [file("pulumi-3.200", 0o755), "must be called pulumi"],
    ] as const) {
      expect(() => engineOf(named)).toThrow(
        `cannot use the Pulumi CLI in ORGSEAT_PULUMI_PATH: ${named} ${obstacle}; correct ORGSEAT_PULUMI_PATH`,
      );
    }
  });

  test("runs the file that it names from the current folder, whatever folder the project is in", async () => {
    const pulumi = new ScriptedPulumi();
    expect(await engineOf(relative("", pulumi.command)).exportStack("people")).toBeUndefined();
    expect(pulumi.calls("stack export")).toHaveLength(1);
  });

  test("reaches the processes of a run as an absolute path: their folder is another one", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.beforePulumi("throw new Error(process.env.ORGSEAT_PULUMI_PATH)");
    const environment = pulumi.environment({ ORGSEAT_PULUMI_PATH: relative("", pulumi.command) });
    const engine = new PulumiEngine({ folder: pulumi.folder, environment });
    const run = engine.run(RUN);
    expect((await run).failure?.text).toBe(pulumi.command);
  });
});

describe.skipIf(process.platform === "win32")("the project of a folder without one", () => {
  test("gets no part of its file on a full disk, so the next command writes it", () => {
    const folder = temporaryFolder();
    const module = import.meta.resolve("../../../command/engine/pulumi.ts");
    const script = `import { PulumiEngine } from ${JSON.stringify(module)};
      new PulumiEngine({ folder: process.argv[1] });`;
    const open = (limit: string) =>
      spawnSync(
        "sh",
        [
          ...["-c", `ulimit -f ${limit}; exec "$0" "$@"`, process.execPath, "--input-type=module"],
          ...["-e", script, folder],
        ],
        { encoding: "utf8" },
      );
    // No file may become larger than nothing.
    expect(open("0").stderr).toContain(`cannot write ${join(folder, ".orgseat", "pulumi")} (EFBIG)`);
    expect(readdirSync(join(folder, ".orgseat", "pulumi"))).toEqual([]);
    expect(open("unlimited")).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(join(folder, ".orgseat", "pulumi"))).toEqual(["Pulumi.yaml"]);
  });
});

describe.skipIf(process.platform === "win32")("the processes of a run", () => {
  /** What a program of the run says. */
  async function said(expression: string, environment: Readonly<Record<string, string>>) {
    const pulumi = new ScriptedPulumi();
    pulumi.beforePulumi(`throw new Error(String(${expression}))`);
    const run = pulumi.engine(environment).run(RUN);
    return (await run).failure?.text;
  }

  test.each([
    ["PULUMI_CONFIG_PASSPHRASE_FILE", "./phrase", resolve("phrase")],
    ["PULUMI_CONFIG_PASSPHRASE_FILE", "/run/phrase", "/run/phrase"],
    ["PULUMI_HOME", "home", resolve("home")],
    ["NODE_EXTRA_CA_CERTS", "../ca.pem", resolve("../ca.pem")],
    ["SSL_CERT_FILE", "ca.pem", resolve("ca.pem")],
    ["PULUMI_BACKEND_URL", "file://./state", `file://${resolve("state")}`],
    ["PULUMI_BACKEND_URL", "file://state?no_tmp_dir=true", `file://${resolve("state")}?no_tmp_dir=true`],
    ["PULUMI_BACKEND_URL", "file:///var/state", "file:///var/state"],
    ["PULUMI_BACKEND_URL", "file://~/state", "file://~/state"],
    ["PULUMI_BACKEND_URL", "file://~", "file://~"],
    ["PULUMI_BACKEND_URL", "file://", "file://"],
    ["PULUMI_BACKEND_URL", "s3://bucket/./state", "s3://bucket/./state"],
  ])("get %s=%s as the path from the folder of the command: %s", async (name, given, absolute) => {
    expect(await said(`process.env.${name}`, { [name]: given })).toBe(absolute);
  });

  test("run the CLI that npm's package has downloaded before the first command, not that package", async () => {
    const scripted = new ScriptedPulumi();
    const npm = npmPulumi(`#!/bin/sh\nexec ${scripted.command} "$@"\n`);
    const path = `${join(npm.folder, "node_modules", ".bin")}:${process.env.PATH}`;
    const environment = scripted.environment({ ...npm.environment, PATH: path });
    const engine = new PulumiEngine({ folder: npm.folder, environment });
    const both = [engine.exportStack("people"), engine.exportStack("people")];
    expect(await Promise.all(both)).toEqual([undefined, undefined]);
    scripted.beforePulumi("throw new Error(process.env.ORGSEAT_PULUMI_PATH)");
    const { failure } = await engine.run(RUN);
    expect(failure?.text).toBe(npm.file);
    expect(npm.starts()).toBe(1);
  });

  test("run no CLI of a folder that is data", async () => {
    const scripted = new ScriptedPulumi();
    const npm = npmPulumi("#!/bin/sh\nexit 1\n");
    const environment = { ...npm.environment, PATH: `${scripted.folder}:${process.env.PATH}` };
    const engine = new PulumiEngine({ folder: npm.folder, environment });
    expect(await engine.exportStack("people")).toBeUndefined();
    expect(scripted.calls("stack export")).toHaveLength(1);
  });

  test("find the Node of the command first on the PATH, whatever is first there", async () => {
    const [old, cache] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(old, "node"), "#!/bin/sh\necho v12.0.0\n", { mode: 0o755 });
    const expression = `(await import("node:child_process")).execFileSync("node", ["--version"])`;
    const environment = { PATH: `${old}:${process.env.PATH}`, XDG_CACHE_HOME: cache };
    for (const _ of ["first run", "second run"])
      expect((await said(expression, environment))?.trim()).toBe(process.version);
  });
});

describe("a pulumi that warns before its error", () => {
  test("gives no state and no configuration for a stack that does not exist", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("stack", NO_STACK);
    pulumi.fail("config", NO_STACK);
    expect(await pulumi.engine().exportStack("people")).toBeUndefined();
    expect(await pulumi.engine().configOf("people")).toEqual(new Map());
  });

  test("names the backup of a state that was cut off by a full disk", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("stack", "error: failed to load checkpoint: place 1: unexpected end of JSON input\n");
    await expect(pulumi.engine().exportStack("people")).rejects.toThrow(
      /unexpected end of JSON input: A run that ends while the disk is full leaves such a state\. To go on, copy people\.json\.bak, the previous state, over people\.json in .*, then run the command again$/,
    );
  });

  test("fails with that error", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("stack", `${WARNING}error: you are not logged in\n`);
    await expect(pulumi.engine().exportStack("people")).rejects.toThrow(/ you are not logged in$/);
  });

  test("fails a run with that error", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("up", `${WARNING}error: the backend is gone\n`);
    const { failure } = await pulumi.engine().run(RUN);
    expect(failure).toEqual({ code: "pulumi-failed", text: "the backend is gone" });
  });
});

test("a Pulumi that is killed fails its run without its command line", async () => {
  const pulumi = new ScriptedPulumi();
  const stderr = "Command was killed with SIGKILL (Forced termination): pulumi up --yes --event-log x";
  pulumi.beforePulumi(`throw new Error(${JSON.stringify(` stderr: ${stderr}\n err?: Error: ${stderr}\n`)})`);
  expect((await pulumi.engine().run(RUN)).failure?.text).toBe(
    "Pulumi was killed (SIGKILL). The state may lack the last changes; the next run finds them",
  );
});

describe("the messages of a run", () => {
  const secret = (value: unknown) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    plaintext: JSON.stringify(value),
  });
  const outputs = { token: secret("t0ken-1f9c"), credentials: secret({ clientSecret: "cl1ent-77aa" }) };
  const state = { version: 3, deployment: { resources: [{ urn: "u", type: "t", outputs }] } };
  const runOf = async (pulumi: ScriptedPulumi, text: string, more?: Record<string, string>) => {
    pulumi.beforePulumi(`throw new Error(${JSON.stringify(text)})`);
    const engine = pulumi.engine(more);
    await engine.exportWithSecrets("people");
    return (await engine.run(RUN)).failure?.text;
  };
  const secrets = {
    ORGSEAT_CLIENT_SECRET: "cl1ent-5ecret",
    ORGSEAT_PASSWORD: "pa55-of-admin",
    ORGSEAT_API_KEY: "k3y-of-models",
    PULUMI_CONFIG_PASSPHRASE: "phr4se of it",
    VAULT_TOKEN: "hvs.0123456789",
  };
  const environment = { ...secrets, ORGSEAT_PROXY: "http://me:pr0xy-word@proxy.acme.example:3128" };

  test("show no secrets of a state that was read, in no spelling", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.store(state);
    const inBase64 = Buffer.from("t0ken-1f9c").toString("base64");
    expect(await runOf(pulumi, `sent t0ken-1f9c (${inBase64}) with cl1ent-77aa to Ada`)).toBe(
      "sent [removed] ([removed]) with [removed] to Ada",
    );
  });

  test.each([...Object.values(secrets), "pr0xy-word"])(
    "show no credential of the environment: %s",
    async (value) => {
      const pulumi = new ScriptedPulumi();
      pulumi.store(state);
      const inBase64 = Buffer.from(value).toString("base64");
      expect(await runOf(pulumi, `the store got ${value} (${inBase64})`, environment)).toBe(
        "the store got [removed] ([removed])",
      );
      pulumi.fail("stack", `error: the backend says ${value}\n`);
      await expect(pulumi.engine(environment).exportStack("people")).rejects.toThrow(
        "cannot read the state of stack people: the backend says [removed]",
      );
    },
  );

  test("show names of people and settings that are no secrets", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.store(state);
    const plain = {
      ORGSEAT_TOKEN_URL: "https://acme.example/token",
      ORGSEAT_REQUIRE_SEALED_TOKENS: "true",
      MY_KEY: "short",
    };
    const text = "https://acme.example/token is required, in short";
    expect(await runOf(pulumi, text, plain)).toBe(text);
  });

  test("show no secret of the configuration, once it is read", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.configure({
      "orgseat:clientSecret": { value: "c0nfig-secret", secret: true },
      "orgseat:orgUrl": { value: "https://acme.example" },
    });
    const engine = pulumi.engine();
    expect((await engine.configOf("people")).get("orgseat:clientSecret")).toBe("c0nfig-secret");
    pulumi.fail("stack", "error: https://acme.example refused c0nfig-secret\n");
    await expect(engine.exportStack("people")).rejects.toThrow(/https:\/\/acme.example refused \[removed\]$/);
  });
});

describe("an empty passphrase", () => {
  const folder = "file:///state";
  const cloud = "https://api.pulumi.com";
  const stateOf = (type?: string) => ({
    version: 3,
    deployment: type === undefined ? {} : { secrets_providers: { type } },
  });

  test.each([
    ["a folder", folder, undefined, true],
    ["a bucket", "s3://acme-state", undefined, true],
    ["Pulumi Cloud", cloud, undefined, false],
    ["the default of a folder", folder, "default", true],
    ["a key service", folder, "awskms://alias/acme", false],
    ["a passphrase in Pulumi Cloud", cloud, "passphrase", true],
  ])("creates no stack with %s, if that takes one", async (_, backend, provider, isRefused) => {
    const pulumi = new ScriptedPulumi();
    pulumi.useBackend(backend);
    const engine = pulumi.engine({ PULUMI_CONFIG_PASSPHRASE: "" }, provider);
    const run = await engine.run({ ...RUN, isNew: true });
    expect(run.failure?.code === "empty-passphrase").toBe(isRefused);
    expect(pulumi.calls("stack init")).toHaveLength(isRefused ? 0 : 1);
  });

  test.each([
    ["a passphrase", "passphrase", cloud, true],
    ["a key service", "cloud", folder, false],
    ["Pulumi Cloud", "service", cloud, false],
    ["nothing yet, in a folder", undefined, folder, true],
    ["nothing yet, in Pulumi Cloud", undefined, cloud, false],
  ])("opens no state that is encrypted with %s, if that takes one", async (_, type, backend, isRefused) => {
    const pulumi = new ScriptedPulumi();
    pulumi.useBackend(backend);
    pulumi.store(stateOf(type));
    const engine = pulumi.engine({ PULUMI_CONFIG_PASSPHRASE: "" });
    expect(await engine.exportStack("people"), "encrypted").toEqual(stateOf(type));
    const exported = engine.exportWithSecrets("people");
    if (isRefused) await expect(exported).rejects.toMatchObject({ code: "empty-passphrase" });
    else expect(await exported).toEqual(stateOf(type));
    expect(pulumi.calls("stack export --show-secrets")).toHaveLength(isRefused ? 0 : 1);
    const run = await engine.run(RUN);
    expect(run.failure?.code === "empty-passphrase").toBe(isRefused);
    expect(pulumi.calls("up")).toHaveLength(isRefused ? 0 : 1);
  });

  test("explains a configuration that Pulumi cannot decrypt", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("config", "error: incorrect passphrase\n");
    await expect(pulumi.engine({ PULUMI_CONFIG_PASSPHRASE: "" }).configOf("people")).rejects.toThrow(
      "cannot read the configuration of stack people: PULUMI_CONFIG_PASSPHRASE is set to an empty text, so everyone who gets the state could read its tokens. To go on, set PULUMI_CONFIG_PASSPHRASE, or unset it and set PULUMI_CONFIG_PASSPHRASE_FILE to a file. In CI, check that the secret exists",
    );
  });
});

describe("a folder with another release of orgseat", () => {
  test("stops a run before it starts: program and provider must be of one release", () => {
    const pulumi = new ScriptedPulumi();
    const installed = join(pulumi.folder, "node_modules", "orgseat");
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "orgseat", version: "99.0.1" }));
    const { version }: { version: string } = createRequire(import.meta.url)("orgseat/package.json");
    expect(() => pulumi.engine()).toThrow(
      `${installed} has orgseat 99.0.1, but this command is orgseat ${version}. Run \`npx orgseat\` in that folder`,
    );
    expect(pulumi.calls("")).toEqual([]);
    writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "orgseat", version }));
    expect(() => pulumi.engine()).not.toThrow();
  });
});
