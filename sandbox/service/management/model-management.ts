/** The client of the management API of the model area. */
import { z } from "zod";
import type { NewApiKey } from "../base/api-keys.ts";
import { type AddedModel, addedModelSchema, type NewModel } from "../models/model-files.ts";
import type { NewServer } from "../models/servers.ts";
import { type CatalogTable, catalogTableSchema } from "../vector/vector-catalog.ts";

const addedServerSchema = z.object({ id: z.string() });

/** Sends one request to the management API. @throws Error on an error response */
type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

/** Every method throws an `Error` with the text of an error response. */
export class ModelManagement {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Adds a key of the model area. The request log shows its name. */
  async addApiKey(key: NewApiKey): Promise<void> {
    await this.#do("/api-keys", key);
  }

  async addModel(model: NewModel): Promise<AddedModel> {
    return addedModelSchema.parse(await (await this.#send("POST", "/models", model)).json());
  }

  /** @returns the server's id */
  async addServer(server: NewServer): Promise<string> {
    return addedServerSchema.parse(await (await this.#send("POST", "/servers", server)).json()).id;
  }

  /** The server is `starting`, and `running` 20 seconds of the service's clock later. */
  startServer(id: string): Promise<void> {
    return this.#do(`/servers/${id}/moves`, { move: "start" });
  }

  /** A running server is `stopping`, and `stopped` 5 seconds of the service's clock later. */
  stopServer(id: string): Promise<void> {
    return this.#do(`/servers/${id}/moves`, { move: "stop" });
  }

  /** The process of a server fails: `errored`. */
  failServer(id: string): Promise<void> {
    return this.#do(`/servers/${id}/moves`, { move: "fail" });
  }

  makeServerUnavailable(id: string): Promise<void> {
    return this.#do(`/servers/${id}/moves`, { move: "make-unavailable" });
  }

  /** While it is stopped, "list tables" and "create table" respond with DATABASE_NOT_RUNNING. Its tables stay. */
  async runVectorDatabase(running: boolean): Promise<void> {
    await (await this.#send("PUT", "/vector-database", { running })).arrayBuffer();
  }

  /** The tables, or the one with that name, from PostgreSQL's catalog; also while it is stopped. */
  async vectorTables(name?: string): Promise<CatalogTable[]> {
    const query = name === undefined ? "" : `?name=${encodeURIComponent(name)}`;
    const answer = await this.#send("GET", `/vector-database/tables${query}`);
    return z.array(catalogTableSchema).parse(await answer.json());
  }

  async #do(path: string, body: unknown): Promise<void> {
    await (await this.#send("POST", path, body)).arrayBuffer();
  }
}
