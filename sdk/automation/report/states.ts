/** Reads the managed resources of a stack from what `pulumi stack export` prints. */
import { z } from "zod";
import { isLive } from "../plan/liveness.ts";
import type { Properties } from "../plan/steps.ts";
import { memberOf, nameOf, resourceTypeOf } from "../plan/urns.ts";
import type { StateResource } from "./facts.ts";

/** The state of one stack. */
export interface StackExport {
  /** The stack's name. */
  readonly stack: string;
  /** `{version, deployment}`, as `pulumi stack export` prints it and `Stack.exportStack()` returns it. */
  readonly deployment: unknown;
}

export interface StackState {
  readonly resources: readonly StateResource[];
  /** Objects that were replaced and are still to be deleted. */
  readonly waiting: number;
  /** Operations that a run began and did not end. */
  readonly interrupted: number;
}

const resourceSchema = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  parent: z.string().optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  delete: z.boolean().optional(),
  pendingReplacement: z.boolean().optional(),
  created: z.string().optional(),
  modified: z.string().optional(),
});
type ExportedResource = z.output<typeof resourceSchema>;

const exportSchema = z.object({
  deployment: z.object({
    resources: z.array(resourceSchema).nullish(),
    pending_operations: z.array(z.unknown()).nullish(),
  }),
});

/** Pulumi's mark of a secret, whether encrypted or shown. */
const SECRET_KEY = "4dabf18193072939515e22adb298388d";

/** @throws where the export is none, with the stack's name */
export function readStackState({ stack, deployment }: StackExport): StackState {
  const parsed = exportSchema.safeParse(deployment);
  if (!parsed.success) {
    throw new Error(
      `The state of stack ${stack} is not what \`pulumi stack export\` prints (${z.prettifyError(parsed.error)}). Export it again with a current Pulumi.`,
    );
  }
  const { resources, pending_operations } = parsed.data.deployment;
  const found = resources ?? [];
  return {
    resources: found.filter(isLive).flatMap((resource) => stateResource(stack, resource) ?? []),
    waiting: found.filter(
      (resource) => resource.delete === true && resourceTypeOf(resource.type) !== undefined,
    ).length,
    interrupted: pending_operations?.length ?? 0,
  };
}

function stateResource(stack: string, resource: ExportedResource): StateResource | undefined {
  const { urn, parent, id, outputs = {}, created, modified } = resource;
  const type = resourceTypeOf(resource.type);
  if (type === undefined || id === undefined || id === "") return undefined;
  const [name, member] = [nameOf(urn), memberOf(urn, parent)];
  return { stack, type, name, member, id, outputs: withoutSecrets(outputs), created, modified };
}

function withoutSecrets(outputs: Properties): Properties {
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => !isSecret(value)));
}

function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && SECRET_KEY in value;
}
