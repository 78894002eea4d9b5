import { describe, expect, test } from "vitest";
import type { Script, Scripted } from "../provider/api/service.ts";
import { type AnacondaArea, anacondaArea } from "../setup/anaconda-area.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import { failure, inTurn, type Props, scripted } from "./scripted.ts";

const GET = 28;
const CHANGE = 21;
const DELETE = 29;

interface Begun {
  readonly area: AnacondaArea;
  readonly stack: DirectStack;
  readonly modelId: string;
  /** The file; it is deleted with the program by default. */
  program(args?: Props, name?: string): DirectResource[];
  /** What the service has received, by the name of the file. */
  received(): Promise<Record<string, unknown>>;
}

/** A model with one file, which takes ten seconds to download. */
async function begin(download: "none" | "done" | { paused: boolean } = "none"): Promise<Begun> {
  const area = await anacondaArea();
  const file = { id: "f1", name: "a.gguf", sizeBytes: 100_000_000, download };
  const { modelId } = await area.models.addModel({ id: "acme/a", name: "A", files: [file] });
  const stack = area.stack();
  const { service } = area.organization;
  return {
    area,
    stack,
    modelId,
    program: (args = {}, name = "file") => [
      { type: "ModelFile", name, args: { modelId, fileId: "f1", onDelete: "delete", ...args } },
    ],
    received: async () => {
      const headers = { authorization: `Bearer ${service.seed.apiKey}` };
      const answer = await fetch(`${service.modelUrl}/models/${encodeURIComponent(modelId)}/files`, {
        headers,
      });
      const { data } = (await answer.json()) as {
        data: { name: string; downloadStatus: { status: string } }[];
      };
      await area.calls();
      return Object.fromEntries(data.map(({ name, downloadStatus }) => [name, downloadStatus.status]));
    },
  };
}
const outsOf = (stack: DirectStack, name = "file") => stack.state.get(name)?.outs;
const without = (calls: readonly unknown[], call: number) => calls.filter((one) => one !== call);

describe("ModelFile", () => {
  test("ends the run downloaded, with messages of its progress, and changes nothing after", async () => {
    const { area, stack, program, received } = await begin();
    const { errors, messages } = await stack.up(program());
    expect(errors).toEqual([]);
    expect(without(await area.calls(), GET)).toEqual([CHANGE]);
    expect(messages.length).toBeGreaterThan(1);
    for (const { severity, text } of messages)
      expect([severity, text]).toEqual([
        "info",
        expect.stringMatching(/^ModelFile a\.gguf: \d+% downloaded\.$/),
      ]);
    expect(stack.state.get("file")?.id).toBe("acme/a/f1");
    expect(outsOf(stack)).toMatchObject({
      ...{ name: "a.gguf", sizeBytes: 100_000_000, format: "gguf", downloadStatus: "completed" },
      localPath: expect.stringContaining("a.gguf"),
    });
    expect(await stack.preview(program())).toEqual([]);
    await area.calls();
    expect((await stack.refresh()).errors).toEqual([]);
    expect(await area.calls()).toEqual([GET]);
    expect(await stack.preview(program())).toEqual([]);
    expect((await stack.up([])).errors).toEqual([]);
    expect(await area.calls()).toEqual([DELETE]);
    expect(await received()).toEqual({ "a.gguf": "not_started" });
  });

  test("takes one read if it is downloaded already, and stays if `onDelete` says so", async () => {
    const { area, stack, program, received } = await begin("done");
    expect((await stack.up(program({ onDelete: "retain" }))).errors).toEqual([]);
    expect(await area.calls()).toEqual([GET]);
    const { messages } = await stack.up([]);
    expect(messages).toEqual([
      {
        severity: "warning",
        text: "ModelFile a.gguf is retained: the download stays in the service.",
      },
    ]);
    expect(await received()).toEqual({ "a.gguf": "completed" });
  });

  test("pauses and resumes by `paused`, and downloads again if refresh finds it gone", async () => {
    const { area, stack, program, received } = await begin({ paused: false });
    expect((await stack.up(program({ paused: true }))).errors).toEqual([]);
    expect(await area.calls()).toEqual([GET, CHANGE]);
    expect(await received()).toEqual({ "a.gguf": "paused" });
    expect(await stack.preview(program({ paused: true }))).toEqual([]);
    expect(await stack.preview(program())).toEqual(["file"]);
    expect((await stack.up(program())).errors).toEqual([]);
    expect(await received()).toEqual({ "a.gguf": "completed" });
    await stack.up(program({ onDelete: "delete" }));
    const other = area.stack();
    await other.up(program({}, "other"));
    await other.up([]);
    await stack.refresh();
    expect(await stack.preview(program())).toEqual(["file"]);
    expect((await stack.up(program())).errors).toEqual([]);
    expect(await received()).toEqual({ "a.gguf": "completed" });
  });

  test("starts no download with `paused`", async () => {
    const { area, stack, program, received } = await begin();
    expect((await stack.up(program({ paused: true }))).errors).toEqual([]);
    expect(await area.calls()).toEqual([GET]);
    expect(outsOf(stack)).toMatchObject({ downloadStatus: "not_started" });
    expect(await received()).toEqual({ "a.gguf": "not_started" });
  });

  test("enters the state if it takes longer than the operation may, and the next run waits for it", async () => {
    const { area, stack, program } = await begin();
    stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "5s";
    const { errors } = await stack.up(program());
    expect(errors).toEqual([
      expect.stringMatching(
        /^cannot download a\.gguf: it is at \d+% after the operation timeout .*Run `pulumi up` again/,
      ),
    ]);
    expect(outsOf(stack)).toMatchObject({ downloadStatus: "in_progress" });
    await area.calls();
    stack.configuration.ORGSEAT_OPERATION_TIMEOUT = "60s";
    expect((await stack.up(program())).errors).toEqual([]);
    expect(new Set(await area.calls()), "no second start").toEqual(new Set([GET]));
    expect(outsOf(stack)).toMatchObject({ downloadStatus: "completed" });
  });

  test("says where the ids are if the model or file is unknown", async () => {
    const { stack, program } = await begin();
    const { errors } = await stack.up(program({ fileId: "f2" }));
    expect(errors).toEqual([
      "cannot download model file f2 of model acme/a: the service does not have this file. Correct `modelId` and `fileId`; `getModelFiles` lists the files of a model. [not-found]",
    ]);
    expect(stack.state.size).toBe(0);
  });

  test("stays if it moved to another name in the program", async () => {
    const { stack, program, received } = await begin("done");
    await stack.up(program());
    expect((await stack.up(program({}, "renamed"))).errors).toEqual([]);
    expect(await received()).toEqual({ "a.gguf": "completed" });
  });

  test.each([
    ["cut-before", CHANGE],
    ["cut-after", CHANGE],
    ["cut-middle", CHANGE],
    ["cut-after", GET],
    ["cut-after", DELETE],
  ] as const)("%s of call %i changes no result", async (kind, call) => {
    const { area, stack, program, received } = await begin();
    await area.organization.service.management.addFaults({ match: { call }, fault: { kind } });
    expect((await stack.up(program())).errors).toEqual([]);
    expect(outsOf(stack)).toMatchObject({ downloadStatus: "completed" });
    expect((await stack.destroy()).errors).toEqual([]);
    expect(await received()).toEqual({ "a.gguf": "not_started" });
  });

  test("imports by the ids of model and file", async () => {
    const run = await scripted(() => details({ isDownloaded: true }), {
      ORGSEAT_PLATFORM: "anaconda",
    });
    const imported = await run.modelFile.read("acme/a/f1", {});
    expect(imported).toMatchObject({
      id: "acme/a/f1",
      inputs: { modelId: "acme/a", fileId: "f1", onDelete: "retain" },
      props: { name: "a.gguf", downloadStatus: "completed" },
    });
    expect((await failure(run.modelFile.read("f1", {}))).message).toContain(
      "the id must be <model id>/<file id>",
    );
  });

  test("fails its check if the service has no request for it", async () => {
    const run = await scripted(() => ({}));
    const { failures } = await run.modelFile.check({}, news);
    expect(failures).toEqual([
      {
        property: "",
        reason: expect.stringMatching(/^this service .*cannot download model files/),
      },
    ]);
  });
});

const news = { modelId: "m1", fileId: "f1", onDelete: "delete" };
const details = (more: object = {}): Scripted => ({
  body: { data: { id: "f1", name: "a.gguf", sizeBytes: 7, ...more } },
});
const status = (one: string): Scripted => details({ downloadStatus: { status: one } });
const refused: Scripted = { status: 400, body: { error: { code: "INVALID_REQUEST", message: "no" } } };
const outs = { ...news, ...serviceFields(), downloadStatus: "in_progress", stateVersion: 1, instance: "i1" };
const READ = "GET /api/models/m1/files/f1";
const START = "PATCH /api/models/m1/files/f1";

function serviceFields(): Props {
  return {
    ...{ name: "a.gguf", downloadUrl: null, sizeBytes: 7, sha256checksum: null, quantization: null },
    ...{ format: null, maxRamUsage: null, localPath: null },
  };
}

function answering(...answers: readonly (Scripted | Script)[]) {
  return scripted(inTurn(...answers), { ORGSEAT_PLATFORM: "anaconda" });
}

describe("ModelFile, against odd answers", () => {
  test("waits where the service shows the file as it was before the start", async () => {
    const run = await answering(
      details({ isDownloaded: false }),
      { body: {} },
      status("not_started"),
      status("completed"),
    );
    expect(await run.modelFile.create(news)).toMatchObject({ outs: { downloadStatus: "completed" } });
    expect(run.sentToModels()).toEqual([READ, START, READ, READ]);
  });

  test("asks for the downloaded files where a file shows nothing of its download", async () => {
    const listed: Scripted = { body: { data: [{ id: "f1", name: "a.gguf", sizeBytes: 7 }] } };
    const run = await answering(details(), { body: {} }, { body: {} }, details(), listed);
    expect(await run.modelFile.create(news)).toMatchObject({ outs: { downloadStatus: "completed" } });
    const LIST = "GET /models/m1/files?downloaded=true";
    expect(run.sentToModels()).toEqual([READ, LIST, START, READ, LIST]);
  });

  test("takes a refused start for done where the download is under way", async () => {
    const run = await answering(status("not_started"), refused, status("in_progress"), status("completed"));
    expect(await run.modelFile.create(news)).toMatchObject({ outs: { downloadStatus: "completed" } });
  });

  test.each([
    ["on its way", [refused, details(), { body: {} }, refused, details(), { body: {} }]],
    ["paused", [refused, details(), { body: {} }, { body: {} }]],
  ])("resumes or waits for a download that shows nothing if its start is refused: %s", async (_, answers) => {
    const listed: Scripted = { body: { data: [{ id: "f1", name: "a.gguf", sizeBytes: 7 }] } };
    const run = await answering(details(), { body: {} }, ...answers, details(), listed);
    expect(await run.modelFile.create(news)).toMatchObject({ outs: { downloadStatus: "completed" } });
  });

  test("enters the state if its start is refused", async () => {
    const run = await answering(status("not_started"), refused, status("not_started"));
    const error = await failure(run.modelFile.create(news));
    expect(error.message).toContain("no (HTTP 400 INVALID_REQUEST");
    expect(error).toMatchObject({ id: "m1/f1", properties: { downloadStatus: "not_started" } });
  });

  test.each([
    ["paused", "the download is paused, which the preview did not expect"],
    ["not_started", "the download is not_started, which the preview did not expect"],
  ])("sends nothing that the preview did not show: %s", async (seen, why) => {
    const run = await answering(status(seen));
    const error = await failure(run.modelFile.update("m1/f1", outs, news));
    expect(error.message).toContain(why);
    expect(error).toMatchObject({ properties: { downloadStatus: seen } });
    expect(run.sentToModels()).toEqual([READ]);
    expect(await run.modelFile.diff("m1/f1", error.properties ?? {}, news)).toMatchObject({ changes: true });
  });

  test("fails if somebody pauses it meanwhile", async () => {
    const run = await answering(status("not_started"), { body: {} }, status("paused"));
    expect((await failure(run.modelFile.create(news))).message).toContain(
      "the download was paused in the service",
    );
  });

  test("sends nothing for other credentials or another `onDelete`", async () => {
    const run = await answering({ status: 500 });
    const olds = { ...outs, downloadStatus: "completed" };
    const { outs: next } = await run.modelFile.update("m1/f1", olds, { ...news, onDelete: "retain" });
    expect(next).toMatchObject({ onDelete: "retain", name: "a.gguf", instance: "i1" });
    expect(run.sentToModels()).toEqual([]);
  });

  test("ends the wait for a download at once if the run is cancelled", async () => {
    const run = await answering(status("in_progress"));
    run.process.cancel();
    const error = await failure(run.modelFile.create(news));
    expect(error.message).toContain("when the run was cancelled; the download continues in the service");
    expect(error).toMatchObject({ id: "m1/f1", properties: { downloadStatus: "in_progress" } });
    expect(run.sentToModels()).toHaveLength(1);
  });

  test("leaves the state where the lists confirm that it does not exist", async () => {
    const run = await answering(({ url }) =>
      url === "/m/api/models" ? { body: { data: [] } } : { status: 404, body: {} },
    );
    expect(await run.modelFile.read("m1/f1", outs)).toEqual({});
    expect((await failure(run.modelFile.update("m1/f1", outs, news))).message).toContain(
      "no longer has this file",
    );
  });

  test("stays in the state if the lists show the file or its model, or cannot be read", async () => {
    const notFound = { status: 404, body: {} };
    const texts = { name: "a.gguf", downloadUrl: "x", sha256checksum: "x", quantization: "x", format: "x" };
    const file = { id: "f1", ...texts, sizeBytes: 1, maxRamUsage: 1, isDownloaded: true };
    const model = { id: "m1", name: "m", metadata: { trainedFor: "text-generation", quantizations: [] } };
    const lists: Readonly<Record<string, Script>> = {
      file: ({ url }) => (url.endsWith("/models/m1/files") ? { body: { data: [file] } } : notFound),
      model: ({ url }) => (url === "/m/api/models" ? { body: { data: [model] } } : notFound),
      none: () => notFound,
    };
    for (const answer of Object.values(lists)) {
      const run = await answering(answer);
      expect((await failure(run.modelFile.read("m1/f1", outs))).message).toContain("HTTP 404");
      const removed = { ...outs, onDelete: "delete" };
      expect((await failure(run.modelFile.delete("m1/f1", removed))).message).toContain("HTTP 404");
    }
  });

  test("replaces the file if the id changes, the new one first", async () => {
    const run = await answering();
    const olds = { ...outs, downloadStatus: "completed" };
    expect(await run.modelFile.diff("m1/f1", olds, { ...news, fileId: "f2" })).toEqual({
      ...{ changes: true, replaces: ["fileId"], deleteBeforeReplace: false },
    });
  });
});
