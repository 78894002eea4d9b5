/** Plays a story: each command line as the command itself reads it, on an engine of level R. */
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { onTestFinished, vi } from "vitest";
import { main } from "../../../command/cli/main.ts";
import { outcomeWithout } from "../../../command/engine/engine.ts";
import { PulumiEngine } from "../../../command/engine/pulumi.ts";
import { CodedError } from "../../../provider/util/error-codes.ts";
import type { LoggedRequest, PlatformName } from "../../../sandbox/service/index.ts";
import { DirectEngine } from "../../setup/direct-engine.ts";
import { repeatableIds } from "../../setup/sandbox.ts";
import { directFixture, Fixture } from "../fixture.ts";
import { machineChanges, OFFBOARDED, START, setTime } from "./machine.ts";
import { Masks } from "./masks.ts";
import { csvOf, fieldsIn, peopleIn, wordsIn } from "./people.ts";
import { type Change, END, serviceChanges } from "./service.ts";
import { linesOf, variablesOf, withoutUsual } from "./shown.ts";
import type { Story } from "./stories.ts";
import { sitDown } from "./terminal.ts";

const RUNS = /^(preview|up|renew|rotate|offboard|adopt|destroy)$/;
type Question = (rest: string) => Promise<readonly string[]>;

export class Play {
  readonly #fixture: Fixture;
  readonly #masks = new Masks();
  readonly #changes: Readonly<Record<string, Change>>;
  #engine: DirectEngine;
  #backup: DirectEngine | undefined;
  #isDamaged = false;
  /** What becomes of the next run of Pulumi. */
  #ending: "killed" | "fails" | undefined;
  /** The last value for --approve that was printed. */
  #code = "";
  /** The id of the roster, as the first run writes it. */
  #rosterId = "";
  /** Those of the last command. */
  #requests: readonly LoggedRequest[] = [];
  /** What the command prints. */
  #printed: string[] = [];
  /** What a person answers at the terminal, and the lines that are played while the next question waits. */
  #answers: string[] = [];
  #meanwhile: string[] = [];
  #isAsked = false;

  private constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.#engine = fixture.engine;
    this.#changes = {
      ...serviceChanges(fixture, this.#masks),
      ...machineChanges(fixture.file),
      ...this.#ownChanges,
    };
  }

  static async of({ setting }: Story): Promise<Play> {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(START) });
    const seats = Number(/\d+/.exec(setting)?.[0] ?? 100);
    const platform: PlatformName = setting.includes("anaconda") ? "anaconda" : "basic";
    const newId = repeatableIds(0);
    const { sandbox, file, ...made } = await directFixture(seats, platform, Date.now, { newId });
    await sandbox.service.management.setSwitches({ dateHeader: "clock" });
    const environment = { ...made.environment, ORGSEAT_SUBSCRIPTION_EXPIRES_AT: END };
    const engine = new DirectEngine(environment, Date.now);
    const play = new Play(new Fixture(sandbox, { engine, environment, file }));
    play.#enter();
    await play.line(`time ${START}`);
    await play.line(`subscription ${END}`);
    return play;
  }

  /** @returns what came of a line */
  async line(text: string): Promise<readonly string[]> {
    const [word = ""] = text.split(" ", 1);
    const rest = this.#withIds(text.slice(word.length + 1));
    const question = this.#questions[word];
    const change = this.#changes[word];
    if (question === undefined && change === undefined) throw new Error(`no such line: ${text}`);
    await change?.(rest);
    const came = (await question?.(rest)) ?? [];
    await this.#look();
    return came.map((one) => this.#masks.text(one));
  }

  /** The process is in the folder of the roster, with the variables of the service, and Pulumi is the engine of level R. */
  #enter(): void {
    const [before, variables] = [process.cwd(), new Set(Object.keys(process.env))];
    process.chdir(dirname(this.#fixture.file));
    for (const [name, value] of Object.entries(this.#fixture.environment)) vi.stubEnv(name, value);
    const engine = PulumiEngine.prototype;
    vi.spyOn(engine, "run").mockImplementation(async (...run) => {
      if (this.#ending === "killed") throw new Error("killed");
      if (this.#ending === undefined) return this.#engine.run(...run);
      return outcomeWithout(run[0].stack, { code: "pulumi-failed", text: "the passphrase is wrong" });
    });
    const exported = async (stack: string) => {
      if (this.#isDamaged)
        throw new CodedError("invalid-state", "cannot read the state of stack people: EOF");
      return this.#engine.exportStack(stack);
    };
    vi.spyOn(engine, "exportStack").mockImplementation(exported);
    vi.spyOn(engine, "exportWithSecrets").mockImplementation(exported);
    vi.spyOn(engine, "clearStack").mockImplementation((stack) => this.#engine.clearStack(stack));
    vi.spyOn(engine, "configOf").mockResolvedValue(new Map());
    onTestFinished(() => {
      process.chdir(before);
      process.exitCode = undefined;
      vi.useRealTimers();
      vi.unstubAllEnvs();
      // The command takes those of a file into its process.
      for (const name of Object.keys(process.env)) if (!variables.has(name)) delete process.env[name];
      vi.restoreAllMocks();
    });
  }

  /** Notes who is at the service. */
  async #look(): Promise<void> {
    this.#masks.note(this.#fixture.organizationId, await this.#management.snapshot());
  }

  /** Runs a command line. @returns what it printed, what it sent, and how it ended */
  async #run(words: readonly string[]): Promise<readonly string[]> {
    const printed: string[] = [];
    const before = this.#printed;
    this.#printed = printed;
    const streams = [vi.spyOn(console, "log"), vi.spyOn(console, "error")];
    for (const stream of streams) stream.mockImplementation((line: string) => void this.#printed.push(line));
    await this.#fixture.sandbox.requests();
    process.exitCode = undefined;
    await main(["node", "orgseat", ...words, ...(RUNS.test(words[0] ?? "") ? ["--quiet"] : [])]);
    const code = Number(process.exitCode ?? 0);
    this.#printed = before;
    if (!this.#isAsked) for (const stream of streams) stream.mockRestore();
    this.#ending = undefined;
    this.#requests = await this.#fixture.sandbox.requests();
    await this.#look();
    const said = printed.join("\n");
    this.#rosterId = /^\+# roster: (\S+)$/m.exec(said)?.[1] ?? this.#rosterId;
    this.#code = /--approve ([0-9a-f]{16}@\S+Z)/.exec(said)?.[1] ?? this.#code;
    return [...this.#shown(said), ...this.#sent(), ...(code === 0 ? [] : [`exit ${code}`])];
  }

  /** Of a person at the terminal, after what happens meanwhile. */
  async #answer(): Promise<string> {
    this.#isAsked = true;
    for (const line of this.#meanwhile.splice(0)) {
      const came = await this.line(line);
      this.#printed.push(`| ${line}`, ...came.map((one) => `|   ${one}`));
    }
    this.#isAsked = false;
    return this.#answers.shift() ?? "";
  }

  #shown(said: string): string[] {
    const folder = this.#folder;
    const lines = said.replaceAll(`${folder}/`, "").replaceAll(folder, ".").split("\n");
    return withoutUsual(lines.map((line) => this.#masks.text(line)));
  }

  /** `<ada>` is the user id of Ada, `<roster>` the id of the roster, `<code>` the last value for --approve, `<folder>` where commands run. */
  #withIds(text: string): string {
    const own: Readonly<Record<string, string>> = {
      ...{ roster: this.#rosterId, code: this.#code, folder: this.#folder },
    };
    return text.replaceAll(
      /<([^>]+)>/g,
      (whole, name: string) => own[name] ?? (this.#masks.idOf(name) || whole),
    );
  }

  /** The writes of the last command by user, in order; of each that did not succeed its status. */
  #sent(): string[] {
    const writes = this.#requests.filter(({ method, call }) => method !== "GET" && typeof call === "number");
    const named = writes.map(({ userId, call, status }) => {
      const isDone = status !== null && status < 300;
      const who = this.#masks.text(this.#masks.nameOf(userId ?? "nobody"));
      return { who, what: isDone ? `${call}` : `${call}(${status})` };
    });
    const parts = [...Map.groupBy(named, ({ who }) => who)].map(
      ([who, calls]) => `${who} ${calls.map(({ what }) => what).join(" ")}`,
    );
    return parts.length === 0 ? [] : [`sent: ${parts.toSorted().join("; ")}`];
  }

  #write(rest: string): string {
    const [people = "", header = ""] = rest.split(/; */);
    const { file, organizationId } = this.#fixture;
    const id = existsSync(file) ? /^# roster: (\S+)$/m.exec(readFileSync(file, "utf8"))?.[1] : undefined;
    const own = { organization: organizationId, ...(id !== undefined && { roster: id }) };
    const text = csvOf(peopleIn(people), { ...own, ...fieldsIn(wordsIn(header)) });
    writeFileSync(file, text);
    return text;
  }

  readonly #ownChanges: Readonly<Record<string, Change>> = {
    /** The roster as it is edited. */
    roster: async (rest) => void this.#write(rest),
    /** The same, already applied, as an organization begins. */
    has: async (rest) => {
      await this.#fixture.bring(this.#write(rest));
      this.#engine = this.#fixture.engine.copy();
    },
    /** An instant, or so many days more; the clock of the service goes with that of the machine. */
    time: async (rest) => {
      setTime(rest);
      await this.#management.setClock({ fixedAt: new Date().toISOString().replace(/\.\d+Z$/, "Z") });
    },
    subscription: async (expiresAt) => {
      vi.stubEnv("ORGSEAT_SUBSCRIPTION_EXPIRES_AT", expiresAt);
      this.#engine = this.#engine.copy({ ORGSEAT_SUBSCRIPTION_EXPIRES_AT: expiresAt });
      await this.#management.changeSubscription(this.#fixture.organizationId, { expiresAt });
    },

    /** The state, as it is after a lost machine, a damaged file, or a restored backup. */
    state: async (what) => {
      if (what === "lost") this.#engine = new DirectEngine(this.#fixture.environment, Date.now);
      else if (what === "saved") this.#backup = this.#engine.copy();
      else if (what === "restored") this.#engine = this.#backup ?? this.#engine;
      else if (what === "damaged" || what === "healed") this.#isDamaged = what === "damaged";
      else throw new Error(`no state is ${what}`);
    },
    /** A machine without the variables of the service. */
    bare: async () => {
      for (const name of Object.keys(this.#fixture.environment)) vi.stubEnv(name, undefined);
    },
    /** From now on, the commands have a terminal with so many columns. */
    terminal: async (columns) =>
      sitDown(
        Number(columns),
        () => this.#answer(),
        (line) => void this.#printed.push(line),
      ),
    /** The next answers; `-` is an empty one. */
    answers: async (rest) => {
      this.#answers = wordsIn(rest).map((answer) => (answer === "-" ? "" : answer));
    },
    /** A line that is played while the next question waits. */
    meanwhile: async (line) => void this.#meanwhile.push(line),

    /** The next command dies right before its run of Pulumi, or that run does not begin. */
    next: async (ending) => {
      this.#ending = ending === "killed" ? "killed" : "fails";
    },
  };

  readonly #questions: Readonly<Record<string, Question>> = {
    $: (rest) => this.#run(wordsIn(rest)),
    file: async () => linesOf(this.#fixture.file),
    offboarded: async () => (existsSync(OFFBOARDED) ? linesOf(OFFBOARDED) : ["no list"]),
    files: async (folder) => [readdirSync(folder).join(", ") || "none"],
    show: async (name) => linesOf(name),
    variables: async () =>
      variablesOf("orgseat.env").map((line) => line.replaceAll(this.#folder, "<folder>")),
    /** The keys in the state with their users. */
    managed: async () => {
      const ids = await this.#fixture.userIds(await this.#fixture.reopen({ engine: this.#engine }));
      return [[...ids].map(([key, id]) => `${key} <${this.#masks.nameOf(id)}>`).join(", ") || "nobody"];
    },
    /** Who is at the service, but the administrator. */
    service: async () => {
      const held = [...(await this.#fixture.held()).values()].filter(({ who }) => !who.startsWith("admin@"));
      return held.map(({ who, seat, tokens }) => {
        const parts = [seat ? "seat" : "no seat", ...tokens.map((end) => `token until ${end}`)];
        return `${who}: ${parts.join(", ")}`;
      });
    },
    /** The reads of the last command, by what they are about. */
    reads: async () => {
      const reads = this.#requests.filter(({ method }) => method === "GET");
      const kinds = Map.groupBy(reads, ({ path }) => /[^/]+$/.exec(path.replace(/\?.*/, ""))?.[0]);
      return [[...kinds].map(([kind, all]) => `${kind} ${all.length}`).join(", ") || "none"];
    },
  };

  get #folder() {
    return realpathSync(dirname(this.#fixture.file));
  }

  get #management() {
    return this.#fixture.sandbox.service.management;
  }
}
