/** The model area of the platform `anaconda`, over bare HTTP. */
import { expect, it } from "vitest";
import { startSandbox } from "./harness.ts";
import { talksIn } from "./talk.ts";

talksIn("anaconda-models.txt", {
  platform: "anaconda",
  isDocumented: true,
  before:
    "\n  $tiny = models.addModel { name: tiny, files: [{ name: tiny-q4.gguf, quantization: Q4_K_M, sizeBytes: 1000000 }] }",
});

it("the basic platform has none of these calls", async () => {
  const { service } = await startSandbox();
  const calls = [
    "POST /api/servers",
    "PATCH /api/servers/s",
    "GET /api/models",
    "DELETE /api/vector-db/tables/t",
  ];
  for (const at of [...calls, "GET /api/models/m"]) {
    const [method = "", path] = at.split(" ");
    const headers = { authorization: `Bearer ${service.seed.apiKey}` };
    expect([404, 405], at).toContain((await fetch(service.modelUrl + path, { method, headers })).status);
  }
});
