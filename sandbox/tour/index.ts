/**
 * `npm run tour`: one minute in the life of an organization, with the requests that orgseat sends. It runs in an
 * isolated environment in a temporary folder, with its own service, and removes everything at its end.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOrMakeCli } from "../pulumi/cli.ts";
import { type PlatformName, type RunningService, startService } from "../service/index.ts";
import { isolatedEnvironment } from "../start/isolated-environment.ts";
import { Stack } from "../start/stack.ts";
import { type Chapter, chaptersOf, SEATS } from "./chapters.ts";
import { PROJECT_NAME, writeProject } from "./program.ts";
import { Scene } from "./scene.ts";

/** @returns the exit code: 1 if a chapter fails */
export async function tour(platform: PlatformName): Promise<number> {
  const cli = await findOrMakeCli(process.env, { download: true });
  const print = (line: string): void => console.log(line);
  print(`Pulumi CLI ${cli.version} (${cli.command})`);
  const folder = mkdtempSync(join(tmpdir(), "orgseat-tour-"));
  const account = { name: "tour", clientId: randomUUID(), clientSecret: randomUUID() };
  try {
    const dataFolder = join(folder, "service");
    const service = await startService({
      dataFolder,
      platform,
      seed: { seats: SEATS, serviceAccount: account },
    });
    try {
      writeProject(folder);
      const environment = environmentOf(service, folder, account);
      const place = { project: folder, projectName: PROJECT_NAME, stack: "tour", folder };
      const stack = new Stack(cli, environment, place);
      await stack.prepare();
      return await runChapters(chaptersOf(platform), new Scene({ service, stack, folder, account, print }));
    } finally {
      await service.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs chapter after chapter, until one fails. @returns the exit code */
export async function runChapters(all: readonly Chapter[], scene: Scene): Promise<number> {
  const startedAt = performance.now();
  for (const [index, { title, run }] of all.entries()) {
    scene.print();
    scene.print(`${index + 1}. ${title}`);
    try {
      await run(scene);
    } catch (error) {
      if (scene.lastOutput !== undefined) scene.print(`\nLast output of the engine:\n${scene.lastOutput}`);
      const reason = error instanceof Error ? error.message : String(error);
      scene.print(`Chapter ${index + 1} (${title}) failed: ${reason}.`);
      return 1;
    }
  }
  scene.print(
    `\nAll ${all.length} chapters succeeded in ${Math.round((performance.now() - startedAt) / 1000)} s.`,
  );
  return 0;
}

function environmentOf(
  { platform, orgUrl, tokenUrl, seed }: RunningService,
  folder: string,
  account: { readonly clientId: string; readonly clientSecret: string },
): Record<string, string> {
  return isolatedEnvironment(process.env, {
    folder,
    passphrase: randomUUID(),
    compileCache: join(folder, "compiled"),
    configuration: {
      ORGSEAT_ORGANIZATION_ID: seed.organizationId,
      ORGSEAT_ORG_URL: orgUrl,
      ORGSEAT_TOKEN_URL: tokenUrl,
      ORGSEAT_PLATFORM: platform,
      ORGSEAT_CLIENT_ID: account.clientId,
      ORGSEAT_CLIENT_SECRET: account.clientSecret,
      // Its last chapter destroys a program.
      ORGSEAT_MAX_REMOVALS: "25",
    },
  });
}
