/** What a process of the command loads before it does anything: Pulumi's library takes half a second and 70 MB. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";

test("the command: none of its verbs loads Pulumi's library", () => {
  const folder = join(packageRoot, "dist/command/cli");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  expect(files).toContain(join("verbs", "up.js"));
  const program = `
    import Module from "node:module";
    const loaded = () => Object.keys(Module._cache).filter((file) => file.includes("@pulumi")).length;
    for (const file of ${JSON.stringify(files)}) await import(${JSON.stringify(folder)} + "/" + file);
    const byCommand = loaded();
    await import(${JSON.stringify(join(folder, "../index.js"))});
    console.log(JSON.stringify({ byCommand, bySdk: loaded() }));
  `;
  const found: unknown = JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }),
  );
  expect(found).toEqual({ byCommand: 0, bySdk: expect.toSatisfy((count) => count > 0) });
});

test("the command: its line alone loads no package but the parser of arguments and zod", () => {
  const program = `
    import { registerHooks } from "node:module";
    const packages = new Set();
    registerHooks({ resolve(name, context, next) { if (/^[a-z@]/.test(name) && !/^(node|file|data):/.test(name)) packages.add(name.split("/")[0]); return next(name, context); } });
    await import(${JSON.stringify(join(packageRoot, "dist/command/cli/main.js"))});
    console.log(JSON.stringify([...packages].toSorted()));
  `;
  const found: unknown = JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }),
  );
  expect(found).toEqual(["commander", "zod"]);
});
