/** Properties on the wire of Pulumi's provider protocol: secrets are marked there, and plain values with names here. */

import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { CodedError } from "../util/error-codes.ts";
import { SIGNATURE } from "../util/json.ts";

type Struct = NonNullable<ReturnType<providerPb.CheckResponse["getInputs"]>>;
export type Props = Readonly<Record<string, unknown>>;

const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** A CheckResponse whose inputs are empty: it holds the only Struct that @pulumi/pulumi lets others reach. */
const WITH_STRUCT = Uint8Array.of(10, 0);

interface Read {
  /** Without marks. */
  readonly props: Record<string, unknown>;
  /** The keys whose values are secrets or contain some. */
  readonly secrets: ReadonlySet<string>;
}

export function readStruct(struct: Struct | undefined): Read {
  const secrets = new Set<string>();
  const props: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(struct?.toJavaScript() ?? {}))
    props[key] = withoutMarks(value, () => secrets.add(key));
  return { props, secrets };
}

function secret(value: unknown): Props {
  return { [SIGNATURE]: SECRET, value };
}

/** @param secrets the keys whose values are marked as secrets */
export function writeStruct(props: Props, secrets: ReadonlySet<string> = new Set()): Struct {
  const marked = Object.entries(props)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, secrets.has(key) ? secret(value) : value]);
  return structs.fromJavaScript(Object.fromEntries(marked));
}

function withoutMarks(value: unknown, onSecret: () => void): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutMarks(item, onSecret));
  const entries = Object.entries(value);
  const { [SIGNATURE]: mark, value: inner }: Props = { ...value };
  if (mark === SECRET) {
    onSecret();
    return withoutMarks(inner, onSecret);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutMarks(item, onSecret)]));
}

/** The class of @pulumi/pulumi's structs: a copy of another package would not fit its messages. */
const structs = classOf(providerPb.CheckResponse.deserializeBinary(WITH_STRUCT).getInputs());

function classOf(struct: Struct | undefined): { fromJavaScript(props: Props): Struct } {
  if (struct === undefined)
    throw new CodedError(
      "version-mismatch",
      "@pulumi/pulumi has another CheckResponse than this release expects",
    );
  // The constructor of an instance is its class.
  return struct.constructor as unknown as ReturnType<typeof classOf>;
}
