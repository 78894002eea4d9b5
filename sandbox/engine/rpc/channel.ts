/** States of thousands of resources fit into one message. */
const maxMessageBytes = 400 * 1024 * 1024;

export const channelOptions = {
  // Everything is on this machine; grpc would reach it through the proxy of `https_proxy`.
  "grpc.enable_http_proxy": 0,
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
};
