/** What one call is, as data. The table of them is calls.ts. */
import type { z } from "zod";

/** The two areas of the service, each with an address of its own (D1, D2). */
export type Area = "organization" | "model";

/** Which credential of the organization area a call is made with (D5). */
export type OrganizationCredential = "user" | "serviceAccount";
/** Which credential a call is made with; the API key is that of the model area. */
export type CredentialKind = OrganizationCredential | "apiKey";

/** One call. `Path` holds its variables in braces, as the interface writes them. */
export interface Call<Path extends string, Request, Answer> {
  /** The number in the interface document. */
  readonly number: number;
  /** The operation, for messages: `issue token`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the address of the call's area. */
  readonly path: Path;
  readonly credential: CredentialKind;
  /** The schema of the query; undefined where the call takes none. */
  readonly query?: z.ZodObject;
  /** The schema of the JSON body; undefined where none is sent. */
  readonly request: z.ZodType<unknown, Request> | undefined;
  /** The schema of the answer's JSON body. */
  readonly answer: z.ZodType<Answer>;
  /** `required`: a 2xx without a body breaks the contract. `optional`: its absence reads as `{}`. `none`: never read. */
  readonly body: "required" | "optional" | "none";
  /** Whether sending it twice has the effect of sending it once (D32). */
  readonly repeatable: boolean;
  /** The status the sandbox answers a success with (D6); the client takes any 2xx. */
  readonly success: 200 | 201 | 204;
  /** The statuses of a refusal that are the call's own, and when the sandbox answers them. */
  readonly refusals: Readonly<Partial<Record<400 | 402 | 403 | 404 | 409 | 500, string>>>;
}

/** The variables of a path: `{org_id}` becomes `{ org_id: string }`. */
export type PathVariables<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [key in Name]: string } & PathVariables<Rest>
  : unknown;

/** The area of a call, which its credential tells. */
export function areaOf({ credential }: { readonly credential: CredentialKind }): Area {
  return credential === "apiKey" ? "model" : "organization";
}
