// @module-tag ci
/** examples/token-store: the loop that keeps tokens in a store, and its functions for each store, with programs that stand in for those of the stores. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { type Row, runningOrganization, type TestOrganization } from "../automation/organization.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { page } from "./pages.ts";

const people: readonly Row[] = [
  { key: "ada", email: "ada@acme.example" },
  { key: "builds", purpose: "Linux builds" },
  { key: "guest", email: "guest@acme.example", token: "no" },
];
const FILES = ["loop.sh", "folder.sh", "kubernetes.sh", "vault.sh", "github.sh"];
const FAKE = join(packageRoot, "test/docs/stores.fake.mjs");
const [loop = "", ...stores] = FILES.map((name) => page(`examples/token-store/${name}`));

/** A folder of a job, with the loop, one store, and the programs that it runs. */
class Job {
  readonly acme: TestOrganization;
  readonly store = temporaryFolder();
  readonly #programs = temporaryFolder();

  constructor(acme: TestOrganization, functions: string) {
    this.acme = acme;
    writeFileSync(join(acme.folder, "store.sh"), functions);
    writeFileSync(join(acme.folder, "loop.sh"), loop);
    const npx = `#!/bin/sh\nshift\nexec ${process.execPath} ${join(packageRoot, "sdk/bin/orgseat.js")} "$@"\n`;
    writeFileSync(join(this.#programs, "npx"), npx, { mode: 0o755 });
    for (const name of ["kubectl", "vault", "gh"]) symlinkSync(FAKE, join(this.#programs, name));
  }

  /** @returns the exit code; null if it was killed */
  run(more: Readonly<Record<string, string>> = {}): number | null {
    const { acme, store } = this;
    const environment = acme.variables();
    const { status, stdout, stderr } = spawnSync("bash", ["loop.sh"], {
      cwd: acme.folder,
      env: {
        ...environment,
        PATH: `${this.#programs}:${environment.PATH ?? process.env.PATH}`,
        ...{ STORE: store, FAKE_STORE: join(store, "entries"), ...more },
      },
      encoding: "utf8",
    });
    acme.printed.push(stdout, stderr);
    return status;
  }

  /** All that the store has, a text each. */
  texts(): string[] {
    return readdirSync(this.store).flatMap((name) => {
      const text = readFileSync(join(this.store, name), "utf8");
      return name === "entries" ? textsIn(JSON.parse(text)) : [name, text.trim()];
    });
  }

  text(): string {
    return this.texts().join("\n");
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsIn(part)]);
}

async function tokenOf(acme: TestOrganization, key: string): Promise<string> {
  const file = join(acme.folder, "read.token");
  rmSync(file, { force: true });
  await acme.succeed("token", key, "--out", file);
  return readFileSync(file, "utf8").trim();
}

describe("the loop that keeps tokens in a store", () => {
  test("gives functions for four stores, which docs/tokens.md lists", () => {
    expect(readdirSync(join(packageRoot, "examples/token-store")).toSorted()).toEqual(FILES.toSorted());
    expect(FILES.filter((name) => !page("docs/tokens.md").includes(`\`${name}\``))).toEqual([]);
  });

  test.each(["a folder", "Kubernetes", "Vault", "GitHub"].map((name, index) => [name, index] as const))(
    "writes, rotates, and deletes in %s, and repeats nothing",
    async (_, index) => {
      const acme = await runningOrganization(people);
      const job = new Job(acme, stores[index] ?? "");
      expect(job.run()).toBe(0);
      const first = await tokenOf(acme, "ada");
      const builds = await tokenOf(acme, "builds");
      for (const value of [first, builds]) expect(job.text()).toContain(value);
      const before = job.text();
      expect(job.run({ FAKE_STORE_IS: "read-only" })).toBe(0);
      expect(job.text()).toBe(before);

      await acme.succeed("rotate", "ada", "--yes");
      acme.write(people.slice(0, 1));
      await acme.succeed("up", "--yes");
      expect(job.run()).toBe(0);
      const second = await tokenOf(acme, "ada");
      expect(second).not.toBe(first);
      expect(job.text()).toContain(second);
      for (const value of [first, builds, "builds"]) expect(job.text()).not.toContain(value);
      acme.expectNoSecrets();
    },
  );

  test("finishes what a job that died left out, and deletes the entry of a person who has left since", async () => {
    const acme = await runningOrganization(people);
    const job = new Job(acme, stores[3] ?? "");
    expect(job.run({ FAKE_DEATH: "gh secret set" })).not.toBe(0);
    expect(job.text()).toContain("ada pending");
    expect(job.run()).toBe(0);
    expect(job.text()).toContain(await tokenOf(acme, "ada"));

    await acme.succeed("rotate", "builds", "--yes");
    expect(job.run({ FAKE_DEATH: "gh secret set" })).not.toBe(0);
    acme.write(people.slice(0, 1));
    await acme.succeed("up", "--yes");
    expect(job.run()).toBe(0);
    expect(job.text()).not.toMatch(/builds/i);
  });

  test("serves everybody else if one value is missing, and deletes nothing if no one has a token", async () => {
    const acme = await runningOrganization(people);
    const job = new Job(acme, stores[0] ?? "");
    writeFileSync(
      join(acme.folder, "store.sh"),
      `${stores[0]}\nput() { [ "$1" != ada ] && echo "$2" > "$STORE/$1.issued" && cp "$3" "$STORE/$1.token"; }\n`,
    );
    expect(job.run()).toBe(1);
    expect(readdirSync(job.store).toSorted()).toEqual(["builds.issued", "builds.token"]);
    const empty = join(acme.folder, "empty-state");
    mkdirSync(empty);
    expect(job.run({ PULUMI_BACKEND_URL: `file://${empty}` })).toBe(1);
    expect(readdirSync(job.store).toSorted()).toEqual(["builds.issued", "builds.token"]);
  });
});
