/**
 * List: the objects of the service that an import can take, by the type of their resource, in pages. A list that cannot be
 * trusted is an error, never an empty page.
 */

import type { ServerWritableStream } from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { z } from "zod";
import { type Lookup, lookups, readUserOptions } from "../direct/lookups.ts";
import type { CallContext } from "../resources/contexts.ts";
import { nameOfListed, requireList, seatOf } from "../resources/members/member-list.ts";
import { listTokens, sharedMembers } from "../resources/members/reads.ts";
import { liveTokens } from "../resources/members/token-list.ts";
import type { ResourceType } from "../resources/resource-types.ts";
import { holdsUnknown } from "../resources/unknown.ts";
import type { ProviderProcess } from "../runtime/process.ts";
import { guard } from "../runtime/pulumi-values.ts";
import { CodedError } from "../util/error-codes.ts";
import { parseJson } from "../util/json.ts";
import { lookupOf } from "./lookups.ts";
import { Failure } from "./responses.ts";
import { type Props, readStruct } from "./wire.ts";

/** An object by the id of its import, and what people call it. */
interface Listed {
  readonly id: string;
  readonly name: string;
  /** Whether it is one, where only another request shows that. Default: it is. */
  readonly exists?: () => Promise<boolean>;
}

type Lister = (query: Props, context: CallContext, lookup: Lookup) => Promise<readonly Listed[]>;

const ofType: Readonly<Partial<Record<ResourceType, Lister>>> = {
  OrgMember: listUsers,
  OrgUser: listUsers,
  SeatAssignment: async (query, context, lookup) =>
    (await membersOf(query, context, lookup)).filter(({ seat }) => seat !== "no").map(({ listed }) => listed),
  UserToken: async (query, context, lookup) =>
    (await membersOf(query, context, lookup)).map(({ listed, access }) => ({
      ...listed,
      exists: async () => {
        const tokens = requireList(await listTokens({ ...access, userId: listed.id }, context));
        return liveTokens(tokens).length > 0;
      },
    })),
  ServiceAccount: async (query, _, lookup) =>
    (await lookups.getServiceAccounts(lookup, query)).map(({ clientId: id, name }) => ({ id, name })),
  ModelServer: async (query, _, lookup) =>
    (await lookups.getModelServers(lookup, query)).map(({ id, tag }) => ({ id, name: tag ?? "" })),
  VectorTable: async (query, _, lookup) =>
    (await lookups.getVectorTables(lookup, query)).map(({ name }) => ({ id: name ?? "", name: name ?? "" })),
};

const listers = new Map(Object.entries(ofType));

async function listUsers(...asked: Parameters<Lister>): Promise<readonly Listed[]> {
  return (await membersOf(...asked)).map(({ listed }) => listed);
}

/** The users of the organization: a person has an email, which is the name here. */
async function membersOf(query: Props, context: CallContext, lookup: Lookup) {
  const { organizationId = context.defaults.organizationId, credentials } = readUserOptions(lookup, query);
  if (organizationId === undefined)
    throw new CodedError("invalid-configuration", "organizationId is not set. Set orgseat:organizationId");
  const access = { organizationId, credentials };
  const list = requireList(await sharedMembers(access, context));
  return list.users.map((user) => ({
    access,
    seat: seatOf(list, user, context.defaults.product),
    listed: { id: user.id, name: nameOfListed(user) },
  }));
}

/** Without a wish of the caller. */
const PAGE_SIZE = 100;
/** The last id that was looked at, and how many objects the caller still wants: JSON has null for all. */
const continuationSchema = z.tuple([
  z.string(),
  z
    .number()
    .nullable()
    .transform((left) => left ?? Number.POSITIVE_INFINITY),
]);

interface Page {
  readonly results: readonly Listed[];
  /** Empty: there are no more. */
  readonly continuation: string;
}

async function pageOf(all: readonly Listed[], request: providerPb.ListRequest): Promise<Page> {
  const [after, left] = continuationOf(request.getContinuationToken());
  // A caller may keep its limit from page to page, or reduce it by what it has got.
  const wanted = Math.min(request.getLimit() || Number.POSITIVE_INFINITY, left);
  const size = Math.min(wanted, request.getPageSize() || PAGE_SIZE);
  // By id, so that an object that comes or goes between two pages moves no other one.
  const rest = all.filter(({ id }) => id > after).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const results: Listed[] = [];
  let seen = 0;
  while (results.length < size && seen < rest.length) {
    const next = rest.slice(seen, seen + size - results.length);
    const exist = await Promise.all(next.map(({ exists }) => exists?.() ?? true));
    results.push(...next.filter((_, index) => exist[index]));
    seen += next.length;
  }
  const remaining = wanted - results.length;
  const isEnd = seen === rest.length || remaining === 0;
  const last = rest[seen - 1]?.id ?? after;
  return { results, continuation: isEnd ? "" : JSON.stringify([last, remaining]) };
}

function continuationOf(token: string): z.output<typeof continuationSchema> {
  if (token === "") return ["", Number.POSITIVE_INFINITY];
  const { success, data } = continuationSchema.safeParse(parseJson(token));
  if (success) return data;
  throw new CodedError(
    "invalid-input",
    `the continuation token ${token} is not one of a List of this plugin`,
  );
}

/** Sends a page, or the error in its place. */
export async function list(
  call: ServerWritableStream<providerPb.ListRequest, providerPb.ListResponse>,
  process: ProviderProcess,
): Promise<void> {
  const { request } = call;
  const respond = (fill: (response: providerPb.ListResponse) => void): void => {
    const response = new providerPb.ListResponse();
    fill(response);
    call.write(response);
  };
  try {
    const query = readStruct(request.getQuery()).props;
    if (holdsUnknown(query))
      respond((response) => response.setComputed(new providerPb.ListResponse.Computed()));
    else {
      const { results, continuation } = await answer(request, query, process);
      for (const { id, name } of results) {
        const result = new providerPb.ListResponse.Result();
        result.setId(id);
        result.setName(name);
        respond((response) => response.setResult(result));
      }
      const next = new providerPb.ListResponse.Continuation();
      next.setContinuationToken(continuation);
      if (continuation !== "") respond((response) => response.setContinuation(next));
    }
    call.end();
  } catch (error) {
    // Its listener answers with the status; a destroyed stream does not.
    call.emit("error", new Failure(error));
  }
}

function answer(request: providerPb.ListRequest, query: Props, process: ProviderProcess): Promise<Page> {
  const type = request.getToken().replace(/^orgseat:index:/, "");
  const page = async () => {
    const lister = listers.get(type);
    if (lister === undefined)
      throw new CodedError("unsupported", "the service cannot list objects of this type");
    const all = await lister(query, process.callContext(), lookupOf("list", process));
    // An object without an id, which an import cannot take, is none.
    return pageOf(
      all.filter(({ id }) => id !== ""),
      request,
    );
  };
  return guard(process, page, { type, props: {} });
}
