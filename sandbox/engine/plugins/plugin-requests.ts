/** Fields that many requests to a provider have. */
import type {
  DiffRequest as DiffMessage,
  UpdateRequest as UpdateMessage,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { struct } from "../rpc/messages.ts";
import { parseUrn } from "../urn.ts";
import { toProvider } from "../values.ts";
import type { DiffRequest } from "./provider.ts";

/** The marks that a provider accepts. It gets other values without marks. */
export interface Accepts {
  secrets: boolean;
  resources: boolean;
}

interface Described {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

export function describe(request: Described, urn: string): void {
  const { name, type } = parseUrn(urn);
  request.setUrn(urn);
  request.setName(name);
  request.setType(type);
}

export function fillDiff(request: DiffMessage | UpdateMessage, asked: DiffRequest, accepts: Accepts): void {
  describe(request, asked.urn);
  request.setId(asked.id);
  request.setOlds(struct(toProvider(asked.oldOutputs, accepts)));
  request.setNews(struct(toProvider(asked.newInputs, accepts)));
  request.setOldInputs(struct(toProvider(asked.oldInputs, accepts)));
  request.setIgnorechangesList(asked.ignoreChanges);
}

/** The name of a resource in messages. */
export function resourceNameOf(urn: string): string {
  return parseUrn(urn).name;
}
