/** Tests of the service as text: a title, and below it one step a line, which says what is sent and what comes back. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { type CallTable, platforms } from "../../../provider/api/calls/platform.ts";
import type { ServiceOptions } from "../../../sandbox/service/index.ts";
import { storiesIn } from "../../command/stories/stories.ts";
import { DocumentedCalls } from "./documented-calls.ts";
import { type Answer, type Sandbox, startSandbox } from "./harness.ts";

/**
 * `$name = verb arguments -> expectation`. A verb is a call of the platform (arguments: its variables, and `body`, `query`,
 * `headers`, or `token`), a method of `Sandbox`, or one of the management side (`manage.…`, `models.…`). Arguments are YAML, and
 * `$name.field` stands for what a step has left, `$any` for anything. An answer is expected as `STATUS`, `STATUS {part of its body}`,
 * `STATUS = whole body`, `STATUS empty`, or `STATUS` with the code, or the fields, of the refusal; anything else as its value, as
 * `= whole value`, or as `! text of the error`.
 */
const STEP = /^(?:\$(\w+) = )?([\w.]+) ?(.*)$/;

/** The code of an error, the fields that a 422 names, or what else there is. */
const refusalSchema = z.union([
  z
    .strictObject({ detail: z.array(z.object({ loc: z.array(z.unknown()), type: z.string() })) })
    .transform(({ detail }) => detail.map(({ loc }) => loc.join(".")).join()),
  z.strictObject({ detail: z.string() }).transform(({ detail }) => detail),
  z
    .strictObject({ error: z.strictObject({ message: z.string().min(1), code: z.string().optional() }) })
    .transform(({ error: { code, message } }) => code ?? message),
  z.strictObject({ error: z.string(), error_description: z.string() }).transform(({ error }) => error),
]);
const headersSchema = z.record(
  z.string(),
  z
    .string()
    .nullable()
    .transform((value) => value ?? undefined),
);
const givenSchema = z
  .object({ query: z.string(), headers: headersSchema, token: z.string(), body: z.unknown() })
  .partial()
  .catchall(z.string());

export interface TalkOptions extends Partial<ServiceOptions> {
  /** Steps before those of each test. */
  readonly before?: string;
  /** A service that several tests use; by default each has its own. */
  readonly shared?: () => Sandbox;
  /** Whether the service's OpenAPI document has to have each answer. Default: false. */
  readonly isDocumented?: boolean;
}

class Talk {
  readonly #sandbox: Sandbox;
  readonly #send: Sandbox["send"];
  readonly #known: Record<string, unknown>;

  constructor(sandbox: Sandbox, send: Sandbox["send"]) {
    this.#sandbox = sandbox;
    this.#send = send;
    const { account, organizationId: org, service } = sandbox;
    const nobody = "00000000-0000-4000-8000-000000000000";
    this.#known = { account, org, nobody, seed: service.seed, any: expect.anything() };
  }

  async take(line: string): Promise<void> {
    const [sent = "", wanted] = line.split(/ -> (.*)/);
    const [, name, verb = "", given = ""] = STEP.exec(sent) ?? [];
    const args = z.array(z.unknown()).parse(this.#read(`[${given}]`));
    if (wanted?.startsWith("! ")) {
      await expect(this.#done(verb, args), line).rejects.toThrow(wanted.slice(2));
      return;
    }
    const result = await this.#done(verb, args);
    if (isAnswer(result)) this.#expectAnswer(line, result, wanted ?? "200");
    else if (wanted !== undefined) this.#expectValue(line, result, wanted);
    if (name !== undefined) this.#known[name] = isAnswer(result) ? result.body : result;
  }

  #done(verb: string, args: readonly unknown[]): Promise<unknown> {
    const [, side, method = verb] = /^(manage|models)\.(.*)$/.exec(verb) ?? [];
    if (side === undefined && isCall(verb, platforms[this.#sandbox.service.platform].calls)) {
      const { query, headers, token, body, ...variables } = givenSchema.parse(args[0] ?? {});
      const options = { ...(query && { query }), ...(headers && { headers }), ...(token && { token }) };
      return this.#send(verb, z.record(z.string(), z.string()).parse(variables), { ...options, body });
    }
    const { management } = this.#sandbox;
    const target = side === "manage" ? management : side === "models" ? management.models : this.#sandbox;
    const found: unknown = Reflect.get(target, method);
    if (typeof found !== "function") throw new Error(`no one knows how to ${verb}`);
    return Reflect.apply(found, target, args);
  }

  #expectAnswer(line: string, { status, body, text }: Answer, wanted: string): void {
    const [, code, rest = ""] = /^(\d+) ?(.*)$/.exec(wanted) ?? [];
    expect(`${status} ${rest}`, `${line}: ${text}`).toBe(`${code} ${rest}`);
    if (rest === "empty") expect(text, line).toBe("");
    else if (/^[=[{]/.test(rest)) this.#expectValue(line, body, rest);
    else if (rest !== "") expect(refusalSchema.safeParse(body).data, `${line}: ${text}`).toBe(rest);
  }

  #expectValue(line: string, value: unknown, wanted: string): void {
    const [, exact, text = ""] = /^(= )?(.*)$/.exec(wanted) ?? [];
    const expected = this.#read(text, true);
    if (exact === undefined) expect([value], line).toMatchObject([expected]);
    else expect(value, line).toEqual(expected);
  }

  #read(text: string, isExpected = false): unknown {
    return parse(text, (_, value: unknown) => {
      if (typeof value !== "string") return value;
      if (value.startsWith("$")) return this.#valueOf(value.slice(1));
      if (!isExpected) return value;
      if (value === "<string>") return expect.any(String);
      if (value === "<number>") return expect.any(Number);
      return /^\/.*\/$/.test(value) ? expect.stringMatching(new RegExp(value.slice(1, -1))) : value;
    });
  }

  #valueOf(path: string): unknown {
    return path.split(".").reduce<unknown>((at, key) => Reflect.get(Object(at), key), this.#known);
  }
}

function isAnswer(result: unknown): result is Answer {
  return typeof result === "object" && result !== null && "headers" in result && "text" in result;
}

function isCall(verb: string, calls: CallTable): verb is keyof CallTable {
  return verb in calls;
}

/** One test for each title of the text; a step goes on in lines that are further to the right. */
export function talks(text: string, options: TalkOptions = {}): void {
  for (const part of text.trim().split(/\n+(?! )/)) {
    const [title = "", ...steps] = part.split(/\n {2}(?! )/);
    play(title, steps, options);
  }
}

/** The same of a file in this folder, whose titles stand after `==`: a step goes on in indented lines. */
export function talksIn(name: string, options: TalkOptions = {}): void {
  for (const { title, text } of storiesIn(join(import.meta.dirname, name)))
    play(title, text.split(/\n(?! )/).slice(1), options);
}

function play(title: string, own: readonly string[], options: TalkOptions): void {
  const { before = "", shared, isDocumented = false, ...service } = options;
  const steps = [...before.split(/\n {2}(?! )/), ...own].map((step) => step.trim().replaceAll(/\n\s*/g, " "));
  it(title, async () => {
    expect(own.length).toBeGreaterThan(0);
    const sandbox = shared?.() ?? (await startSandbox(service));
    const calls = isDocumented ? await DocumentedCalls.open(sandbox) : sandbox;
    const talk = new Talk(sandbox, (...call) => calls.send(...call));
    for (const step of steps.filter(Boolean)) await talk.take(step);
  });
}
