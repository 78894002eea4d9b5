/**
 * The requests and responses of the model area on the platform `anaconda`, as zod schemas. The description makes most
 * fields optional, and numbers are JSON numbers. The client needs only what the operation cannot do without.
 */
import { z } from "zod";
import { propertyOf } from "../../util/json.ts";
import { downloadProgressSchema, modelIdSchema, tableSchemaSchema } from "./model-schemas.ts";

const text = z.string().nullish();
const number = z.number().nullish();
const freeObject = z.record(z.string(), z.unknown());

/** A list as `{ data: [...] }`. Some products send it bare. */
function listIn<Item extends z.ZodType>(item: Item) {
  const wrapped = z.object({ data: z.array(item).default([]) });
  return z.preprocess((body) => (Array.isArray(body) ? { data: body } : body), wrapped);
}

/** The statuses of servers in responses. Requests have those of `serverStatuses`. */
export const serverStates = ["STARTING", "RUNNING", "STOPPING", "STOPPED", "ERROR"] as const;
const serverStateSchema = z
  .string()
  .nullable()
  .transform((status) => (status?.toUpperCase() === "ERROR" ? "errored" : status?.toLowerCase()))
  .optional();

/** A server in the response of "list servers" and "get server". */
export const serverDetailsSchema = z.object({
  id: modelIdSchema.nullish(),
  tag: text,
  serverProcessId: z.int().nullish(),
  modelFile: z
    .object({
      id: text,
      name: text,
      localPath: text,
      isDownloaded: z.boolean().nullish(),
      quantization: text,
    })
    .nullish(),
  serverConfig: z
    .object({
      /** Empty if the response has none. */
      modelFileName: text.transform((name) => name ?? ""),
      apiParams: freeObject.nullish(),
      loadParams: freeObject.nullish(),
      inferParams: freeObject.nullish(),
      logsDir: text,
    })
    .nullish(),
  server: z.object({ host: text, port: z.int().nullish() }).nullish(),
  status: serverStateSchema,
});
export const listedServersSchema = listIn(serverDetailsSchema);
export const serverAnswerSchema = z.object({ data: serverDetailsSchema.optional() });

/** The configuration of a model server in the request of "create server". */
export const serverConfigSchema = z.object({
  modelFileName: z.string().min(1),
  apiParams: freeObject.optional(),
  loadParams: freeObject.optional(),
  inferParams: freeObject.optional(),
  logsDir: z.string().optional(),
});
export const createServerRequestSchema = z.object({
  serverConfig: serverConfigSchema,
  startServerOnCreate: z.boolean().optional(),
});
/** The response of "create server". Some products return the id of the server. */
export const createdServerSchema = z
  .object({
    data: z
      .object({ id: modelIdSchema.optional().catch(undefined) })
      .optional()
      .catch(undefined),
  })
  .catch({});
export const moveServerRequestSchema = z.object({ action: z.enum(["start", "stop"]) });

/** The query of "list models". */
export const downloadedQuerySchema = z.strictObject({
  downloaded: z.stringbool().or(z.boolean()).optional(),
});

const downloadStatuses = ["not_started", "in_progress", "paused", "completed"] as const;
/** The state of a download. */
const downloadStateSchema = z.object({
  /** One of `downloadStatuses` in all known services. */
  status: z.string().meta({ enum: downloadStatuses }).nullish(),
  progress: downloadProgressSchema.nullish(),
  localPath: text,
});

const fileFields = {
  downloadUrl: text,
  sha256checksum: text,
  quantization: text,
  format: text,
  maxRamUsage: number,
  isDownloaded: z.boolean().nullish(),
  downloadStatus: downloadStateSchema.nullish(),
};
/** A file in the response of "list model files". */
const listedFileSchema = z.object({
  id: z.string(),
  name: z.string(),
  sizeBytes: z.number(),
  ...fileFields,
});
export const listedFilesSchema = listIn(listedFileSchema);
/** A file in the response of "get model". */
const describedFileSchema = z.object({
  id: text,
  name: text,
  sizeBytes: number,
  ...fileFields,
  localPath: text,
});

/** A model in the response of "list models", with quantizations, and of "get model", with files. */
export const modelSchema = z.object({
  id: modelIdSchema.nullish(),
  name: text,
  metadata: z
    .object({
      numParameters: z.union([z.number(), z.string()]).nullish(),
      contextWindowSize: number,
      trainedFor: text,
      description: text,
      license: text,
      publisher: text,
      quantizations: z
        .array(z.object({ modelFileName: z.string(), method: text, sizeBytes: number, maxRamUsage: number }))
        .nullish(),
      files: z.array(describedFileSchema).nullish(),
    })
    .nullish(),
});
export const modelListSchema = listIn(modelSchema);
export const modelAnswerSchema = z.object({ data: modelSchema.optional() });

/** A response that contains at most a text: "delete table", and the health of a part. */
export const messageSchema = z.object({ data: z.object({ message: text }).optional() });

const tableSchema = z.object({
  name: z.string(),
  schema: tableSchemaSchema.nullish().catch(undefined),
  numRows: z.int().min(0).nullish().catch(undefined),
});
/** The description leaves the form of a table open: a name, or an object with one. Some products send the list in `data`. */
export const listedTablesSchema = z.preprocess(
  (body) => propertyOf(body, "data") ?? body,
  z.array(z.union([z.string().transform((name) => ({ name })), tableSchema])),
);
export const newTableSchema = z.object({ data: tableSchema.partial().optional() });

export type ServerConfig = z.input<typeof serverConfigSchema>;
export type CreateServerRequest = z.input<typeof createServerRequestSchema>;
export type Server = z.output<typeof serverDetailsSchema>;
export type ListedFile = z.output<typeof listedFileSchema>;
export type DescribedFile = z.output<typeof describedFileSchema>;
export type Model = z.output<typeof modelSchema>;
export type Table = {
  readonly name: string | null;
  readonly schema?: z.output<typeof tableSchemaSchema> | null | undefined;
  readonly numRows?: number | null | undefined;
};
export type CreatedTable = NonNullable<z.output<typeof newTableSchema>["data"]>;
