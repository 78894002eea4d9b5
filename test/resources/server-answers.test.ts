/** server-answers.txt, and a run that is cancelled while it waits. */
import { expect, test } from "vitest";
import { exchanges } from "./exchange.ts";
import { failure, scripted } from "./scripted.ts";

exchanges("server-answers.txt");

test("a cancelled run ends the wait for a server at once, and the state keeps the server", async () => {
  const started = { serverConfig: { modelFileName: "a.gguf" }, running: true, onDelete: "delete" };
  const starting = { id: "s1", status: "STARTING", serverConfig: started.serverConfig };
  const run = await scripted(
    ({ method, url }) => {
      if (url.endsWith("/s1")) return { body: { data: starting } };
      return method === "POST" ? { body: { data: { id: "s1" } } } : { body: { data: [] } };
    },
    { ORGSEAT_PLATFORM: "anaconda" },
  );
  const created = failure(run.server.create(started));
  while (!run.sentToModels().includes("GET /api/servers/s1"))
    await new Promise((resolve) => setImmediate(resolve));
  run.process.cancel();
  const error = await created;
  expect(error.message).toContain("it is still starting when the run was cancelled");
  expect(error).toMatchObject({ id: "s1", properties: { status: "starting" } });
  const sent = run.sentToModels().length;
  const update = failure(run.server.update("s1", error.properties ?? {}, started));
  expect((await update).message).toContain("cancelled");
  expect(run.sentToModels()).toHaveLength(sent + 1);
});
