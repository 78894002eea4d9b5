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

/** @throws Error for the first server with a field that contradicts the filter */
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
    if (isMissing(found) || isSame(name, found, wanted)) continue;
    throw new CodedError(
      "bad-answer",
      `the service returned ${describe(item)} with ${shown(name, found)} for the filter ${shown(name, wanted)}: it ignores the filter. Omit ${name}, and select by what the items have`,
    );
  }
}

function isMissing(found: Field): found is undefined | null {
  return found === undefined || found === null;
}

function isSame(name: string, found: Field, wanted: Field): boolean {
  const text = (value: Field) => String(value).toLowerCase();
  // A service can have no status in responses for a server whose machine does not answer.
  if (name === "status" && wanted === "unavailable" && found === "errored") return true;
  return text(found) === text(wanted);
}

function shown(name: string, value: Field): string {
  return `${name}: ${JSON.stringify(value)}`;
}

/** One filter with another value: a service that knows the filter has no item in both answers. */
export interface Control {
  readonly name: keyof ServerFilter;
  readonly wanted: Field;
  readonly other: ServerFilter;
  /** Of the first answer, those that do not have the field. */
  readonly servers: readonly Server[];
}

/** The controls of the filters whose fields the service does not return, such as the status of a server. */
export function controlsOf(filter: ServerFilter, servers: readonly Server[]): Control[] {
  const { fileId, tag, port, host, status } = filter;
  const others: readonly (readonly [keyof ServerFilter, Field, ServerFilter])[] = [
    ["fileId", fileId, { fileId: fileId === NO_FILE ? `${NO_FILE}0` : NO_FILE }],
    ["tag", tag, { tag: `not ${tag}` }],
    ["port", port, { port: port === 1 ? 2 : 1 }],
    ["host", host, { host: `not-${host}` }],
    ["status", status, { status: status === "stopped" ? "running" : "stopped" }],
  ];
  return others.flatMap(([name, wanted, other]) => {
    const unshown = servers.filter((server) => isMissing(serverFields[name](server)));
    return wanted === undefined || unshown.length === 0 ? [] : { name, wanted, other, servers: unshown };
  });
}

const NO_FILE = "00000000-0000-4000-8000-000000000000";

/** @param others what the service returned for the control @throws Error for the first server in both answers */
export function requireControlled(
  { name, wanted, other, servers }: Control,
  others: readonly Server[],
): void {
  const both = firstInBoth(servers, others);
  if (both !== undefined) throw ignored(name, describeServer(both), wanted, other[name]);
}

/**
 * A list of models does not say which are downloaded.
 * @param others what the service returned for the opposite filter
 * @throws Error for the first model in both
 */
export function requireModels(
  downloaded: boolean,
  models: readonly Identity[],
  others: readonly Identity[],
): void {
  const both = firstInBoth(models, others);
  if (both === undefined) return;
  const model = `model ${both.id ?? both.name ?? "without an id"}`;
  throw ignored("downloaded", model, downloaded, !downloaded, "by getModelFiles");
}

interface Identity {
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
}

function firstInBoth<Item extends Identity>(
  items: readonly Item[],
  others: readonly Identity[],
): Item | undefined {
  const keys = new Set(others.map(keyOf));
  return items.find((item) => keys.has(keyOf(item)));
}

function keyOf({ id, name }: Identity): string {
  return JSON.stringify([id ?? null, name ?? null]);
}

function ignored(name: string, item: string, wanted: Field, other: Field, how = "by what the items have") {
  return new CodedError(
    "bad-answer",
    `the service returned ${item} for ${shown(name, wanted)} and for ${shown(name, other)}: it ignores the filter. Omit ${name}, and select ${how}`,
  );
}

/** @throws Error if a response is about another model than the requested one */
export function requireModel(wanted: string, { id }: Identity): void {
  if (id === undefined || id === null || id === wanted) return;
  throw new CodedError(
    "bad-answer",
    `the service returned model ${id} for modelId ${wanted}. Check orgseat:modelUrl, or report it to the operator of the service`,
  );
}
