/**
 * List: the objects of the service that an import can take, by the type of their resource, in pages. A list that cannot be
 * trusted is an error, never an empty page.
 */

import type { ServerWritableStream } from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { z } from "zod";
import {
  type Lookup,
  lookUpServers,
  lookUpServiceAccounts,
  lookUpTables,
  readUserOptions,
} from "../direct/lookups.ts";
import { nameOfListed, requireList, seatOf } from "../resources/members/member-list.ts";
import { listTokens, sharedMembers } from "../resources/members/reads.ts";
import { liveTokens } from "../resources/members/token-list.ts";
import type { CallContext } from "../resources/resource.ts";
import type { ResourceType } from "../resources/resource-types.ts";
import { holdsUnknown } from "../resources/unknown.ts";
import type { ProviderProcess } from "../runtime/process.ts";
import { guard } from "../runtime/pulumi-values.ts";
import { CodedError } from "../util/error-codes.ts";
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

const listers: Readonly<Partial<Record<ResourceType, Lister>>> = {
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
    (await lookUpServiceAccounts(lookup, query)).map(({ clientId: id, name }) => ({ id, name })),
  ModelServer: async (query, _, lookup) =>
    (await lookUpServers(lookup, {}, query)).map(({ id, tag }) => ({ id, name: tag ?? "" })),
  VectorTable: async (query, _, lookup) =>
    (await lookUpTables(lookup, query)).map(({ name }) => ({ id: name ?? "", name: name ?? "" })),
};

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
/** Objects that are asked about at the same time. */
const ABREAST = 16;

/** The last id that was looked at, and how many objects the caller still wants. */
const continuationSchema = z.tuple([z.string(), z.number().nullable()]);

interface Page {
  readonly results: readonly Listed[];
  /** Empty: there are no more. */
  readonly continuation: string;
}

async function pageOf(all: readonly Listed[], request: providerPb.ListRequest): Promise<Page> {
  const token = request.getContinuationToken();
  const [after, left] = token === "" ? ["", null] : continuationOf(token);
  const limit = request.getLimit();
  // A caller may keep its limit from page to page, or reduce it by what it has got.
  const wanted = Math.min(limit > 0 ? limit : Number.POSITIVE_INFINITY, left ?? Number.POSITIVE_INFINITY);
  const size = Math.min(wanted, request.getPageSize() > 0 ? request.getPageSize() : PAGE_SIZE);
  // By id, so that an object that comes or goes between two pages moves no other one.
  const rest = all.filter(({ id }) => id > after).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const results: Listed[] = [];
  let seen = 0;
  while (results.length < size && seen < rest.length) {
    const next = rest.slice(seen, seen + Math.min(ABREAST, size - results.length));
    const exist = await Promise.all(next.map(({ exists }) => exists?.() ?? true));
    results.push(...next.filter((_, index) => exist[index]));
    seen += next.length;
  }
  const remaining = wanted - results.length;
  const isEnd = seen === rest.length || remaining === 0;
  const last = rest[seen - 1]?.id ?? after;
  return {
    results,
    continuation: isEnd ? "" : JSON.stringify([last, Number.isFinite(remaining) ? remaining : null]),
  };
}

function continuationOf(token: string): z.output<typeof continuationSchema> {
  try {
    return continuationSchema.parse(JSON.parse(token));
  } catch {
    throw new CodedError(
      "invalid-input",
      `the continuation token ${token} is not one of a List of this plugin`,
    );
  }
}

/** Sends a page, or the error in its place. */
export async function list(
  call: ServerWritableStream<providerPb.ListRequest, providerPb.ListResponse>,
  process: ProviderProcess,
): Promise<void> {
  const { request } = call;
  try {
    const query = readStruct(request.getQuery()).props;
    if (holdsUnknown(query)) {
      const response = new providerPb.ListResponse();
      response.setComputed(new providerPb.ListResponse.Computed());
      call.write(response);
    } else {
      const type = request.getToken().replace(/^orgseat:index:/, "");
      const lookup = {
        name: "list",
        settings: () => process.settings,
        warn: process.planContext().diagnostics.warn,
      };
      // An object without an id, which an import cannot take, is none.
      const all = async () =>
        (await listerOf(type)(query, process.callContext(), lookup)).filter(({ id }) => id !== "");
      const page = async () => pageOf(await all(), request);
      const { results, continuation } = await guard(process, page, { type, props: {} });
      for (const { id, name } of results) {
        const result = new providerPb.ListResponse.Result();
        result.setId(id);
        result.setName(name);
        const response = new providerPb.ListResponse();
        response.setResult(result);
        call.write(response);
      }
      if (continuation !== "") call.write(continuing(continuation));
    }
    call.end();
  } catch (error) {
    // Its listener answers with the status; a destroyed stream does not.
    call.emit("error", new Failure(error));
  }
}

function continuing(token: string): providerPb.ListResponse {
  const continuation = new providerPb.ListResponse.Continuation();
  continuation.setContinuationToken(token);
  const response = new providerPb.ListResponse();
  response.setContinuation(continuation);
  return response;
}

function listerOf(type: string): Lister {
  const lister = new Map(Object.entries(listers)).get(type);
  if (lister === undefined)
    throw new CodedError("unsupported", "the service cannot list objects of this type");
  return lister;
}
