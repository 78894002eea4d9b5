/** An inline program of the Automation API, which another process hosts. */
import grpc from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import languagePb from "@pulumi/pulumi/proto/language_pb.js";
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
