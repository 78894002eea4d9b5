/** The definition of a call as data. calls.ts is the table of all calls. */
import type { z } from "zod";

/** The two areas of the service, each with its address (D1, D2). */
export type Area = "organization" | "model";

/** The credentials of the organization area (D5). */
export type OrganizationCredential = "user" | "serviceAccount";
/** All credentials; the API key is that of the model area. */
export type CredentialKind = OrganizationCredential | "apiKey";

/** One call. `Path` contains its variables in braces. */
export interface Call<Path extends string, Request, Answer> {
  /** The number in the interface document, for docs and the audit log. */
  readonly number: number;
  /** The name of the operation, such as `issue token`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the address of the call's area. */
  readonly path: Path;
  readonly credential: CredentialKind;
  /** The schema of the query; undefined for a call without one. */
  readonly query?: z.ZodObject;
  /** The schema of the JSON body; undefined for a call without one. */
  readonly request: z.ZodType<unknown, Request> | undefined;
  /** The schema of the response's JSON body. */
  readonly answer: z.ZodType<Answer>;
  /** The same for a list with items in another form: an item can lack what a caller can do without. Default: `answer`. */
  readonly partial?: z.ZodType<Answer>;
  /**
   * The response body. `required`: a 2xx without one is an error. `optional`: a missing one counts as `{}`. `none`:
   * never read.
   */
  readonly body: "required" | "optional" | "none";
  /** Whether the call is idempotent: orgseat then repeats it after a lost response (D32). */
  readonly repeatable: boolean;
  /** When the sandbox answers 202 instead of `success`. */
  readonly accepted?: string;
  /** The status of success in the sandbox (D6); the client accepts any 2xx. */
  readonly success: 200 | 201 | 204;
  /** The statuses of a refusal that are specific to the call, each with its condition in the sandbox. */
  readonly refusals: Readonly<Partial<Record<400 | 402 | 403 | 404 | 409 | 500, string>>>;
}

/** The variables of a path: `{org_id}` becomes `{ org_id: string }`. */
export type PathVariables<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [key in Name]: string } & PathVariables<Rest>
  : unknown;

/** The area of a call, by its credential. */
export function areaOf({ credential }: { readonly credential: CredentialKind }): Area {
  return credential === "apiKey" ? "model" : "organization";
}
