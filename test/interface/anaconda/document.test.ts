/** The sandbox answers each operation of the model area as the document typed by hand says. */
import { expect, test } from "vitest";
import { z } from "zod";
import { MODEL_BASE } from "../../../sandbox/service/index.ts";
import { exchange } from "../../setup/exchange.ts";
import { modelArea } from "../../setup/model-area.ts";
import { sandbox, temporaryFolder } from "../../setup/sandbox.ts";
import { documentedPaths, jsonSchema } from "./operations.ts";

const NOBODY = "0b5c9a2e-1d7f-4c3a-9e2b-7d1f0a6b4c8d";
const paths = documentedPaths(MODEL_BASE);

const table = { name: "papers", schema: { columns: [{ name: "id", type: "int" }] } };
const SERVER = "/api/servers/{server_id}";

/** The status, the operation, the body, and what `{...}` stands for besides. */
type Step = readonly [status: number, operation: string, body?: object | undefined, server?: string];

/** In the order in which each has the status. */
const steps: readonly Step[] = [
  [200, "GET /api"],
  ...["models", "servers", "vector-db"].map((part) => [200, `GET /api/${part}/health`] as const),
  [200, "GET /api/models"],
  [200, "GET /api/models/{model_id}"],
  [200, "GET /models/{model_id}/files"],
  [404, "POST /api/servers", { serverConfig: { modelFileName: "no.gguf" } }],
  [200, "GET /api/servers"],
  [200, `GET ${SERVER}`],
  [404, `GET ${SERVER}`, undefined, NOBODY],
  [400, `GET ${SERVER}`, undefined, "no-id"],
  [200, `PATCH ${SERVER}`, { action: "start" }],
  [202, `PATCH ${SERVER}`, { action: "start" }],
  [409, `DELETE ${SERVER}`],
  [200, "POST /api/vector-db/tables", table],
  [409, "POST /api/vector-db/tables", table],
  [200, "GET /api/vector-db/tables"],
  [200, "DELETE /api/vector-db/tables/{name}"],
  [404, "DELETE /api/vector-db/tables/{name}"],
];

test.each(["sent", "omitted"] as const)(
  "the sandbox keeps to the document, its optional fields %s",
  async (optionalFields) => {
    const area = await modelArea(await sandbox({}, temporaryFolder(), "anaconda"));
    const { service } = area.organization;
    const serverId = await area.addServer("chat");
    await service.management.setSwitches({ optionalFields });
    const take = async ([status, operation, body, server = serverId]: Step): Promise<void> => {
      const [method = "", path = ""] = operation.split(" ");
      const variables = { model_id: area.modelId, server_id: server, name: "papers" };
      const at = Object.entries(variables).reduce(
        (text, [name, value]) => text.replace(`{${name}}`, value),
        path,
      );
      const headers = { authorization: `Bearer ${service.seed.apiKey}`, "content-type": "application/json" };
      const answer = await exchange(service.modelUrl + at, {
        ...{ method, headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.status, `${operation}: ${answer.text}`).toBe(status);
      const response = paths[MODEL_BASE + path]?.[method.toLowerCase()]?.responses[status];
      expect(response, operation).toBeDefined();
      const schema = jsonSchema(response);
      if (schema === undefined) expect(answer.text, operation).toBe("");
      else
        expect(z.fromJSONSchema(schema).safeParse(answer.body), operation).toMatchObject({ success: true });
    };
    for (const step of steps) await take(step);
    await service.management.models.runVectorDatabase(false);
    await take([404, "GET /api/vector-db/tables"]);
  },
);
