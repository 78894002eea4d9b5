// The plugin of a store, which logs each call in calls.jsonl of the program's folder. faults.json there says what fails,
// such as {"create p": "plain"}; "echo" repeats the inputs in the error.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import grpc from "@grpc/grpc-js";
import pluginPb from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import structPb from "google-protobuf/google/protobuf/struct_pb.js";

const signature = "4dabf18193072939515e22adb298388d";
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const plain = (value) => (value?.[signature] === undefined ? value : value.value);
const values = (struct) => struct?.toJavaScript() ?? {};
const struct = (object) => structPb.Struct.fromJavaScript(object);

/** `=*` for each value that came as a secret. */
function marks(all) {
  const secret = Object.keys(all).filter((key) => all[key]?.[signature] !== undefined);
  return secret.length > 0 ? ` ${secret.sort().map((key) => `${key}=*`)}` : "";
}

/** Counts up, so that a replacement has another id. */
function nextId(name) {
  const text = existsSync("calls.jsonl") ? readFileSync("calls.jsonl", "utf8") : "";
  const isCreation = (line) =>
    line.startsWith(`["create ${name}`) && !line.startsWith(`["create ${name} preview`);
  return `${name}-${text.split("\n").filter(isCreation).length}`;
}

function log(call, ...details) {
  appendFileSync("calls.jsonl", `${JSON.stringify([call, ...details])}\n`);
}

function failAsAsked(call, outs) {
  const faults = existsSync("faults.json") ? JSON.parse(readFileSync("faults.json", "utf8")) : {};
  if (faults[call] === undefined) return;
  const clear = Object.fromEntries(Object.entries(outs).map(([key, value]) => [key, plain(value)]));
  const echo = faults[call] === "echo" ? `: ${JSON.stringify(clear)}` : "";
  throw { code: grpc.status.UNKNOWN, details: `${call} refused${echo}` };
}

const methods = {
  getPluginInfo: () => new pluginPb.PluginInfo().setVersion("1.2.3"),
  configure: () => new providerPb.ConfigureResponse().setAcceptsecrets(true),
  check: (request) => new providerPb.CheckResponse().setInputs(request.getNews()),
  diff: (request) => {
    const [olds, news] = [values(request.getOlds()), values(request.getNews())];
    const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter((key) => key !== "out");
    const changed = keys.filter(
      (key) => JSON.stringify(plain(olds[key])) !== JSON.stringify(plain(news[key])),
    );
    return new providerPb.DiffResponse().setChanges(changed.length > 0 ? 2 : 1).setDiffsList(changed);
  },
  create: (request) => {
    const [name, inputs] = [request.getName(), values(request.getProperties())];
    log(`create ${name}${request.getPreview() ? " preview" : ""}${marks(inputs)}`, inputs);
    failAsAsked(`create ${name}`, inputs);
    const id = request.getPreview() ? "" : nextId(name);
    const response = new providerPb.CreateResponse().setId(id);
    return response.setProperties(struct({ ...inputs, out: id || unknown }));
  },
  update: (request) => {
    const [name, news] = [request.getName(), values(request.getNews())];
    const preview = request.getPreview() ? " preview" : "";
    log(`update ${name} ${request.getId()}${preview}${marks(news)}`, values(request.getOlds()), news);
    failAsAsked(`update ${name}`, news);
    return new providerPb.UpdateResponse().setProperties(struct({ ...news, out: name }));
  },
  read: (request) => {
    const response = new providerPb.ReadResponse().setId(request.getId());
    return response.setProperties(request.getProperties()).setInputs(request.getInputs());
  },
  delete: (request) => {
    const outs = values(request.getProperties());
    log(`delete ${request.getName()} ${request.getId()}${marks(outs)}`, outs);
    failAsAsked(`delete ${request.getName()}`, outs);
    return new emptyPb.Empty();
  },
  cancel: () => new emptyPb.Empty(),
};

const refuse = () => {
  throw { code: grpc.status.UNIMPLEMENTED, details: "not here" };
};
const server = new grpc.Server();
server.addService(
  providerGrpc.ResourceProviderService,
  Object.fromEntries(
    Object.keys(providerGrpc.ResourceProviderService).map((name) => [
      name,
      (call, callback) => {
        try {
          callback(null, (methods[name] ?? refuse)(call.request));
        } catch (error) {
          callback(error);
        }
      },
    ]),
  ),
);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(port);
});
