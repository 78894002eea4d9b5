/** What every command starts from: the folder, the project, the backend, the stack, its secrets. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Backend, parseStackName, Selection, type StackName } from "../backend.ts";
import { StackConfig } from "../config.ts";
import { type DeploymentJson, parseCheckpoint, saltOf } from "../deployment/checkpoint.ts";
import { type Paint, painter } from "../display/text.ts";
import { exitCodes, UserError } from "../errors.ts";
import { readState } from "../locks.ts";
import { loadProject, type Project } from "../project.ts";
import { newSecrets, openSecrets, passphraseFromEnvironment, type SecretsManager } from "../secrets.ts";

/** Options that every command takes. */
export interface GlobalOptions {
  cwd?: string;
  nonInteractive?: boolean;
  color?: string;
  stack?: string;
  configFile?: string;
}

/** Where the command reads and writes; tests give their own. */
export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

export class Session {
  readonly options: GlobalOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  readonly cwd: string;
  #project: Project | undefined;
  #secrets: Promise<SecretsManager> | undefined;

  constructor(options: GlobalOptions, env: NodeJS.ProcessEnv, streams: Streams) {
    this.options = options;
    this.env = env;
    this.streams = streams;
    this.cwd = resolve(options.cwd ?? process.cwd());
    if (!existsSync(this.cwd))
      throw new UserError(`could not change to the folder ${this.cwd}: there is none`);
  }

  get project(): Project {
    this.#project ??= loadProject(this.cwd);
    return this.#project;
  }

  /** The project, where there is one. */
  get projectIfAny(): Project | undefined {
    try {
      return this.project;
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }

  get backend(): Backend {
    return Backend.open(this.env, this.projectIfAny, this.cwd);
  }

  get selection(): Selection {
    return new Selection(this.env, this.project);
  }

  get interactive(): boolean {
    return (
      this.options.nonInteractive !== true && process.stdin.isTTY === true && process.stdout.isTTY === true
    );
  }

  get colored(): boolean {
    if (this.options.color === "always") return true;
    if (this.options.color === "never" || this.options.color === "raw" || this.env.NO_COLOR) return false;
    return process.stdout.isTTY === true;
  }

  get paint(): Paint {
    return painter(this.colored);
  }

  line(text = ""): void {
    this.streams.out(`${text}\n`);
  }

  warn = (text: string): void => {
    this.streams.err(`${this.paint("yellow", "warning:")} ${text}\n`);
  };

  /** The stack a command is about: named, from PULUMI_STACK, or selected. It must exist. */
  stack(named?: string): StackName {
    const text = named ?? this.options.stack ?? this.env.PULUMI_STACK ?? this.selection.get();
    if (!text) {
      throw new UserError(
        "no stack selected; please use `pulumi stack select` or `pulumi stack init` to choose one",
      );
    }
    const name = parseStackName(text, this.project.name);
    if (!this.backend.exists(name))
      throw new UserError(`no stack named '${name.stack}' found`, exitCodes.stackNotFound);
    return name;
  }

  config(name: StackName): StackConfig {
    const file = this.options.configFile;
    return new StackConfig(
      this.project,
      name.stack,
      file === undefined ? undefined : resolve(this.cwd, file),
    );
  }

  /** The stack's state as of now; what a run that was killed has left is merged into it first. */
  state(name: StackName): DeploymentJson | undefined {
    const text = readState(this.backend, name, this.warn);
    return text === undefined ? undefined : parseCheckpoint(text);
  }

  /** The stack's secrets: by the salt of its configuration or its state, else by a new one that is saved. */
  secrets(name: StackName): Promise<SecretsManager> {
    this.#secrets ??= this.#openSecrets(name);
    return this.#secrets;
  }

  async #openSecrets(name: StackName): Promise<SecretsManager> {
    const config = this.config(name);
    const passphrase = await this.passphrase();
    const salt = config.encryptionSalt ?? saltOf(this.state(name));
    const secrets = salt === undefined ? await newSecrets(passphrase) : await openSecrets(salt, passphrase);
    if (config.encryptionSalt === undefined) {
      const fresh = this.config(name);
      fresh.encryptionSalt = secrets.salt;
      fresh.save();
    }
    return secrets;
  }

  async passphrase(): Promise<string> {
    try {
      return passphraseFromEnvironment(this.env);
    } catch (error) {
      if (!this.interactive) throw error;
      return this.ask("Enter your passphrase to unlock config/secrets: ");
    }
  }

  async ask(question: string): Promise<string> {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  }

  /** Asks for a word that stands for yes; refuses where nobody can answer. */
  async confirm(question: string, expected: string): Promise<void> {
    const answer = await this.ask(`${question} `);
    if (answer.trim() !== expected) throw new UserError("confirmation declined", exitCodes.cancelled);
  }
}

/** Runs an action with the session that its options ask for. */
export type Act = <Options extends GlobalOptions>(
  action: (session: Session, options: Options, args: string[]) => Promise<void> | void,
) => (...args: unknown[]) => Promise<void>;
