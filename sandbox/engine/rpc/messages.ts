/** General messages and options of every gRPC service. */
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

/** Large enough for states of thousands of resources. */
const maxMessageBytes = 400 * 1024 * 1024;

export const channelOptions = {
  // All processes are on this machine; without this gRPC would use the proxy of `https_proxy`.
  "grpc.enable_http_proxy": 0,
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
};
