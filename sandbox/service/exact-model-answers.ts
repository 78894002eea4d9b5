/**
 * The responses of the model area in platforms that create servers, exactly as the description has them: for the OpenAPI
 * document, and for a check of each response of the sandbox.
 */
import { z } from "zod";
import type { CallTable } from "../../provider/api/calls/platform.ts";
import { serverStates } from "../../provider/api/schemas/anaconda-model-schemas.ts";
import { downloadProgressSchema } from "../../provider/api/schemas/model-schemas.ts";

const text = z.string();
const optionalText = z.string().optional();
const freeObject = z.record(z.string(), z.unknown());
const data = <Schema extends z.ZodType>(schema: Schema) => z.strictObject({ data: schema.optional() });

const file = z.strictObject({
  id: text,
  name: text,
  downloadUrl: text,
  sizeBytes: z.number(),
  sha256checksum: text,
  quantization: text,
  format: text,
  maxRamUsage: z.number(),
  isDownloaded: z.boolean().optional(),
  downloadStatus: z
    .strictObject({
      status: z.enum(["not_started", "in_progress", "paused", "completed"]).optional(),
      progress: downloadProgressSchema.strict().optional(),
      localPath: optionalText,
    })
    .optional(),
});

const quantization = z.strictObject({
  modelFileName: text,
  method: text,
  sizeBytes: z.number(),
  maxRamUsage: z.number(),
});
const model = z.strictObject({
  id: text,
  name: text,
  metadata: z.strictObject({
    numParameters: z.union([z.number(), z.string()]),
    contextWindowSize: z.number().optional(),
    trainedFor: text,
    description: text,
    quantizations: z.array(quantization),
  }),
});
const { downloadStatus: _, ...fileOfModel } = file.shape;
const modelDetails = z
  .strictObject({
    id: text,
    name: text,
    metadata: z
      .strictObject({
        numParameters: z.union([z.number(), z.string()]),
        contextWindowSize: z.number(),
        trainedFor: z.enum(["text-generation", "sentence-similarity"]),
        description: text,
        license: text,
        languages: z.array(text),
        last_updated: text,
        library_name: text,
        model_type: text,
        resources: z.strictObject({ canonicalUrl: text, paperUrl: text }).partial(),
        publisher: text,
        files: z.array(z.strictObject({ ...fileOfModel, localPath: text }).partial()),
      })
      .partial(),
  })
  .partial();

const serverConfig = z.strictObject({
  modelFileName: text,
  apiParams: freeObject.optional(),
  loadParams: freeObject.optional(),
  inferParams: freeObject.optional(),
  logsDir: optionalText,
});
const server = z
  .strictObject({
    id: text,
    tag: text,
    status: z.enum(serverStates),
    serverProcessId: z.int(),
    server: z.strictObject({ host: text, port: z.int() }).partial(),
    serverConfig,
    modelFile: z
      .strictObject({ id: text, name: text, localPath: text, isDownloaded: z.boolean(), quantization: text })
      .partial(),
  })
  .partial();
const movedServer = z
  .strictObject({ id: text, status: z.enum(["running", "stopped"]), startedAt: text, stoppedAt: text })
  .partial();

const tableSchema = z.strictObject({
  columns: z.array(z.strictObject({ name: text, type: text, constraints: z.array(text).optional() })),
});
const message = data(z.strictObject({ message: optionalText }));

export const exactModelAnswers: { readonly [Name in keyof CallTable]?: z.ZodType } = {
  listModels: data(z.array(model)),
  getModel: data(modelDetails),
  listModelFiles: data(z.array(file)),
  listServers: data(z.array(server)),
  createServer: data(z.strictObject({ serverConfig, startServerOnCreate: z.boolean().optional() })),
  getServer: data(server),
  moveServer: data(movedServer),
  deleteServer: data(z.strictObject({ id: text, status: z.literal("deleted"), deletedAt: text }).partial()),
  // The description leaves the form of a table open.
  listTables: z.array(z.union([text, freeObject])),
  createTable: data(z.strictObject({ name: text, schema: tableSchema, numRows: z.int() })),
  deleteTable: message,
  checkModels: message,
  checkServers: message,
  checkVectorDatabase: message,
};
