/** Call 13: the files of a model, and downloads on the service's clock. */
import { describe, expect, it } from "vitest";
import { modelFileListSchema, serverListSchema } from "../../../provider/api/schemas/model-schemas.ts";
import type { NewModel } from "../../../sandbox/service/index.ts";
import { type Sandbox, startSandbox } from "./harness.ts";

const MODEL = "acme/tiny";
type Download = NonNullable<NewModel["files"]>[number]["download"];

/** A model of one file of 1,000,000 bytes, by default downloaded at 1,000 bytes a second. */
async function withFile(download: Download): Promise<Sandbox> {
  const sandbox = await startSandbox();
  const file = { id: "file-1", name: "tiny.gguf", sizeBytes: 1_000_000, download };
  await sandbox.management.models.addModel({ id: MODEL, name: "Tiny", files: [file] });
  return sandbox;
}

async function fileOf(sandbox: Sandbox) {
  const answer = await sandbox.send("listModelFiles", { model_id: MODEL });
  const [file] = modelFileListSchema.parse(answer.body).data;
  const { progress } = file?.downloadStatus ?? {};
  return { isDownloaded: file?.isDownloaded, ...progress };
}

describe("call 13", () => {
  it("call 13, D34: continues a download with the service's clock until it is done", async () => {
    const sandbox = await withFile({ bytesPerSecond: 1_000 });
    expect(await fileOf(sandbox)).toMatchObject({ transferredBytes: 0, downloadedRatio: 0, averageMbps: 0 });
    await sandbox.management.advance(400_000);
    expect(await fileOf(sandbox)).toMatchObject({
      isDownloaded: false,
      transferredBytes: 400_000,
      downloadedRatio: 0.4,
      downloadTimeTaken: 400_000,
      averageMbps: 0.008,
    });
    await sandbox.management.advance(599_999);
    expect(await fileOf(sandbox)).toMatchObject({ isDownloaded: false, transferredBytes: 999_999 });
    await sandbox.management.advance(3_600_000);
    expect(await fileOf(sandbox)).toMatchObject({
      isDownloaded: true,
      transferredBytes: 1_000_000,
      downloadedRatio: 1,
      downloadTimeTaken: 1_000_000,
    });
  });

  it.each<[string, Download, object]>([
    [
      "a download that is made paused",
      { receivedBytes: 5, paused: true },
      { paused: true, transferredBytes: 5 },
    ],
    ["a file without a download", "none", { isDownloaded: false, paused: false, transferredBytes: 0 }],
    ["a complete file", "done", { isDownloaded: true, downloadedRatio: 1 }],
  ])("call 13: keeps %s as it is", async (_, download, kept) => {
    const sandbox = await withFile(download);
    await sandbox.management.advance(1_000_000);
    expect(await fileOf(sandbox)).toMatchObject(kept);
  });

  it("call 13: a server's own file says the same of its download", async () => {
    const sandbox = await withFile({ bytesPerSecond: 1_000 });
    await sandbox.management.models.addServer({ tag: "chat", fileId: "file-1", port: 8080 });
    const downloaded = async () =>
      serverListSchema.parse((await sandbox.send("listServers")).body).data[0]?.modelFile?.isDownloaded;
    expect(await downloaded()).toBe(false);
    await sandbox.management.advance(1_000_000);
    expect(await downloaded()).toBe(true);
  });

  it("call 13: lists only the files of the requested model", async () => {
    const sandbox = await withFile("done");
    const { models } = sandbox.management;
    await models.addModel({ id: "empty", name: "Empty" });
    expect((await sandbox.send("listModelFiles", { model_id: "empty" })).body).toEqual({ data: [] });
    await expect(models.addModel({ id: MODEL, name: "Again" })).rejects.toThrow("409");
    await expect(models.addModel({ name: "A", files: [{ id: "file-1", name: "a" }] })).rejects.toThrow("409");
  });

  it.each(["nothing", "acme", "%ff", "a b"])(
    "call 13, note 4, D23, 404: %j is no model",
    async (model_id) => {
      const sandbox = await withFile("done");
      const answer = await sandbox.send("listModelFiles", { model_id });
      expect([answer.status, answer.body]).toEqual([404, { error: { message: "no such model" } }]);
    },
  );
});
