// A model server, a table of documents with embeddings, and lookups of other objects.
import * as pulumi from "@pulumi/pulumi";
import { getModelFiles, getModelServers, getVectorTables, ModelServer, VectorTable } from "orgseat";

const config = new pulumi.Config();

// A server is created at the service and adopted by its id. A lookup finds the id, in previews too.
const tag = config.require("serverTag");
const [found, ...others] = await getModelServers({ tag });
if (found === undefined || others.length > 0) {
  throw new pulumi.RunError(
    `${others.length === 0 ? "No server has" : "Several servers have"} the tag ${tag}.`,
  );
}
// `onDelete` is required: when the server leaves this program, "retain" leaves it, and "delete" deletes it.
const server = new ModelServer("server", { serverId: found.id, onDelete: "retain" });

// Types and constraints are in the syntax of the database. orgseat sends the rows when it creates the table, and never again.
const handbook = new VectorTable("handbook", {
  name: "handbook",
  schema: {
    columns: [
      { name: "id", type: "bigint", constraints: ["PRIMARY KEY"] },
      { name: "title", type: "text", constraints: ["NOT NULL"] },
      { name: "embedding", type: "vector(3)" },
    ],
  },
  data: [
    { id: 1, title: "Welcome", embedding: [0.9, 0.1, 0] },
    { id: 2, title: "House rules", embedding: [0.1, 0.8, 0.3] },
  ],
  // Required in the platform `anaconda`, where "delete" deletes the table.
  onDelete: "retain",
});

// The progress of the model's downloads, in percent by file.
const files = await getModelFiles(config.require("modelId"));
const progress = files.flatMap(({ downloadStatus }) => downloadStatus?.progress ?? []);

export const serverStatus = server.status;
export const serverAddress = server.endpoint.apply((at) => (at ? `${at.host}:${at.port}` : "not known"));
export const handbookRows = handbook.numRows;
export const downloads = Object.fromEntries(
  progress.map(({ filename, downloadedRatio }) => [filename, Math.round(downloadedRatio * 100)]),
);
/** All tables, looked up after the creation of the one above. */
export const tables = handbook.id.apply(async () => (await getVectorTables()).map(({ name }) => name));
