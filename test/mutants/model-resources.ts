import type { Mutant } from "./mutant.ts";

const resource = (name: string) => `test/resources/${name}.test.ts`;
const server = { file: "provider/resources/model-server.ts", tests: [resource("model-server")] };
const table = { file: "provider/resources/vector-table.ts", tests: [resource("vector-table")] };
const making = { file: "provider/resources/table-calls.ts", tests: [resource("vector-table")] };
const rows = { file: "provider/resources/rows.ts", tests: [resource("vector-table")] };
const lookups = { file: "provider/lookups.ts", tests: ["test/sdk/lookups.test.ts"] };
const classes = { file: "sdk/lookups.ts", tests: ["test/sdk/lookups.test.ts"] };
const connection = { file: "provider/connection.ts", tests: ["test/sdk/lookups.test.ts"] };
const doctor = {
  file: "provider/doctor/model-area.ts",
  tests: ["test/provider/doctor/doctor.test.ts"],
  only: "doctor, of the model area",
};

/** Breaks of the resources and lookups of the model area, and of what doctor says of it. */
export const modelResourceMutants: readonly Mutant[] = [
  {
    ...server,
    name: "ModelServer: removal has a default",
    find: `  onDelete: z.enum(
    ["delete", "keep"],
    'say what removal does with the server: "delete" deletes it, "keep" leaves it as it is',
  ),`,
    replace: '  onDelete: z.enum(["delete", "keep"]).default("delete"),',
  },
  {
    ...server,
    name: "ModelServer: one that is kept is deleted",
    find: 'if (outs.onDelete === "keep") {',
    replace: 'if (outs.tag === "keep") {',
  },
  {
    ...server,
    name: "ModelServer: one that runs counts as deleted",
    find: "if (!isRefused(error, 409)) throw error;",
    replace: "if (!isRefused(error, 409)) throw error;\n      return;",
  },
  {
    ...server,
    name: "ModelServer: an unknown id is taken over blindly",
    find: "throw unknownServer(news.serverId, await listOnce(news, context));",
    replace: "return { id: news.serverId, status: undefined };",
  },
  {
    ...server,
    name: "ModelServer: an unknown id names no server",
    find: `it lists \${named.join`,
    replace: `it lists \${[].join`,
  },
  {
    ...server,
    name: "ModelServer: of ids that are as near one is guessed",
    file: "provider/util/nearest.ts",
    find: "|| found.slips === second?.slips",
    replace: "",
  },
  {
    ...server,
    name: "ModelServer: the list of the run is never read anew",
    find: "  context.forget(listKey(news));\n",
    replace: "",
  },
  {
    ...server,
    name: "ModelServer: each reads a list of its own",
    find: "context.readOnce(listKey(owner), () => context.models(owner).listServers({}, context.operation));",
    replace: "context.models(owner).listServers({}, context.operation);",
  },
  {
    ...server,
    name: "ModelServer: a failed list is taken as an empty one",
    find: "context.models(owner).listServers({}, context.operation)",
    replace: "context.models(owner).listServers({}, context.operation).catch(() => [])",
  },
  {
    ...server,
    name: "ModelServer: what the service says anew is not read",
    find: "return server && { ...outs, ...fieldsOf(server) };",
    replace: "return server && outs;",
  },
  {
    ...server,
    name: "ModelServer: the old one goes before the new one is found",
    find: "replaces, deleteBeforeReplace: false };",
    replace: "replaces, deleteBeforeReplace: true };",
  },
  {
    ...server,
    name: "ModelServer: a renamed one is deleted by the old one",
    find: 'if (isOwnedByAnother(context, "ModelServer", id, outs)) return "kept";',
    replace: "",
  },
  {
    ...server,
    name: "ModelServer: another onDelete is no change",
    find: 'changedKeys(olds, news, ["onDelete", "credentials"])',
    replace: 'changedKeys(olds, news, ["credentials"])',
  },
  {
    ...table,
    name: "VectorTable: a changed name is let through",
    find: "name !== undefined && olds.name !== undefined && name !== olds.name",
    replace: "name === undefined && olds.name !== undefined",
  },
  {
    ...table,
    name: "VectorTable: a changed schema is let through",
    find: "return changedPlaces(olds.schema, news.schema).map((place) => validationIssue(place, reason));",
    replace: "return [];",
  },
  {
    ...table,
    name: "VectorTable: a changed type is not seen",
    find: "type: asRead(old.type) === asRead(now.type),",
    replace: "",
  },
  {
    ...table,
    name: "VectorTable: a quoted text in another letter case is the same",
    find: "if (EXACT.test(sql)) return sql;",
    replace: "",
  },
  {
    ...table,
    name: "VectorTable: another letter case is another type",
    find: ".replace(/[A-Z]/g, (letter) => letter.toLowerCase())",
    replace: "",
  },
  {
    ...table,
    name: "VectorTable: one without columns is made",
    find: "olds === undefined ? refuseNoColumns(news) :",
    replace: "olds === undefined ? [] :",
  },
  {
    ...table,
    name: "VectorTable: a column more is not seen",
    find: "Math.max(before.columns.length, after.columns.length)",
    replace: "before.columns.length",
  },
  {
    ...table,
    name: "VectorTable: changed rows are said again in each run",
    find: "otherSchema || otherData || changed.length > 0",
    replace: "otherSchema || changed.length > 0",
  },
  {
    ...table,
    name: "VectorTable: changed rows go by in silence",
    find: "if (otherData) {",
    replace: "if (otherData && given === '') {",
  },
  {
    ...table,
    name: "VectorTable: an update forgets which rows were given last",
    find: "news.data === undefined ? earlier : stashRows(news.data, context)",
    replace: "earlier",
  },
  {
    ...table,
    name: "VectorTable: rows that are left out count as changed later",
    find: "return outsOf(news, olds.data, {",
    replace: "return outsOf(news, undefined, {",
  },
  {
    ...table,
    name: "VectorTable: two columns have one name",
    find: "if (columns.findIndex((column) => column.name === name) === index) return;",
    replace: "if (columns.length > index) return;",
  },
  {
    ...table,
    name: "VectorTable: an unknown key of a column goes by",
    find: "const columnSchema = z.strictObject({",
    replace: "const columnSchema = z.object({",
  },
  {
    ...table,
    name: "VectorTable: one whose table is gone stays in the state",
    find: ".find(({ name }) => name === id);",
    replace: ".find(({ name }) => name !== '');",
  },
  {
    ...table,
    name: "VectorTable: names alone wipe the rows and the schema",
    find: "numRows: table.numRows ?? outs.numRows,",
    replace: "numRows: table.numRows ?? null,",
  },
  {
    ...table,
    name: "VectorTable: it is forgotten in silence",
    find: `    context.warn(
      \`VectorTable \${id} is forgotten:`,
    replace: `    String(
      \`VectorTable \${id} is forgotten:`,
  },
  {
    ...rows,
    name: "rows: the state holds them",
    find: "  context.rows.set(hash, data);\n  return hash;",
    replace: "  context.rows.set(hash, data);\n  return JSON.stringify(data);",
  },
  {
    ...rows,
    name: "rows: another order of keys is another hash",
    find: "JSON.stringify(rows, sorted)",
    replace: "JSON.stringify(rows)",
  },
  {
    ...rows,
    name: "rows: where they are not at hand the table is made without them",
    find: "if (rows !== undefined) return rows;",
    replace: "return rows ?? [];",
  },
  {
    ...making,
    name: "tables: a POST is repeated without a look",
    find: "const table = await look(error, wanted, context);",
    replace: "const table = lost === error ? undefined : await look(error, wanted, context);",
  },
  {
    ...making,
    name: "tables: one that exists is adopted unasked",
    find: "!(lost || adopt)",
    replace: "!(lost || true)",
  },
  {
    ...making,
    name: "tables: any table that is there counts as made",
    find: "table.numRows === (rows?.length ?? 0) &&",
    replace: "",
  },
  {
    ...making,
    name: "tables: one with other columns is adopted",
    find: "  if (otherColumns) {",
    replace: "  if (otherColumns && adopt === undefined) {",
  },
  {
    ...making,
    name: "tables: a failed look counts as no table",
    find: 'throw unclear(error, wanted, "the list that would tell failed");',
    replace: "return undefined;",
  },
  {
    ...making,
    name: "tables: a repeat that cannot be sent hides what may be there",
    find: "else if (lost && !isVerdict(error)) throw unclear",
    replace: "else if (lost && wanted.name === '') throw unclear",
  },
  {
    ...making,
    name: "tables: it is repeated for ever",
    find: "if (round === ROUNDS) throw",
    replace: "if (round === ROUNDS + 1) throw",
  },
  {
    ...making,
    name: "tables: each reads a list of its own",
    find: "return context.readOnce(tablesKey(owner), () => context.models(owner).listTables(context.operation));",
    replace: "return context.models(owner).listTables(context.operation);",
  },
  {
    ...making,
    name: "tables: a database that is stopped counts as one without tables",
    find: "context.models(owner).listTables(context.operation));",
    replace: "context.models(owner).listTables(context.operation).catch(() => []));",
  },
  {
    ...lookups,
    name: "lookups: a failed read is an empty list",
    find: "return await call(clientOf(settings), settings, { deadline });",
    replace: "return await call(clientOf(settings), settings, { deadline }).catch(() => [] as T);",
  },
  {
    ...lookups,
    name: "lookups: a wrong argument is sent",
    find: "const wanted = read(lookup, serverFilterSchema, filter);",
    replace: "const wanted = filter as object;",
  },
  {
    ...lookups,
    name: "lookups: nothing is suggested for a wrong status",
    find: "nearest(input, serverStatuses)",
    replace: "nearest(input, [])",
  },
  {
    ...lookups,
    name: "lookups: a key is not told where it belongs",
    find: `did you mean \${places.get(meant)}?`,
    replace: `did you mean \${meant}?`,
  },
  {
    ...lookups,
    name: "lookups: sentences speak of resources",
    find: 'said.replaceAll("the resource\'s `", "the lookup\'s `")',
    replace: "said",
  },
  {
    ...lookups,
    name: "lookups: each connects anew",
    find: "clients.set(key, client);",
    replace: "",
  },
  {
    ...lookups,
    name: "lookups: the key that is given is not used",
    find: "call(client.models(credentials ?? { apiKey }), operation)",
    replace: "call(client.models({ apiKey: apiKey ?? credentials?.apiKey }), operation)",
    tests: ["test/sdk/lookups.test.ts"],
  },
  {
    ...lookups,
    name: "lookups: the organization that is given is not asked",
    find: "const id = organizationId ?? settings.organizationId;",
    replace: "const id = settings.organizationId ?? organizationId;",
  },
  {
    ...lookups,
    name: "lookups: the stack's configuration is not read",
    find: "readSettings(config, process.env)",
    replace: "readSettings(() => undefined, process.env)",
  },
  {
    ...classes,
    name: "lookups: the client is loaded with the classes",
    find: 'import * as pulumi from "@pulumi/pulumi";',
    replace: 'import * as pulumi from "@pulumi/pulumi";\nimport "../provider/lookups.ts";',
    only: "loads neither the client nor zod",
  },
  {
    ...classes,
    name: "lookups: Node has its say on a failure",
    find: "    allowLateHandling(failure);\n",
    replace: "",
    only: "is no more than its sentence",
  },
  {
    ...classes,
    name: "lookups: Outputs are not waited for",
    find: "return pulumi.all([filter, options]).apply(([fits, as]) => getServers(fits, as));",
    replace: "return pulumi.output(getServers(filter as ServerFilter, options as ModelLookup));",
  },
  {
    ...classes,
    name: "lookups: one account counts as all without a word",
    find: "if (!complete) {",
    replace: "if (complete && accounts.length < 0) {",
  },
  {
    ...connection,
    name: "sentences: a database that is stopped goes without a next step",
    find: 'serviceCode === "DATABASE_NOT_RUNNING" || (status === 404 && /^call 15 /.test(call))',
    replace: 'call === "" && serviceCode === "" && status === 0',
    tests: [resource("vector-table")],
    only: "DATABASE_NOT_RUNNING",
  },
  {
    ...connection,
    name: "sentences: missing configuration of one area is said of the other",
    find: 'area === "model" ? modelUrl === undefined',
    replace: 'area !== "model" ? modelUrl === undefined',
  },
  {
    ...doctor,
    name: "doctor: a model area that is not configured is a fault",
    find: 'return [missing("model area", text, howToSet("modelUrl", "apiKey"), false)];',
    replace: 'return [missing("model area", text, howToSet("modelUrl", "apiKey"), true)];',
  },
  {
    ...doctor,
    name: "doctor: a key that is refused counts as accepted",
    find: 'return [area, failed("apiKey", sentence(error), next)];',
    replace: 'return [area, ok("apiKey", next)];',
  },
  {
    ...doctor,
    name: "doctor: the vector database is not asked for",
    find: "return [...found, checkDatabase(await probeCall(calls.listTables, {}, modelUrl, apiKey, parts))];",
    replace: "return found;",
  },
  {
    ...doctor,
    name: "doctor: whatever call 15 fails with is a database that is stopped",
    find: "error !== undefined && isDatabaseStopped(error)",
    replace: "error !== undefined",
  },
  {
    ...doctor,
    name: "doctor: a misspelt name goes by",
    file: "provider/unknown-settings.ts",
    find: "const meant = nearest(rest, known);",
    replace: "const meant = nearest(rest, known.slice(0, 0));",
    only: "of a misspelt name",
  },
  {
    ...doctor,
    name: "doctor: any answer is one of the model area",
    find: "if (error === undefined || isForeign(error, response)) {",
    replace: "if (error === undefined) {",
  },
  {
    ...doctor,
    name: "doctor: the organization area is missed where the model area alone is configured",
    file: "provider/doctor/configuration.ts",
    find: "return !isModelAreaWritten(written) || ORGANIZATION_KEYS.some",
    replace: "return isModelAreaWritten(written) || ORGANIZATION_KEYS.some",
  },
];
