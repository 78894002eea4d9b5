/** Checks what a filtered list returns: a service can ignore a filter, and a program acts on what it gets. Pure. */
import type { Server } from "../api/schemas/anaconda-model-schemas.ts";
import type { ServerFilter } from "../api/schemas/model-types.ts";
import { CodedError } from "../util/error-codes.ts";

/** A field of an item that a filter is about; undefined or null if the service does not return it. */
type Field = string | number | boolean | null | undefined;

/** Where a server has the field of each filter. */
const serverFields: { readonly [Name in keyof ServerFilter]-?: (server: Server) => Field } = {
  fileId: ({ modelFile }) => modelFile?.id,
  tag: ({ tag }) => tag,
  port: ({ server }) => server?.port,
  host: ({ server }) => server?.host,
  status: ({ status }) => status,
};

/** @throws Error for the first server that does not match the filter, or does not say so */
export function requireServers(filter: ServerFilter, servers: readonly Server[]): void {
  for (const [name, field] of Object.entries(serverFields)) {
    const wanted: Field = Reflect.get(filter, name);
    if (wanted !== undefined) requireMatch(name, wanted, servers, field, describeServer);
  }
}

function describeServer({ id, tag }: Server): string {
  return `server ${id ?? "without an id"}${tag ? ` (tag ${JSON.stringify(tag)})` : ""}`;
}

function requireMatch<Item>(
  name: string,
  wanted: Field,
  items: readonly Item[],
  fieldOf: (item: Item) => Field,
  describe: (item: Item) => string,
): void {
  for (const item of items) {
    const found = fieldOf(item);
    if (isSame(name, found, wanted)) continue;
    const reason =
      found === undefined || found === null
        ? `the service does not return the ${name} of ${describe(item)}, so nothing shows that it matches ${shown(name, wanted)}`
        : `the service returned ${describe(item)} with ${shown(name, found)} for the filter ${shown(name, wanted)}: it ignores the filter`;
    throw new CodedError("bad-answer", `${reason}. Omit ${name}, and select by what the items have`);
  }
}

function isSame(name: string, found: Field, wanted: Field): boolean {
  if (found === undefined || found === null) return false;
  const text = (value: Field) => String(value).toLowerCase();
  // A service can have no status in responses for a server whose machine does not answer.
  if (name === "status" && wanted === "unavailable" && found === "errored") return true;
  return text(found) === text(wanted);
}

function shown(name: string, value: Field): string {
  return `${name}: ${JSON.stringify(value)}`;
}

/**
 * A list of models does not say which are downloaded, but a service that knows the filter has no model in both answers.
 * @param others what the service returned for the opposite filter
 * @throws Error for the first model in both
 */
export function requireModels(
  downloaded: boolean,
  models: readonly Identity[],
  others: readonly Identity[],
): void {
  const opposite = new Set(others.map(keyOf));
  const both = models.find((model) => opposite.has(keyOf(model)));
  if (both === undefined) return;
  throw new CodedError(
    "bad-answer",
    `the service returned model ${both.id ?? both.name ?? "without an id"} for ${shown("downloaded", downloaded)} and for ${shown("downloaded", !downloaded)}: it ignores the filter. Omit downloaded, and select by getModelFiles`,
  );
}

interface Identity {
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
}

function keyOf({ id, name }: Identity): string {
  return JSON.stringify([id ?? null, name ?? null]);
}

/** @throws Error if a response is about another model than the requested one */
export function requireModel(wanted: string, { id }: Identity): void {
  if (id === undefined || id === null || id === wanted) return;
  throw new CodedError(
    "bad-answer",
    `the service returned model ${id} for modelId ${wanted}. Check orgseat:modelUrl, or report it to the operator of the service`,
  );
}
