/**
 * The wire of the model area: one zod schema for each request and answer. Fields that the contract does not name are
 * ignored. Numbers in comments are decisions of docs/contract.md.
 */
import { z } from "zod";
import { serverStatuses } from "./model-types.ts";

/** A key of the model area: a UUID (section 5 of the interface), letter case aside. */
export const apiKeySchema = z.guid("not a UUID");

/** The id of a server or a model: text of the service's own making, a path escapes what has to be. */
export const modelIdSchema = z.string().min(1).max(512);
export const portSchema = z.int().min(1).max(65_535);

/** The query of call 12 (D21). Every filter that is given has to fit. */
export const serverFilterSchema = z.strictObject({
  fileId: z.string().min(1).optional(),
  tag: z.string().min(1).optional(),
  /** A number where a program gives it, a text where it stands in an address. */
  port: z.coerce.number().pipe(portSchema).optional(),
  host: z.string().min(1).optional(),
  status: z.enum(serverStatuses).optional(),
});

const freeObject = z.record(z.string(), z.unknown());

/** A server as call 12 lists it. */
export const serverSchema = z.object({
  id: modelIdSchema,
  tag: z.string().nullish(),
  serverProcessId: z.int().nullish(),
  modelFile: z
    .object({
      id: z.string(),
      name: z.string(),
      localPath: z.string().nullish(),
      isDownloaded: z.boolean(),
      quantization: z.string().nullish(),
    })
    .nullish(),
  serverConfig: z
    .object({
      modelFileName: z.string(),
      apiParams: freeObject.nullish(),
      loadParams: freeObject.nullish(),
      inferParams: freeObject.nullish(),
      logsDir: z.string().nullish(),
    })
    .nullish(),
  server: z.object({ host: z.string(), port: z.int() }).nullish(),
  /** In any letter case, shown lower-case; undefined where the service has no such field (D22). */
  status: z
    .string()
    .nullish()
    .transform((status) => status?.toLowerCase()),
});
export const serverListSchema = z.object({ data: z.array(serverSchema) });

/** Where a download stands (D34): the ratio is 0 to 1, times are milliseconds, the rate is megabits a second. */
export const downloadProgressSchema = z.object({
  fileId: z.string(),
  modelId: z.string(),
  filename: z.string(),
  downloadedRatio: z.number(),
  transferredBytes: z.number(),
  totalBytes: z.number(),
  paused: z.boolean(),
  downloadTimeTaken: z.number(),
  averageMbps: z.number(),
});

/** A file of a model as call 13 lists it. */
export const modelFileSchema = z.object({
  id: z.string(),
  name: z.string(),
  downloadUrl: z.string().nullish(),
  sizeBytes: z.int(),
  sha256checksum: z.string().nullish(),
  quantization: z.string().nullish(),
  format: z.string().nullish(),
  maxRamUsage: z.int().nullish(),
  isDownloaded: z.boolean(),
  downloadStatus: z
    .object({ progress: downloadProgressSchema.nullish(), localPath: z.string().nullish() })
    .nullish(),
});
export const modelFileListSchema = z.object({ data: z.array(modelFileSchema) });

/** The answer of call 14. Its body may be missing: what counts is that the server is gone. */
export const deletedServerSchema = z.object({
  data: z.object({ id: z.string(), status: z.string(), deletedAt: z.string() }).optional(),
});

/** The schema of a table; types and constraints are the database's own words (D26). */
export const tableSchemaSchema = z.object({
  columns: z.array(
    z.object({ name: z.string(), type: z.string(), constraints: z.array(z.string()).optional() }),
  ),
});

/** The name of a table: what a database takes without quotes around it. */
export const tableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, "1 to 63 letters, digits and underscores, no digit first");

/** The body of call 16. */
export const createTableRequestSchema = z.object({
  name: tableNameSchema,
  schema: tableSchemaSchema.optional(),
  /** The first rows. */
  data: z.array(freeObject).optional(),
});
/** The answer of call 16. */
export const createdTableSchema = z.object({
  data: z.object({
    name: z.string(),
    schema: tableSchemaSchema.nullish(),
    numRows: z.int().min(0),
  }),
});

/** The answer of call 15: names, or objects with one (D25). Each becomes an object. */
export const tableListSchema = z.array(
  z.union([
    z.string().transform((name) => ({ name, schema: undefined, numRows: undefined })),
    z.object({
      name: z.string(),
      schema: tableSchemaSchema.optional(),
      numRows: z.int().min(0).optional(),
    }),
  ]),
);

export type Server = z.output<typeof serverSchema>;
export type ModelFile = z.output<typeof modelFileSchema>;
export type Table = z.output<typeof tableListSchema>[number];
export type CreateTableRequest = z.input<typeof createTableRequestSchema>;
export type CreatedTable = z.output<typeof createdTableSchema>["data"];
