/** Responses of Pulumi's provider protocol: differences, failed checks, errors with what was created anyway. */
import { isDeepStrictEqual } from "node:util";
import { type handleUnaryCall, Metadata, status } from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import statusPb from "@pulumi/pulumi/proto/status_pb.js";
import { ReportedError } from "../runtime/pulumi-values.ts";
import { codeOf, withCode } from "../util/error-codes.ts";
import { messageOf } from "../util/text.ts";
import { type Props, writeStruct } from "./wire.ts";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = providerPb.PropertyDiff.Kind;

interface Diff {
  readonly changes?: boolean;
  readonly replaces?: readonly string[];
}

/** @param oldInputs the inputs before: the differences that a preview shows are those of inputs */
export function diffResponse(diff: Diff, oldInputs: Props, news: Props): providerPb.DiffResponse {
  const { changes = false, replaces = [] } = diff;
  const { DIFF_SOME, DIFF_NONE } = providerPb.DiffResponse.DiffChanges;
  const response = new providerPb.DiffResponse();
  response.setChanges(changes ? DIFF_SOME : DIFF_NONE);
  response.setReplacesList([...replaces]);
  const changed = changes ? changedKeys(oldInputs, news) : [];
  const shown = new Set([...changed, ...replaces]);
  for (const key of shown) {
    const property = new providerPb.PropertyDiff();
    property.setKind(kindOf(oldInputs[key], news[key], replaces.includes(key)));
    property.setInputdiff(true);
    response.getDetaileddiffMap().set(key, property);
  }
  response.setDiffsList([...shown]);
  // A renewal or an automatic rotation changes no input; a message of the run says why it is due.
  response.setHasdetaileddiff(shown.size > 0);
  return response;
}

function changedKeys(olds: Props, news: Props): string[] {
  const keys = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...keys].filter((key) => !isDeepStrictEqual(olds[key] ?? undefined, news[key] ?? undefined));
}

function kindOf(old: unknown, now: unknown, replaces: boolean) {
  if (old === undefined || old === null) return replaces ? ADD_REPLACE : ADD;
  if (now === undefined || now === null) return replaces ? DELETE_REPLACE : DELETE;
  return replaces ? UPDATE_REPLACE : UPDATE;
}

export function checkFailure(reason: string, property = ""): providerPb.CheckFailure {
  const failure = new providerPb.CheckFailure();
  failure.setProperty(property);
  failure.setReason(reason);
  return failure;
}

/** An error of a method as a status. A partial creation has its id and outputs in the details. */
export class Failure extends Error {
  readonly code = status.UNKNOWN;
  readonly details: string;
  readonly metadata = new Metadata();

  /** @param secrets the keys of the outputs that are secrets */
  constructor(error: unknown, secrets: ReadonlySet<string> = new Set()) {
    const details = withCode(messageOf(error), codeOf(error));
    super(details);
    this.details = details;
    if (!(error instanceof ReportedError) || error.id === undefined) return;
    const partial = new providerPb.ErrorResourceInitFailed();
    partial.setId(error.id);
    partial.setProperties(writeStruct(error.properties ?? {}, secrets));
    partial.setReasonsList(error.reasons ?? []);
    this.metadata.add("grpc-status-details-bin", statusWith(details, partial));
  }
}

/** An async function as the handler of a call. */
export function unary<Request, Response>(
  handler: (request: Request) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    handler(call.request).then(
      (response) => callback(null, response),
      (error) => callback(error instanceof Failure ? error : new Failure(error)),
    );
  };
}

/** A Status with one empty detail: an Any, which @pulumi/pulumi does not export. */
const WITH_DETAIL = Uint8Array.of(26, 0);

function statusWith(message: string, partial: providerPb.ErrorResourceInitFailed): Buffer {
  const full = statusPb.Status.deserializeBinary(WITH_DETAIL);
  full.setCode(status.UNKNOWN);
  full.setMessage(message);
  const [detail] = full.getDetailsList();
  detail?.setTypeUrl("type.googleapis.com/pulumirpc.ErrorResourceInitFailed");
  detail?.setValue(partial.serializeBinary());
  return Buffer.from(full.serializeBinary());
}
