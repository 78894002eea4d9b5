/**
 * Runs: stories of a program and a service, with all that each run sends and says, and what changes in the state. A line
 * `name = Type {inputs}` declares a resource, `name = none` takes it out, and `$ up`, `$ preview`, `$ refresh` or `$ destroy` is a run.
 */
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { createClient, type PlatformName, platforms } from "../../provider/api/index.ts";
import { readMemberReport } from "../../provider/runtime/run-report.ts";
import { Masks } from "../command/stories/masks.ts";
import { type Story, testStories } from "../command/stories/stories.ts";
import type { DirectResource, DirectStack, Outcome } from "../setup/direct.ts";
import { hangMs } from "../setup/limits.ts";
import { type ModelArea, modelArea } from "../setup/model-area.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { isType } from "./exchange.ts";
import { type DirectOrganization, member, operation, organizationOn } from "./listed.ts";

const START = Date.parse("2026-11-22T10:00:00Z");
const END = "2027-06-30T23:59:59Z";
const UNITS: Readonly<Record<string, number>> = { s: 1000, h: 3_600_000, d: 86_400_000 };
/** Outputs that differ from run to run, or that tests of operations are about. */
const RANDOM = new Set(["value", "tokenValue", "sealedValue", "clientSecret"]);
const UNSEEN = new Set(["held", "instance", "__provider"]);

const argsSchema = z.record(z.string(), z.unknown());

class Runs {
  readonly #organization: DirectOrganization;
  readonly #models: ModelArea;
  readonly #masks = new Masks();
  #program = new Map<string, DirectResource>();
  #stack: DirectStack;
  #before: DirectStack;
  #now = START;
  /** What waiting has taken. */
  #waited = 0;

  private constructor(
    organization: DirectOrganization,
    models: ModelArea,
    environment: Record<string, string>,
  ) {
    this.#organization = organization;
    this.#models = models;
    this.#stack = this.#timed(organization.stack(environment));
    this.#before = this.#stack;
  }

  static async of({ setting }: Story): Promise<Runs> {
    const words = setting.split(" ").filter(Boolean);
    const platform: PlatformName = words.includes("anaconda") ? "anaconda" : "basic";
    const organization = await organizationOn(platform, { seats: 100, subscriptionExpiresAt: END });
    const pairs = words.filter((word) => word.includes("=")).map((word) => word.split("="));
    const environment = Object.fromEntries(
      pairs.map(([name = "", value = ""]) => [`ORGSEAT_${name}`, value]),
    );
    const runs = new Runs(organization, await modelArea(organization), environment);
    await runs.#setClock();
    const { adminToken } = organization.service.seed;
    if (adminToken !== undefined) runs.#masks.name(adminToken, "admin token");
    return runs;
  }

  /** @returns what came of a line */
  async line(text: string): Promise<readonly string[]> {
    const [, name, what = "", args] = /^([\w-]+) = (\w+)(?: (.*))?$/.exec(text) ?? [];
    const [word = "", rest = ""] = text.split(/ (.*)/s);
    if (name !== undefined) this.#declare(name, what, args);
    else if (word === "$") return this.#run(rest);
    else {
      const change = this.#changes[word];
      if (change === undefined) throw new Error(`no such line: ${text}`);
      await change(this.#withIds(rest));
    }
    await this.#look();
    if (word === "report") return this.#report();
    return word === "service" ? this.#service() : [];
  }

  #declare(name: string, type: string, args = "{}"): void {
    if (type === "none") this.#program.delete(name);
    else if (type === "member") {
      const [who, seat = {}, token = {}] = z.array(argsSchema).parse(parse(`[${this.#withIds(args)}]`));
      for (const one of member(name, who ?? {}, { seat, token })) this.#program.set(one.name, one);
    } else {
      if (!isType(type)) throw new Error(`no resource is called ${type}`);
      this.#program.set(name, { type, name, args: argsSchema.parse(parse(this.#withIds(args))) });
    }
  }

  readonly #changes: Readonly<Record<string, (rest: string) => Promise<void> | void>> = {
    /** The clocks of the machine and of the service. */
    time: (rest) => {
      this.#pass(rest);
      return this.#setClock();
    },
    machine: (rest) => this.#pass(rest),
    env: (rest) => {
      const [name = "", value = ""] = rest.split("=");
      this.#stack.configuration[`ORGSEAT_${name}`] = value;
    },
    /** No resource is declared any more. */
    empty: () => this.#program.clear(),
    /** `new` has nothing in its state, `copy` goes its own way, and `back` is the stack before. */
    stack: (which) => {
      const own = this.#stack;
      if (which === "back") this.#stack = this.#before;
      else
        this.#stack = this.#timed(which === "new" ? this.#organization.stack(own.configuration) : own.copy());
      this.#before = own;
    },
    /** A model server that somebody else has made. */
    server: async (rest) => {
      const { tag, ...more } = z.looseObject({ tag: z.string() }).parse(parse(rest));
      this.#masks.name(await this.#models.addServer(tag, more), tag);
    },
    /** A method of the management side of the service, and its arguments. */
    manage: (rest) => called(this.#organization.service.management, rest),
    /** A call of another client of the same organization. */
    api: async (rest) => {
      const { account, organizationId, service } = this.#organization;
      const client = createClient({ ...service, platform: platforms[service.platform], timeoutMs: hangMs });
      const { username, password } = service.seed;
      const access = { user: { username, password }, serviceAccount: account };
      await called(client.organization(organizationId, access), rest, operation);
      await client.close();
    },
    service: () => {},
    report: () => {},
  };

  #pass(time: string): void {
    const [, count, unit = ""] = /^(-?\d+)(\w)$/.exec(time) ?? [];
    this.#now += Number(count) * (UNITS[unit] ?? 0);
  }

  async #run(words: string): Promise<string[]> {
    const [verb = "", ...flags] = words.split(" ");
    const program = [...this.#program.values()];
    const before = new Map(this.#stack.state);
    await this.#organization.requests();
    this.#stack.configuration.ORGSEAT_RUN_REPORT = temporaryFile("report.jsonl");
    const replace = new Set(flags.flatMap((flag) => /^--replace=(.*)/.exec(flag)?.[1] ?? []));
    const options = {
      replace,
      isRefreshed: flags.includes("--refresh"),
      continueOnError: flags.includes("--continue"),
    };
    const run: Readonly<
      Record<string, () => Promise<Pick<Outcome, "errors" | "messages"> & Partial<Outcome>>>
    > = {
      up: () => this.#stack.run(program, options),
      preview: () => this.#stack.run(program, { ...options, isDry: true }),
      refresh: () => this.#stack.refresh(),
      destroy: () => this.#stack.destroy(),
    };
    const outcome = await run[verb]?.();
    if (outcome === undefined) throw new Error(`no run is called ${verb}`);
    const sent = await this.#sent();
    await this.#look();
    const { errors, messages, steps = [] } = outcome;
    const planned = steps
      .filter(({ action }) => action !== "same")
      .map(({ action, declared }) => `${action} ${declared.name}`);
    return [
      ...sent,
      ...(verb === "preview" ? [planned.join(", ") || "no change"] : []),
      ...messages.map(({ severity, text }) => `${severity}: ${text}`),
      ...errors.map((text) => `failed: ${text}`),
      ...this.#differences(before),
    ].map((line) => this.#masks.text(line));
  }

  /** The calls, and of each that did not succeed its status. */
  async #sent(): Promise<string[]> {
    const requests = (await this.#organization.requests()).filter(({ call }) => call !== "token");
    const calls = requests.map(({ call, status }) =>
      status !== null && status < 300 ? `${call}` : `${call}(${status})`,
    );
    return calls.length === 0
      ? []
      : [`calls: ${calls.join(" ").replaceAll(/(\S+)(?: \1(?!\S)){2,}/g, "$1...")}`];
  }

  #differences(
    before: ReadonlyMap<string, { readonly id: string; readonly outs: Readonly<Record<string, unknown>> }>,
  ): string[] {
    const names = [...new Set([...before.keys(), ...this.#stack.state.keys()])];
    return names.flatMap((name) => {
      const [old, now] = [before.get(name), this.#stack.state.get(name)];
      if (now === undefined) return `- ${name}`;
      if (old === undefined) return `+ ${name} ${now.id}`;
      const keys = [...new Set([...Object.keys(old.outs), ...Object.keys(now.outs)])].filter(
        (key) => !UNSEEN.has(key),
      );
      const changed = keys.filter((key) => JSON.stringify(old.outs[key]) !== JSON.stringify(now.outs[key]));
      const shown = changed.map(
        (key) =>
          `  ${name}.${key}: ${RANDOM.has(key) ? "another" : (JSON.stringify(now.outs[key]) ?? "none")}`,
      );
      return [...(old.id === now.id ? [] : [`~ ${name} ${now.id}`]), ...shown];
    });
  }

  /** What the last run has noted of each method. */
  #report(): string[] {
    const { methods } = readMemberReport(this.#stack.configuration.ORGSEAT_RUN_REPORT ?? "");
    return methods.map(({ writes = [], ...method }) => {
      const sent = writes.map(({ name, outcome }) => `, ${name}: ${outcome}`).join("");
      const text = JSON.stringify(method).replace(/\b(user|seat|token)-[\da-f]{8}-[\da-f]{4}\b/, "<$1>");
      return this.#masks.text(`${text}${sent}`);
    });
  }

  /** Who and what is there, but the administrator and the account of the tests. */
  async #service(): Promise<string[]> {
    const { users, tokens, serviceAccounts, servers } =
      await this.#organization.service.management.snapshot();
    const lines = [
      ...users.map(({ userId, seat }) => {
        const own = tokens.filter((one) => one.userId === userId && !one.revoked);
        return [
          this.#masks.text(`<${this.#masks.nameOf(userId)}>:`),
          seat ? "seat" : "no seat",
          ...own.map(({ expiresAt }) => `token until ${expiresAt}`),
        ].join(" ");
      }),
      ...serviceAccounts
        .filter(({ clientId }) => clientId !== this.#organization.account.clientId)
        .map(({ clientId, name }) => `account ${name} ${clientId}`),
      ...servers.map(({ tag, status }) => `server ${tag} ${status}`),
    ];
    return lines.length === 0 ? ["nothing"] : lines.map((line) => this.#masks.text(line));
  }

  /** Notes who is at the service, and what the state has. */
  async #look(): Promise<void> {
    this.#masks.note(
      this.#organization.organizationId,
      await this.#organization.service.management.snapshot(),
    );
    for (const { declared, id } of this.#stack.recorded()) this.#masks.name(id, declared.name);
  }

  #withIds(text: string): string {
    return text.replaceAll(/<([^>]+)>/g, (whole, name: string) => this.#masks.idOf(name) || whole);
  }

  async #setClock(): Promise<void> {
    const fixedAt = new Date(this.#now + this.#waited).toISOString().replace(/\.\d+Z$/, "Z");
    await this.#organization.service.management.setClock({ fixedAt });
  }

  /** A stack whose clock the story sets, and whose pauses pass on that of the service too. */
  #timed(stack: DirectStack): DirectStack {
    stack.now = () => this.#now;
    stack.time = () => ({
      monotonic: () => this.#waited,
      sleep: async (ms) => {
        this.#waited += ms;
        await this.#setClock();
      },
    });
    return stack;
  }
}

/** @param text a method, perhaps of an object of the target, and its arguments as YAML */
async function called(target: object, text: string, ...more: readonly unknown[]): Promise<void> {
  const [path = "", given = ""] = text.split(/ (.*)/s);
  const [method = "", owner] = path.split(".").toReversed();
  const object = owner === undefined ? target : Object(Reflect.get(target, owner));
  const found: unknown = Reflect.get(object, method);
  if (typeof found !== "function") throw new Error(`no one knows how to ${path}`);
  await Reflect.apply(found, object, [...z.array(z.unknown()).parse(parse(`[${given}]`)), ...more]);
}

/** A test for each story of a file in this folder. */
export function runs(name: string): void {
  const file = join(import.meta.dirname, name);
  testStories(file, (story) => Runs.of(story));
}
