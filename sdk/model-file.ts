import type * as pulumi from "@pulumi/pulumi";
import type { ModelResourceArgs } from "./base/base-resource.ts";
import { BaseResource } from "./base/base-resource.ts";

/** Inputs of a {@link ModelFile}. */
export interface ModelFileArgs extends ModelResourceArgs {
  /** The id of the model; `getModels` lists them. A change replaces the resource and downloads the new file first. */
  modelId: pulumi.Input<string>;
  /** The id of the file; `getModelFiles` lists them. A change replaces the resource and downloads the new file first. */
  fileId: pulumi.Input<string>;
  /**
   * Whether the download is paused. `true` pauses a download, starts none, and does not wait. A change pauses or resumes
   * the download. Default: false.
   */
  paused?: pulumi.Input<boolean>;
  /**
   * What happens on removal: `delete` deletes the download; `retain` leaves it. Required. A change updates only the
   * state.
   */
  onDelete: pulumi.Input<"delete" | "retain">;
}

/**
 * A downloaded file of a model. The creation starts or resumes the download, and waits until the file is complete; it
 * reports every 10%. A download that takes longer than `orgseat:operationTimeout` continues in the service, and the
 * next run waits for it. The resource id is `<model id>/<file id>`. Refresh updates the outputs, and drops the resource
 * if the service no longer has the file. Removal deletes or retains the download, according to `onDelete`; the model
 * stays. The platform `basic` does not support this.
 *
 * ```ts
 * const file = new ModelFile("tiny", { modelId: "tiny", fileId: "tiny-q4", onDelete: "retain" });
 * const server = new ModelServer("search", {
 *   serverConfig: { modelFileName: file.name.apply((name) => name ?? "") },
 *   onDelete: "delete",
 * });
 * ```
 */
export class ModelFile extends BaseResource {
  declare readonly modelId: pulumi.Output<string>;
  declare readonly fileId: pulumi.Output<string>;
  declare readonly paused: pulumi.Output<boolean | undefined>;
  declare readonly onDelete: pulumi.Output<"delete" | "retain">;
  /** The name for the configuration of a server. Null if the service does not return it; the same applies to the next fields. */
  declare readonly name: pulumi.Output<string | null>;
  declare readonly downloadUrl: pulumi.Output<string | null>;
  /** Bytes. */
  declare readonly sizeBytes: pulumi.Output<number | null>;
  declare readonly sha256checksum: pulumi.Output<string | null>;
  declare readonly quantization: pulumi.Output<string | null>;
  declare readonly format: pulumi.Output<string | null>;
  /** Bytes. */
  declare readonly maxRamUsage: pulumi.Output<number | null>;
  /** The path on the machine of the service. */
  declare readonly localPath: pulumi.Output<string | null>;
  /** `not_started`, `in_progress`, `paused`, or `completed`, at the last creation, update, or refresh. */
  declare readonly downloadStatus: pulumi.Output<string>;

  constructor(name: string, args: ModelFileArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, { paused: undefined, ...args }, options);
  }
}

const definition = {
  type: "ModelFile",
  outputs: [
    ...["name", "downloadUrl", "sizeBytes", "sha256checksum", "quantization", "format", "maxRamUsage"],
    ...["localPath", "downloadStatus"],
  ],
  secretOutputs: [],
  claims: [],
} as const;
