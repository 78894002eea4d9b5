/**
 * Compares answers of a service with what is typed by hand: on `anaconda` the document, on `basic` the list of the interface,
 * and what docs/internal/contract.md decides where that is open (D6, D7, D9, D22, D27); besides, the service's own document.
 */
import { expect } from "vitest";
import { z } from "zod";
import { areaOf } from "../../../provider/api/calls/call.ts";
import { type CallTable, platforms } from "../../../provider/api/calls/platform.ts";
import { MODEL_BASE } from "../../../sandbox/service/index.ts";
import { documentedPaths, jsonSchema } from "../../interface/anaconda/operations.ts";
import { listedCall, type Shape, server } from "../../interface/interface.ts";
import { deviations } from "../../interface/shapes.ts";
import { type Answer, exchange } from "../../setup/exchange.ts";
import type { Sandbox, SendOptions } from "./harness.ts";

/** By number. */
const decided: Readonly<Record<number, { status?: number; body?: Shape | "none" }>> = {
  1: { status: 200 },
  2: { status: 200, body: { items: [{ name: "string", client_id: "GUID", org_id: "GUID" }] } },
  4: { status: 200 },
  5: { status: 200 },
  7: { status: 200 },
  8: { status: 200, body: { expires_at: "instant" } },
  9: { status: 204, body: "none" },
  10: { status: 204, body: "none" },
  11: { status: 204, body: "none" },
  12: { body: { data: [{ ...server, status: "string" }] } },
  14: { status: 200 },
  16: { status: 200 },
};

/** Of a success. */
function expectListed(number: number, { status, body, text, headers }: Answer): void {
  const { answer } = listedCall(number);
  const own = decided[number];
  expect(status, `call ${number}`).toBe(answer.status === "not shown" ? own?.status : answer.status);
  const shape = own?.body ?? answer.body;
  if (shape === "not shown") throw new Error(`nobody decides what call ${number} answers`);
  if (shape !== "none") {
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(deviations(shape, body)).toEqual([]);
  } else expect(text).toBe("");
}

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

  #check(name: keyof CallTable, answer: Answer): void {
    const { status, body, text } = answer;
    if (COMMON.includes(status)) return;
    const { platform } = this.#sandbox.service;
    const table: CallTable = platforms[platform].calls;
    const call = table[name];
    if (call === undefined) throw new Error(`the platform has no call ${name}`);
    if (platform === "basic" && status < 300) expectListed(call.number, answer);
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
