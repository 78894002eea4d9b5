/** Models, servers in every status, and vector tables of the data set. */

import type { CreateTableRequest } from "../../../provider/api/schemas/model-schemas.ts";
import type { Database } from "../base/database.ts";
import { type Random, seededRandom } from "../base/random.ts";
import type { Transaction } from "../vector/sql-transaction.ts";
import { makeTable } from "../vector/vector-tables.ts";
import { addModel, type NewModel, newModelSchema } from "./model-files.ts";
import { addServer, newServerSchema } from "./servers.ts";

const GIB = 2 ** 30;

/** A model of files that differ in quantization. */
function model(
  id: string,
  name: string,
  bytes: number,
  downloads: Readonly<Record<string, Download>>,
): NewModel {
  const sizes: Record<string, number> = { Q4_K_M: 0.3, Q5_K_M: 0.36, Q8_0: 0.55, F16: 1 };
  return {
    id,
    name,
    files: Object.entries(downloads).map(([quantization, download]) => ({
      id: `${id}-${quantization}`.toLowerCase(),
      name: `${id}-${quantization}.gguf`,
      sizeBytes: Math.round(bytes * (sizes[quantization] ?? 1)),
      quantization,
      download,
    })),
  };
}
type Download = NonNullable<NonNullable<NewModel["files"]>[number]["download"]>;

const coming = { receivedBytes: GIB, bytesPerSecond: 8_000_000 };
const MODELS: readonly NewModel[] = [
  model("wick-chat-8b", "Wick Chat 8B", 16 * GIB, { Q4_K_M: "done", Q8_0: "done", F16: "none" }),
  model("wick-chat-70b", "Wick Chat 70B", 140 * GIB, { Q4_K_M: coming, Q5_K_M: "none" }),
  model("beacon-embed", "Beacon Embed", GIB, { Q8_0: "done", F16: "done" }),
  model("mantle-code-14b", "Mantle Code 14B", 28 * GIB, {
    Q4_K_M: "done",
    Q5_K_M: { ...coming, paused: true },
  }),
];

const SERVERS = [
  ["chat", "wick-chat-8b-q4_k_m", "gpu-1", 8081, "running"],
  ["chat", "wick-chat-8b-q8_0", "gpu-2", 8081, "stopped"],
  ["embeddings", "beacon-embed-q8_0", "gpu-1", 8082, "running"],
  ["embeddings", "beacon-embed-f16", "gpu-3", 8082, "unavailable"],
  ["code", "mantle-code-14b-q4_k_m", "gpu-2", 8083, "errored"],
  ["code-review", "mantle-code-14b-q4_k_m", "gpu-2", 8084, "starting"],
  ["trial", "wick-chat-8b-q4_k_m", "gpu-3", 8085, "stopping"],
] as const;

export function insertModels(database: Database, now: number): void {
  for (const one of MODELS) addModel(database, now, newModelSchema.parse(one));
  for (const [index, [tag, fileId, machine, port, status]] of SERVERS.entries()) {
    const id = `5e1f0000-0000-4000-8000-00000000000${index + 1}`;
    const host = `${machine}.lanternfield.example`;
    const params = { loadParams: { ctx_size: 4096 * (1 + (index % 3)) }, inferParams: { temperature: 0.2 } };
    addServer(database, now, newServerSchema.parse({ id, tag, fileId, host, port, status, ...params }));
  }
}

const SUBJECTS = "lens arrays,field kits,pressure sensors,signal lamps,test benches,spare parts".split(",");
const KINDS = ["Notes on", "Calibration of", "Guide to", "Review of", "Orders for"];
const TERMS = ["aperture", "baseline", "drift", "fixture", "gain", "offset", "settling", "span", "yaw"];

type TableSchema = CreateTableRequest["schema"];

const DOCUMENTS: TableSchema = {
  columns: [
    { name: "id", type: "bigserial", constraints: ["PRIMARY KEY"] },
    { name: "title", type: "text", constraints: ["NOT NULL"] },
    { name: "department", type: "varchar(40)", constraints: ["NOT NULL"] },
    { name: "words", type: "integer", constraints: ["CHECK (words > 0)"] },
    { name: "embedding", type: "vector(8)", constraints: ["NOT NULL"] },
  ],
};
const SUPPORT_TICKETS: TableSchema = {
  columns: [
    { name: "number", type: "integer", constraints: ["PRIMARY KEY"] },
    { name: "subject", type: "text", constraints: ["NOT NULL"] },
    { name: "open", type: "boolean", constraints: ["NOT NULL", "DEFAULT true"] },
    { name: "embedding", type: "vector(4)" },
  ],
};
const ARCHIVE: TableSchema = { columns: [{ name: "entry", type: "jsonb", constraints: ["NOT NULL"] }] };

/** The vector tables, created on the first use of the vector database. */
export async function insertTables(transaction: Transaction): Promise<void> {
  const draw = seededRandom(11);
  for (const table of tables(draw)) await makeTable(transaction, table);
}

function tables(draw: Random): CreateTableRequest[] {
  const vector = (size: number) =>
    Array.from({ length: size }, () => Math.round(draw.number() * 2000 - 1000) / 1000);
  const title = () => `${draw.one(KINDS)} ${draw.one(SUBJECTS)}`;
  return [
    {
      name: "documents",
      schema: DOCUMENTS,
      data: Array.from({ length: 60 }, () => ({
        title: title(),
        department: draw.one(["research", "platform", "support"]),
        words: 100 + Math.floor(draw.number() * 2_000),
        embedding: vector(8),
      })),
    },
    {
      name: "support_tickets",
      schema: SUPPORT_TICKETS,
      data: Array.from({ length: 25 }, (_, index) => ({
        number: 1000 + index,
        subject: title(),
        open: draw.number() < 0.3,
        embedding: vector(4),
      })),
    },
    { name: "glossary", data: TERMS.map((term) => ({ term, embedding: vector(4) })) },
    { name: "archive", schema: ARCHIVE },
  ];
}
