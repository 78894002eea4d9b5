/** The process of the Automation API as a server: it hosts an inline program, and receives the events of the engine. */
import grpc from "@grpc/grpc-js";
import eventsGrpc from "@pulumi/pulumi/proto/events_grpc_pb.js";
import eventsPb from "@pulumi/pulumi/proto/events_pb.js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import languagePb from "@pulumi/pulumi/proto/language_pb.js";
import type { EventSink } from "../display/event-json.ts";
import type { ProgramOptions, ProgramResult, RunningProgram } from "../run/program.ts";
import { channelOptions } from "./messages.ts";

/** Asks the host at the address to run its program against our monitor. */
export function runHosted(address: string, options: ProgramOptions): RunningProgram {
  const { project } = options;
  const client = new languageGrpc.LanguageRuntimeClient(
    address,
    grpc.credentials.createInsecure(),
    channelOptions,
  );
  const request = new languagePb.RunRequest();
  request.setProject(project.name);
  request.setStack(options.stack);
  request.setOrganization("organization");
  request.setPwd(project.root);
  request.setProgram(project.main ?? ".");
  request.setDryrun(options.dryRun);
  request.setParallel(options.parallel);
  request.setMonitorAddress(options.monitorAddress);
  request.setArgsList([options.monitorAddress]);
  for (const [key, value] of Object.entries(options.config)) request.getConfigMap().set(key, value);
  request.setConfigsecretkeysList(options.secretKeys);
  const ended = new Promise<ProgramResult>((resolve) => {
    client.run(request, (error, response) => {
      if (error) resolve({ error: error.details || error.message, bail: false });
      else if (response.getError() !== "") resolve({ error: response.getError(), bail: response.getBail() });
      else resolve({ bail: response.getBail(), ...(response.getBail() && { error: "the program failed" }) });
      client.close();
    });
  });
  return { ended, kill: () => client.close() };
}

/** Sends each event to the host at the address. */
export function grpcSink(address: string): EventSink {
  const client = new eventsGrpc.EventsClient(address, grpc.credentials.createInsecure(), channelOptions);
  let ended: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  // The receiver may have ended; the update does not depend on it.
  const stream = client.streamEvents(() => ended());
  stream.on("error", () => ended());
  return {
    write: (line) => {
      const request = new eventsPb.EventRequest();
      request.setEvent(line);
      stream.write(request);
    },
    close: async () => {
      stream.end();
      await end;
      client.close();
    },
  };
}
