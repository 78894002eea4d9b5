/** Checks what a filtered list returns: a service can ignore a filter, and a program acts on what it gets. */
import type { Model, Server } from "../api/schemas/anaconda-model-schemas.ts";
import type { ServerFilter } from "../api/schemas/model-types.ts";
import { CodedError } from "../util/error-codes.ts";

/** The value of a filter, or the field of an item that it is about; undefined or null if the service does not return it. */
type Field = string | number | boolean | null | undefined;

/** The filters of one list. */
interface Filters<Item, Query> {
  readonly name: (item: Item) => string;
  /** What to select by instead. */
  readonly instead: string;
  readonly filters: readonly {
    readonly filter: keyof Query & string;
    readonly fieldOf: (item: Item) => Field;
    /** Another value: a service that knows the filter has no item in both answers. */
    readonly other: (query: Query) => Query;
  }[];
}

export const serverFilters: Filters<Server, ServerFilter> = {
  name: ({ id, tag }) => `server ${id ?? "without an id"}${tag ? ` (tag ${JSON.stringify(tag)})` : ""}`,
  instead: "by what the items have",
  filters: [
    {
      filter: "fileId",
      fieldOf: ({ modelFile }) => modelFile?.id,
      other: ({ fileId }) => ({ fileId: fileId === NO_FILE ? `${NO_FILE}0` : NO_FILE }),
    },
    { filter: "tag", fieldOf: ({ tag }) => tag, other: ({ tag }) => ({ tag: `not ${tag}` }) },
    {
      filter: "port",
      fieldOf: ({ server }) => server?.port,
      other: ({ port }) => ({ port: port === 1 ? 2 : 1 }),
    },
    {
      filter: "host",
      fieldOf: ({ server }) => server?.host,
      other: ({ host }) => ({ host: `not-${host}` }),
    },
    {
      filter: "status",
      fieldOf: ({ status }) => status,
      other: ({ status }) => ({ status: status === "stopped" ? "running" : "stopped" }),
    },
  ],
};

const NO_FILE = "00000000-0000-4000-8000-000000000000";

export interface ModelFilter {
  readonly downloaded?: boolean | undefined;
}

/** A list of models does not say which are downloaded. */
export const modelFilters: Filters<Model, ModelFilter> = {
  name: (model) => `model ${model.id ?? model.name ?? "without an id"}`,
  instead: "by getModelFiles",
  filters: [
    {
      filter: "downloaded",
      fieldOf: () => undefined,
      other: ({ downloaded }) => ({ downloaded: !downloaded }),
    },
  ],
};

/**
 * Compares what the service returned for a query with the query. Of items that lack the field of a filter, another list
 * shows whether the service knows the filter.
 * @param list the list for another query
 * @throws Error for the first item that contradicts the query, or is in both lists
 */
export async function requireFiltered<Item extends Identity, Query extends { [key in keyof Query]: Field }>(
  { name, instead, filters }: Filters<Item, Query>,
  query: Query,
  items: readonly Item[],
  list: (other: Query) => Promise<readonly Item[]>,
): Promise<void> {
  const given = filters.filter(({ filter }) => query[filter] !== undefined);
  const ignored = (filter: keyof Query & string, what: string) =>
    new CodedError(
      "bad-answer",
      `the service returned ${what}: it ignores the filter. Omit ${filter}, and select ${instead}`,
    );
  const shown = (filter: string, value: Field) => `${filter}: ${JSON.stringify(value)}`;
  for (const { filter, fieldOf } of given)
    for (const item of items) {
      const [found, wanted] = [fieldOf(item), query[filter]];
      if (isMissing(found) || isSame(filter, found, wanted)) continue;
      throw ignored(
        filter,
        `${name(item)} with ${shown(filter, found)} for the filter ${shown(filter, wanted)}`,
      );
    }
  for (const { filter, fieldOf, other } of given) {
    const unshown = items.filter((item) => isMissing(fieldOf(item)));
    if (unshown.length === 0) continue;
    const control = other(query);
    const keys = new Set((await list(control)).map(keyOf));
    const both = unshown.find((item) => keys.has(keyOf(item)));
    if (both === undefined) continue;
    const what = `${name(both)} for ${shown(filter, query[filter])} and for ${shown(filter, control[filter])}`;
    throw ignored(filter, what);
  }
}

function isMissing(found: Field): found is undefined | null {
  return found === undefined || found === null;
}

function isSame(filter: string, found: Field, wanted: Field): boolean {
  const text = (value: Field) => String(value).toLowerCase();
  // A service can have no status in responses for a server whose machine does not answer.
  if (filter === "status" && wanted === "unavailable" && found === "errored") return true;
  return text(found) === text(wanted);
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
