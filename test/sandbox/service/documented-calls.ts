/** Compares answers of a service with a document: on `anaconda` the one typed by hand, on `basic` the service's own. */
import { expect } from "vitest";
import { z } from "zod";
import { areaOf } from "../../../provider/api/calls/call.ts";
import { type CallTable, platforms } from "../../../provider/api/calls/platform.ts";
import { MODEL_BASE } from "../../../sandbox/service/index.ts";
import { documentedPaths, jsonSchema } from "../../interface/anaconda/operations.ts";
import { type Answer, exchange } from "../../setup/exchange.ts";
import type { Sandbox, SendOptions } from "./harness.ts";

type Paths = ReturnType<typeof documentedPaths>;
const ownSchema = z.object({ paths: z.unknown(), components: z.object({ schemas: z.unknown() }) });

/** Statuses of any request, which the service's own document does not list. */
const COMMON = [405, 429, 500, 503];

/** Each reference stands for what it names. */
async function ownPaths({ service }: Sandbox): Promise<Paths> {
  const { body } = await exchange(new URL("/openapi.json", service.orgUrl));
  const { schemas } = ownSchema.parse(body).components;
  const whole = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, part: unknown) => {
      const [, name] = /^#\/components\/schemas\/(.*)$/.exec(String(Object(part).$ref)) ?? [];
      return name === undefined ? part : whole(Reflect.get(Object(schemas), name));
    });
  return documentedPaths(MODEL_BASE, { paths: whole(ownSchema.parse(body).paths) });
}

const parsers = new Map<unknown, z.ZodType>();
const handTyped = documentedPaths(MODEL_BASE);
let own: Paths | undefined;

/** Sends calls and checks that the document has each answer. */
export class DocumentedCalls {
  readonly #sandbox: Sandbox;
  readonly #paths: Paths;

  private constructor(sandbox: Sandbox, paths: Paths) {
    this.#sandbox = sandbox;
    this.#paths = paths;
  }

  static async open(sandbox: Sandbox): Promise<DocumentedCalls> {
    if (sandbox.service.platform === "anaconda") return new DocumentedCalls(sandbox, handTyped);
    own ??= await ownPaths(sandbox);
    return new DocumentedCalls(sandbox, own);
  }

  async send(
    name: keyof CallTable,
    variables: Record<string, string> = {},
    options: SendOptions = {},
  ): Promise<Answer> {
    const answer = await this.#sandbox.send(name, variables, options);
    this.#check(name, answer);
    return answer;
  }

  #check(name: keyof CallTable, { status, body, text }: Answer): void {
    if (COMMON.includes(status)) return;
    const table: CallTable = platforms[this.#sandbox.service.platform].calls;
    const call = table[name];
    if (call === undefined) throw new Error(`the platform has no call ${name}`);
    const base = areaOf(call) === "model" ? MODEL_BASE : "/api/v1";
    const response = this.#paths[base + call.path]?.[call.method.toLowerCase()]?.responses[status];
    expect(response, `${name} has the status ${status}`).toBeDefined();
    const schema = jsonSchema(response);
    if (schema === undefined) {
      expect(text, name).toBe("");
      return;
    }
    const parser = parsers.get(schema) ?? z.fromJSONSchema(schema);
    parsers.set(schema, parser);
    expect(parser.safeParse(body), `${name}: ${text}`).toMatchObject({ success: true });
  }
}
