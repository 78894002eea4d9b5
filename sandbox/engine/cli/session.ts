/** The context of a command: folder, project, backend, stack and its secrets. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Backend, parseStackName, qualifiedName, Selection, type StackName } from "../backend/backend.ts";
import { StackConfig } from "../backend/config.ts";
import { readCurrentCheckpoint } from "../backend/locks.ts";
import { findProjectFile, loadProject, type Project } from "../backend/project.ts";
import { type DeploymentJson, parseCheckpoint, saltOf } from "../deployment/checkpoint.ts";
import { createPaint, type Paint } from "../display/text.ts";
import { pulumiExitCodes, UserError } from "../errors.ts";
import { newSecrets, openSecrets, passphraseFromEnvironment, type SecretsManager } from "../secrets.ts";

/** Options that every command takes. */
export interface GlobalOptions {
  cwd?: string;
  nonInteractive?: boolean;
  color?: string;
  fullyQualifyStackNames?: boolean;
  stack?: string;
  configFile?: string;
}

/** A terminal, where the command can ask a person. */
export interface Terminal {
  /** @param hidden whether the answer is a secret: it is not shown as it is typed */
  ask: (question: string, hidden?: boolean) => Promise<string>;
}

/** Where the command reads and writes; tests pass their own. */
export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
  terminal?: Terminal;
}

export class Session {
  readonly options: GlobalOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  readonly cwd: string;
  #project: Project | undefined;
  readonly #secrets = new Map<string, Promise<SecretsManager>>();

  constructor(options: GlobalOptions, env: NodeJS.ProcessEnv, streams: Streams) {
    this.options = options;
    this.env = env;
    this.streams = streams;
    this.cwd = resolve(options.cwd ?? process.cwd());
    if (!existsSync(this.cwd)) throw new UserError(`chdir ${this.cwd}: no such file or directory`);
  }

  get project(): Project {
    this.#project ??= loadProject(this.cwd);
    return this.#project;
  }

  get backend(): Backend {
    return Backend.open(this.env, this.project);
  }

  /** Known without a project too. */
  get backendUrl(): string {
    const hasProject = findProjectFile(this.cwd) !== undefined;
    return Backend.open(this.env, hasProject ? this.project : { root: this.cwd, backendUrl: undefined }).url;
  }

  get selection(): Selection {
    return new Selection(this.env, this.project, this.backend.url);
  }

  /** The terminal; undefined in a pipe, in CI, and with --non-interactive. */
  get terminal(): Terminal | undefined {
    return this.options.nonInteractive || this.env.CI ? undefined : this.streams.terminal;
  }

  get interactive(): boolean {
    return this.terminal !== undefined;
  }

  get paint(): Paint {
    const { color = "auto" } = this.options;
    if (color !== "auto") return createPaint(color === "always");
    return createPaint(!this.env.NO_COLOR && this.streams.terminal !== undefined);
  }

  line(text = ""): void {
    this.streams.out(`${text}\n`);
  }

  warn = (text: string): void => {
    this.streams.err(`${this.paint("yellow", "warning:")} ${text}\n`);
  };

  /** A stack's name in output: short within its project, whole with --fully-qualify-stack-names. */
  shown(name: StackName): string {
    const short = name.project === this.project.name && !this.options.fullyQualifyStackNames;
    return short ? name.stack : qualifiedName(name);
  }

  parseStackName(text: string): StackName {
    return parseStackName(text, this.project.name);
  }

  /** @throws UserError if there is no such stack */
  #named(text: string): StackName {
    const name = this.parseStackName(text);
    if (!this.backend.exists(name))
      throw new UserError(`no stack named '${text}' found`, pulumiExitCodes.stackNotFound);
    return name;
  }

  /** The stack of PULUMI_STACK, otherwise the selected one, if there is such a stack. */
  currentStack(): StackName | undefined {
    const text = this.env.PULUMI_STACK ?? this.selection.get();
    if (!text) return undefined;
    const name = this.parseStackName(text);
    return this.backend.exists(name) ? name : undefined;
  }

  /** The command's stack: the argument, --stack, PULUMI_STACK or the selected one. */
  stack(named?: string): StackName {
    if (named !== undefined && this.options.stack !== undefined) {
      throw new UserError("only one of --stack or argument stack name may be specified, not both");
    }
    const text = named ?? this.options.stack;
    if (text) return this.#named(text);
    const current = this.currentStack();
    if (current) return current;
    throw new UserError(
      "no stack selected; please use `pulumi stack select` or `pulumi stack init` to choose one",
    );
  }

  config(name: StackName): StackConfig {
    const file = this.options.configFile;
    return new StackConfig(
      this.project,
      name.stack,
      file === undefined ? undefined : resolve(this.cwd, file),
    );
  }

  /** The stack's current state; merges the journal of a killed run into it first. */
  state(name: StackName): DeploymentJson | undefined {
    const text = readCurrentCheckpoint(this.backend, name, this.warn);
    return text === undefined ? undefined : parseCheckpoint(text, this.backend.checkpointFile(name));
  }

  /** The stack's secrets, with the salt of its configuration or its state, otherwise with a new one, which it saves. */
  secrets(name: StackName): Promise<SecretsManager> {
    const known = this.#secrets.get(qualifiedName(name)) ?? this.#openSecrets(name);
    this.#secrets.set(qualifiedName(name), known);
    return known;
  }

  async #openSecrets(name: StackName): Promise<SecretsManager> {
    const config = this.config(name);
    const passphrase = await this.passphrase();
    const stateSalt = saltOf(this.state(name));
    const salt = config.encryptionSalt ?? stateSalt;
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
      if (!this.terminal) throw error;
      return this.terminal.ask("Enter your passphrase to unlock config/secrets: ", true);
    }
  }

  /** Asks for something that the command needs. @param otherwise the error if there is no terminal */
  async ask(question: string, otherwise: string, hidden = false): Promise<string> {
    if (!this.terminal) throw new UserError(otherwise);
    return this.terminal.ask(question, hidden);
  }

  /** Asks before something that cannot be undone: the person confirms by typing the name. */
  async confirm(warning: string, expected: string): Promise<void> {
    const question = `${this.paint("magenta", warning)}\nPlease confirm that this is what you'd like to do by typing \`${expected}\`: `;
    const answer = await this.ask(question, "non-interactive mode requires --yes flag");
    if (answer.trim() !== expected) this.decline("confirmation declined");
  }

  /** Ends the command after a person declined: prints the sentence, and no error. */
  decline(sentence: string): never {
    this.line(sentence);
    throw new UserError("");
  }
}

/** Runs an action with the session that its options ask for. */
export type ActionWrapper = <Options extends GlobalOptions>(
  action: (session: Session, options: Options, args: string[]) => Promise<void> | void,
) => (...args: unknown[]) => Promise<void>;
