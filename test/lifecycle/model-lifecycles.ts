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
    "a table that is created, deleted, and created again",
    async (stack) => {
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
      await stack.settle([table]);
      await stack.settle([]);
      await stack.settle([table]);
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
