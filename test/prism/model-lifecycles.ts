/** The lifecycles of the resources of the model area at level R, as programs that change step by step. */
import type { DirectResource } from "../setup/direct.ts";
import { type Lifecycle, removed, settled } from "./lifecycles.ts";
import { addModel } from "./model-calls.ts";

export const modelLifecycles: readonly Lifecycle[] = [
  [
    "a server that is created, stopped, started, reconfigured and deleted",
    async (watched) => {
      const { stack } = watched;
      await addModel(watched);
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
      await settled(stack, server({ running: true }));
      await settled(stack, server({ running: false }));
      await settled(stack, server({ running: true }));
      await settled(stack, server({ running: true }, 1024));
      await removed(stack);
    },
  ],
  [
    "the vector database and a table",
    async ({ stack }) => {
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
      await settled(stack, [database(true), table]);
      await settled(stack, [database(true)]);
      await settled(stack, [database(false)]);
      await removed(stack);
    },
  ],
];
