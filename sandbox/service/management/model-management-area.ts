/** The management API of the model area: keys, models, servers, the vector database. */
import type { Hono } from "hono";
import { z } from "zod";
import { addApiKey, newApiKeySchema } from "../base/api-keys.ts";
import type { Core } from "../core.ts";
import { addModel, newModelSchema } from "../models/model-files.ts";
import { addServer, moveServer, newServerSchema, serverMoves } from "../models/servers.ts";
import { findTables } from "../vector/vector-catalog.ts";
import { changesOf, read } from "./management-body.ts";

const serverMoveSchema = z.strictObject({ move: z.enum(serverMoves) });
const vectorDatabaseSchema = z.strictObject({ running: z.boolean() });

export function modelRoutes(app: Hono, { database, settings }: Core): void {
  const onChange = changesOf(app, database);
  onChange("POST", "/api-keys", newApiKeySchema, (key) => addApiKey(database, key));
  app.post("/models", async (context) => {
    const model = await read(context.req.raw, newModelSchema);
    return context.json(database.transaction(() => addModel(database, settings.now(), model)));
  });
  app.post("/servers", async (context) => {
    const server = await read(context.req.raw, newServerSchema);
    const id = database.transaction(() => addServer(database, settings.now(), server));
    return context.json({ id });
  });
  onChange("POST", "/servers/:id/moves", serverMoveSchema, ({ move }, id) =>
    moveServer(database, settings.now(), id, move),
  );
}

export function vectorRoutes(app: Hono, { settings, vectors }: Core): void {
  app.put("/vector-database", async (context) => {
    const { running } = await read(context.req.raw, vectorDatabaseSchema);
    settings.setVectorsRun(running);
    if (!running) await vectors.stop();
    return context.body(null, 204);
  });
  app.get("/vector-database/tables", async (context) => {
    // A request for the tables does not start the database.
    if (!vectors.exists) return context.json([]);
    const name = context.req.query("name");
    return context.json(await vectors.read((transaction) => findTables(transaction, name)));
  });
}
