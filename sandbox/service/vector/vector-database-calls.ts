/** "create vector database" and "start or stop vector database": there is one, which both calls show. */
import { moveVectorDatabaseRequestSchema } from "../../../provider/api/schemas/anaconda-model-schemas.ts";
import type { VectorHandler } from "../base/handler.ts";
import { refusal } from "../base/refusals.ts";
import type { Switches } from "../base/settings.ts";

/** Also where it exists: then it starts. */
export const createVectorDatabase: VectorHandler = async ({ settings, switches }) => {
  settings.setVectors({ exist: true, run: true });
  return detailsOf(true, switches);
};

/** Its tables stay while it is stopped. */
export const moveVectorDatabase: VectorHandler = async ({ settings, vectors, switches }, body) => {
  const { running } = moveVectorDatabaseRequestSchema.parse(body);
  if (!settings.vectorsExist()) throw refusal(400, "INVALID_REQUEST", "there is no vector database");
  settings.setVectors({ exist: true, run: running });
  if (!running) await vectors.stop();
  return detailsOf(running, switches);
};

/** The address of no real database: the sandbox serves its tables by its own calls only. */
function detailsOf(running: boolean, { secretMarker }: Switches) {
  return {
    data: {
      ...{ running, host: "127.0.0.1", port: 5432, database: "vectors", user: "tables" },
      password: `${secretMarker}sandbox-only-vector-password`,
    },
  };
}
