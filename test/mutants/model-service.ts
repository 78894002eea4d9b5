import type { Mutant } from "./mutant.ts";
import { breaks } from "./service-breaks.ts";

const filters = { fileId: "file_id", tag: "tag", port: "port", host: "host" };
const filterBreaks = Object.entries(filters).map(([name, column]) => ({
  name: `call 12 does not filter by ${name}`,
  find: `(${name} === undefined || server.${column} === ${name}) &&`,
  replace: "",
  only: "filter by",
  rows: ["call 12, note 1"],
}));

const servers = breaks("servers", "servers", [
  ...filterBreaks,
  {
    name: "call 12 does not filter by status",
    find: "(status === undefined || server.status === status);",
    replace: "true;",
    only: "filter by status",
    rows: ["call 12, note 1"],
  },
  {
    name: "a server's status is in lower case always",
    find: "upper: status.toUpperCase()",
    replace: "upper: status",
    only: "D22",
  },
  {
    name: "call 14 takes any text for an id",
    find: 'if (!id.success) throw refusal(400, "INVALID_SERVER_ID", "this is not the id of a server, which is a UUID");',
    replace: 'if (!id.success) throw plainRefusal(404, "no such server");',
    only: "code INVALID_SERVER_ID",
    rows: ["code INVALID_SERVER_ID", "call 14, note 4"],
  },
  {
    name: "call 14 of an unknown server is a 400",
    find: 'if (!server) throw plainRefusal(404, "no such server");',
    replace: 'if (!server) throw plainRefusal(400, "no such server");',
    only: "404: an unknown server",
    rows: ["call 14, note 4"],
  },
  {
    name: "call 14 deletes a server that is stopping",
    find: '["running", "starting", "stopping"];',
    replace: '["running", "starting"];',
    only: "code SERVER_RUNNING: 409",
    rows: ["code SERVER_RUNNING", "call 14, note 4"],
  },
  {
    name: "call 14 deletes nothing",
    find: 'database.run("DELETE FROM servers WHERE id = ?", server.id);',
    replace: "",
    only: "transition: server DELETE",
    rows: ["transition: server DELETE"],
  },
  {
    name: "call 14 tells the machine's time",
    find: "new Date(now).toISOString()",
    replace: "new Date().toISOString()",
    only: "deletedAt",
  },
  {
    name: "a server starts for ever",
    find: "age >= STARTING_MS",
    replace: "age > STARTING_MS",
    only: "a start leads",
  },
  {
    name: "a server stops for ever",
    find: "age >= STOPPING_MS",
    replace: "age > STOPPING_MS",
    only: "a stop leads",
  },
  {
    name: "a running server is started again",
    find: 'move === "start" && alive.includes(status)',
    replace: 'move === "start" && status === "starting"',
    only: "the moves of a server",
  },
  {
    name: "a stopped server is stopped again",
    find: 'move === "stop" && status !== "running"',
    replace: 'move === "stop" && status === "starting"',
    only: "code SERVER_NOT_RUNNING",
    rows: ["code SERVER_NOT_RUNNING"],
  },
  {
    name: "a server without a process fails",
    find: 'move === "fail" && !alive.includes(status)',
    replace: 'move === "fail" && status === "stopped"',
    only: "code SERVER_NOT_RUNNING",
    rows: ["code SERVER_NOT_RUNNING"],
  },
  {
    name: "a start keeps the number of the old process",
    find: 'move === "start" ? nextProcessId(database) : server.process_id',
    replace: "server.process_id",
    only: "a start leads",
  },
]);

const files = breaks("model-files", "model-files", [
  {
    name: "an unknown model has no files",
    find: 'if (!model) throw plainRefusal(404, "no such model");',
    replace: "if (!model) return { data: [] };",
    only: "is no model",
    rows: ["call 13, note 4"],
  },
  {
    name: "call 13 lists the files of all models",
    find: "WHERE model_id = ? ORDER BY rowid",
    replace: "WHERE model_id = ?1 OR 1 ORDER BY rowid",
    only: "only the files of the model",
  },
  {
    name: "a download stands still",
    find: "Math.min(Math.max(0, now - resumed), needed)",
    replace: "0",
    only: "goes on with the service's clock",
  },
  {
    name: "a download takes longer than its file",
    find: "Math.min(Math.max(0, now - resumed), needed)",
    replace: "Math.max(0, now - resumed)",
    only: "goes on with the service's clock",
  },
  {
    name: "a paused download goes on",
    find: 'rest && move === "resume" ? now : null',
    replace: "rest ? now : null",
    only: "a paused download waits",
  },
  {
    name: "a pause forgets what has come",
    find: "    receivedBytes,\n    spentMs,\n    rest",
    replace: "    0,\n    spentMs,\n    rest",
    only: "a paused download waits",
  },
  {
    name: "a download's ratio is in percent",
    find: "downloadedRatio: receivedBytes / file.size_bytes",
    replace: "downloadedRatio: (receivedBytes / file.size_bytes) * 100",
    only: "in its unit",
    rows: ["fields: model file"],
  },
  {
    name: "a download's rate is in bytes",
    find: "(receivedBytes * 8) / 1e6",
    replace: "receivedBytes / 1e6",
    only: "in its unit",
    rows: ["fields: model file"],
  },
]);

const keys = [
  ...breaks("api-keys", "access", [
    {
      name: "any UUID opens it",
      find: "hashOfKey(key.data))?.name;",
      replace: 'hashOfKey(key.data))?.name ?? "anybody";',
      only: "authentication: model area 3",
      rows: ["authentication: model area 3"],
    },
    {
      name: "the letter case of a key matters",
      find: "hashOf(key.toLowerCase())",
      replace: "hashOf(key)",
      only: "in any letter case",
    },
    {
      name: "a removed key lives on",
      find: '"DELETE FROM api_keys WHERE name = ?"',
      replace: '"UPDATE api_keys SET name = name WHERE name = ?"',
      only: "keys come and go",
    },
  ]),
  ...breaks("model-area", "access", [
    {
      name: "calls 15 and 16 need no key",
      find: "  authorize(core, context);\n  const body",
      replace: "  const body",
      only: "authentication: model area 3",
      rows: ["authentication: model area 3"],
    },
  ]),
];

const queries = breaks("request", "servers", [
  {
    name: "of a filter that is given twice the first counts",
    find: "values.length === 1 ? values[0] : values,",
    replace: "values[0],",
    only: "a bad filter is 422",
    rows: ["call 12, note 2"],
  },
]);

const document = breaks("openapi", "openapi", [
  {
    name: "the OpenAPI document leaves out what a call refuses",
    find: "const own = Object.entries(call.refusals);",
    replace: "const own = Object.entries(call.refusals).slice(1);",
  },
  {
    name: "the OpenAPI document has one credential for all",
    find: "security: [{ [call.credential]: [] }],",
    replace: "security: [{ user: [] }],",
  },
]);

/** Breaks of calls 12 to 14, of the keys and of the OpenAPI document in the sandbox service. */
export const modelServiceMutants: readonly Mutant[] = [
  ...servers,
  ...files,
  ...keys,
  ...queries,
  ...document,
];
