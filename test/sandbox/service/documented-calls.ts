/** Compares answers of a service with its own OpenAPI document. */
import { expect } from "vitest";
import { z } from "zod";
import { type Answer, exchange } from "../../setup/exchange.ts";
import type { Sandbox, SendOptions } from "./harness.ts";

const jsonSchema = z.custom<z.core.JSONSchema.JSONSchema>((value) => typeof value === "object");
const operationSchema = z.object({
  operationId: z.string(),
  responses: z.record(
    z.string(),
    z.object({ content: z.object({ "application/json": z.object({ schema: jsonSchema }) }).optional() }),
  ),
});
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), jsonSchema) }),
});

/** Statuses of any request, which the document does not list. */
const COMMON = [405, 429, 500, 503];

/** Sends calls and checks that the document has each answer. */
export class DocumentedCalls {
  readonly #sandbox: Sandbox;
  readonly #document: z.output<typeof documentSchema>;
  readonly #parsers = new Map<z.core.JSONSchema.JSONSchema, z.ZodType>();

  private constructor(sandbox: Sandbox, document: z.output<typeof documentSchema>) {
    this.#sandbox = sandbox;
    this.#document = document;
  }

  static async open(sandbox: Sandbox): Promise<DocumentedCalls> {
    const { body } = await exchange(new URL("/openapi.json", sandbox.service.orgUrl));
    return new DocumentedCalls(sandbox, documentSchema.parse(body));
  }

  async send(
    name: Parameters<Sandbox["send"]>[0],
    variables: Record<string, string> = {},
    options: SendOptions = {},
  ): Promise<Answer> {
    const answer = await this.#sandbox.send(name, variables, options);
    this.#check(name, answer);
    return answer;
  }

  #check(name: string, { status, body, text }: Answer): void {
    if (COMMON.includes(status)) return;
    const operation = Object.values(this.#document.paths)
      .flatMap((methods) => Object.values(methods))
      .find(({ operationId }) => operationId === name);
    const response = operation?.responses[status];
    expect(response, `${name} has the status ${status}`).toBeDefined();
    const schema = response?.content?.["application/json"].schema;
    if (schema === undefined) expect(text).toBe("");
    else expect(this.#parserOf(schema).safeParse(body)).toMatchObject({ success: true });
  }

  #parserOf(schema: z.core.JSONSchema.JSONSchema): z.ZodType {
    const made = this.#parsers.get(schema);
    if (made) return made;
    // With what its references name.
    const text = JSON.stringify({ ...schema, $defs: this.#document.components.schemas });
    const whole = JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/"));
    const parser = z.fromJSONSchema(jsonSchema.parse(whole));
    this.#parsers.set(schema, parser);
    return parser;
  }
}
