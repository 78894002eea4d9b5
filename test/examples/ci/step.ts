/** Runs the script of a step as GitHub's runner does, with commands of the test's own in place of others. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../setup/sandbox.ts";

/** Of a workflow, what the runner needs. A job that calls another workflow has no steps. */
interface Scripts {
  readonly jobs: Readonly<
    Record<string, { readonly steps?: readonly { name?: string | undefined; run?: string | undefined }[] }>
  >;
}

export class Runner {
  /** Where the scripts run. */
  readonly folder = temporaryFolder();
  readonly #commands = temporaryFolder();
  readonly #calls = join(this.#commands, "calls.txt");

  /** @param script what the command does, in sh; its arguments are noted down before */
  command(name: string, script: string): void {
    writeFileSync(join(this.#commands, name), `#!/bin/sh\necho "$*" >> "${this.#calls}"\n${script}\n`, {
      mode: 0o755,
    });
  }

  /** The arguments of each call of a command. */
  get calls(): string[] {
    return existsSync(this.#calls) ? readFileSync(this.#calls, "utf8").trimEnd().split("\n") : [];
  }

  git(folder: string, ...args: readonly string[]): void {
    mkdirSync(join(this.folder, folder), { recursive: true });
    const who = ["-c", "user.name=test", "-c", "user.email=test@acme.example"];
    const { status, stderr } = spawnSync("git", [...who, ...args], {
      cwd: join(this.folder, folder),
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  }

  /** @returns how the step ended, and what it left for later steps and for people */
  run(workflow: Scripts, job: string, step: string, env: Readonly<Record<string, string>> = {}) {
    const script = workflow.jobs[job]?.steps?.find(({ name }) => name === step)?.run;
    if (script === undefined) throw new Error(`there is no step "${step}" in the job ${job}`);
    const files = {
      GITHUB_OUTPUT: join(this.#commands, "output"),
      GITHUB_STEP_SUMMARY: join(this.#commands, "summary"),
    };
    const { status, stdout, stderr } = spawnSync("bash", ["-e", "-c", script], {
      cwd: this.folder,
      encoding: "utf8",
      env: { PATH: `${this.#commands}:${process.env.PATH}`, ...files, ...env },
    });
    const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
    return {
      status,
      stdout,
      stderr,
      output: read(files.GITHUB_OUTPUT),
      summary: read(files.GITHUB_STEP_SUMMARY),
    };
  }
}
