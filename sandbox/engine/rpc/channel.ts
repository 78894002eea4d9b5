/** States of thousands of resources fit into one message. */
const maxMessageBytes = 400 * 1024 * 1024;

export const channelOptions = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
};
