/**
 * The requests and responses of the model area, as zod schemas. Unknown fields are ignored. Ids such as D21 are decisions
 * in docs/internal/contract.md.
 */
import { z } from "zod";
import { propertyOf } from "../../util/json.ts";
import { serverStatuses } from "./model-types.ts";

/** An API key of the model area: a UUID in any letter case (section 5 of the interface). */
export const apiKeySchema = z.guid("not a UUID");

/** The id of a server or a model, in any form: paths escape it. */
export const modelIdSchema = z.string().min(1).max(512);
export const portSchema = z.int().min(1).max(65_535);

/** The query of "list servers" (D21). A server must match all given filters. */
export const serverFilterSchema = z.strictObject({
  fileId: z.string().min(1).optional(),
  tag: z.string().min(1).optional(),
  /** A number in a program, a text in an address. */
  port: z.coerce.number().pipe(portSchema).optional(),
  host: z.string().min(1).optional(),
  status: z.enum(serverStatuses).optional(),
});

const freeObject = z.record(z.string(), z.unknown());

/** A server in the response of "list servers". */
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
  /** Accepted in any letter case, converted to lower case; undefined without such a field (D22). */
  status: z
    .string()
    .nullish()
    .transform((status) => status?.toLowerCase()),
});
export const serverListSchema = z.object({ data: z.array(serverSchema) });

/** The progress of a download (D34): a ratio from 0 to 1, milliseconds, and megabits per second. */
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

/** A file in the response of "list model files". */
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

/** The schema of a table; types and constraints are in the syntax of the database (D26). */
export const tableSchemaSchema = z.object({
  columns: z.array(
    z.object({ name: z.string(), type: z.string(), constraints: z.array(z.string()).optional() }),
  ),
});

/** The name of a table: a name that SQL does not need to quote. */
export const tableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, "1 to 63 letters, digits, and underscores, no digit first");

/** The request of "create table". */
export const createTableRequestSchema = z.object({
  name: tableNameSchema,
  schema: tableSchemaSchema.optional(),
  /** The first rows. */
  data: z.array(freeObject).optional(),
});
/** The response of "create table". */
export const createdTableSchema = z.object({
  data: z.object({
    name: z.string(),
    schema: tableSchemaSchema.nullish(),
    numRows: z.int().min(0).optional(),
  }),
});

/** The response of "list tables": names, or objects with a name (D25), all converted to objects. It can be in `data`. */
export const tableListSchema = z.preprocess(
  (body) => propertyOf(body, "data") ?? body,
  z.array(
    z.union([
      z.string().transform((name) => ({ name, schema: undefined, numRows: undefined })),
      z.object({
        name: z.string(),
        schema: tableSchemaSchema.optional(),
        numRows: z.int().min(0).optional(),
      }),
    ]),
  ),
);

export type CreateTableRequest = z.input<typeof createTableRequestSchema>;
