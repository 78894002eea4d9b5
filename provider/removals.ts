/** The exact removals of one run, as a file: what a preview showed, and nothing else may go (`ORGSEAT_REMOVALS`). */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { idSchema } from "./api/schemas.ts";
import { faultsOf, inWords, plainReason } from "./faults.ts";
import { type Removal, removableTypes } from "./resources/resource.ts";

const VERSION = 1;

/** The file: JSON of this shape. It holds no secret. */
export const removalsSchema = z.strictObject({
  version: z.literal(VERSION, `another version than ${VERSION}`),
  /** The organization whose objects they are; entries of the model area name none of their own. */
  organizationId: idSchema,
  removals: z.array(
    z.strictObject({
      type: z.enum(removableTypes),
      /** The resource's id in the state: the user id, the client id or the server id. */
      id: z.string().min(1),
    }),
  ),
});
/** A list of removals; the version is the file's. */
export type Removals = Omit<z.output<typeof removalsSchema>, "version">;

/** Writes the file whole or not at all, of mode 0600. @throws where it cannot be written */
export function writeRemovals(file: string, { organizationId, removals }: Removals): void {
  const content = { version: VERSION, organizationId, removals };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

/** What the file names, to be asked for one removal; or, in one sentence, why it names nothing. */
export function readRemovals(file: string): RemovalList | { readonly fault: string } {
  try {
    const parsed = removalsSchema.safeParse(JSON.parse(readFileSync(file, "utf8")), { error: plainReason });
    if (parsed.success) return new RemovalList(parsed.data);
    return { fault: inWords(faultsOf(parsed.error)) };
  } catch (error) {
    return { fault: error instanceof SyntaxError ? "it is no JSON" : messageOf(error) };
  }
}

export class RemovalList {
  readonly organizationId: string;
  readonly #keys: ReadonlySet<string>;

  constructor({ organizationId, removals }: Removals) {
    this.organizationId = organizationId;
    this.#keys = new Set(removals.map(keyOf));
  }

  names(removal: Pick<Removal, "type" | "id">): boolean {
    return this.#keys.has(keyOf(removal));
  }
}

function keyOf({ type, id }: Pick<Removal, "type" | "id">): string {
  return [type, id].join(" ");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
