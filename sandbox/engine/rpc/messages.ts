/** The few general messages that every service uses. */
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import structPb, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";

export type Empty = InstanceType<typeof emptyPb.Empty>;

export function empty(): Empty {
  return new emptyPb.Empty();
}

/** A message of plain JSON values. */
export function struct(values: Record<string, unknown>): Struct {
  return structPb.Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
}
