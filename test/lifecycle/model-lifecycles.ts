/** The lifecycles of the model area in the platform `anaconda`, as programs that change step by step. */
import type { DirectResource } from "../setup/direct.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import type { Lifecycle } from "./lifecycles.ts";

export const modelLifecycles: readonly Lifecycle[] = [
  [
    "a server that is created, stopped, started, reconfigured and deleted",
    async (stack) => {
      await addModel(stack);
      const server = (args: object, contextLength = 512): DirectResource[] => [
        {
          type: "ModelServer",
          name: "chat",
          args: {
            serverConfig: { modelFileName: "tiny.gguf", loadParams: { contextLength } },
            ...{ onDelete: "delete", stopOnDelete: true, ...args },
          },
        },
      ];
      await stack.settle(server({ running: true }));
      await stack.settle(server({ running: false }));
      await stack.settle(server({ running: true }));
      await stack.settle(server({ running: true }, 1024));
      await stack.remove();
    },
  ],
  [
    "a model file that is deleted, downloaded, paused and resumed",
    async (stack) => {
      const { modelId, fileId } = await addModel(stack);
      const file = (args: object = {}): DirectResource[] => [
        { type: "ModelFile", name: "file", args: { modelId, fileId, onDelete: "delete", ...args } },
      ];
      await stack.settle(file());
      await stack.remove();
      await stack.settle(file({ paused: true }));
      await stack.settle(file());
      await stack.remove();
      const { models } = stack.organization.service.management;
      await models.resumeDownload(fileId);
      await stack.settle(file({ paused: true }));
      await stack.settle(file());
      await stack.remove();
    },
  ],
  [
    "the vector database and a table",
    async (stack) => {
      const database = (running: boolean): DirectResource => ({
        type: "VectorDatabase",
        name: "database",
        args: { running },
      });
      const table: DirectResource = {
        type: "VectorTable",
        name: "papers",
        args: {
          name: "papers",
          schema: { columns: [{ name: "id", type: "bigint", constraints: ["PRIMARY KEY"] }] },
          data: [{ id: 1 }],
          onDelete: "delete",
        },
      };
      const { organization } = stack;
      await organization.service.management.models.removeVectorDatabase();
      await stack.settle([database(true), table]);
      await stack.settle([database(true)]);
      await stack.settle([database(true), table]);
      // The database stops before the table is deleted. A refresh of a stopped database cannot read a table.
      await stack.settle([database(false)]);
      await stack.remove();
    },
  ],
];

export async function addModel({
  organization,
}: {
  readonly organization: Sandbox;
}): Promise<{ modelId: string; fileId: string }> {
  const files = [{ name: "tiny.gguf", sizeBytes: 1_000_000, quantization: "Q4_K_M" }];
  const { models } = organization.service.management;
  const { modelId, fileIds } = await models.addModel({ name: "tiny", files });
  return { modelId, fileId: fileIds[0] ?? "" };
}
