// @module-tag full
/** The packed package, used from each shape of project. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { ProjectStack, projectEnvironment } from "../setup/project.ts";
import { sandbox } from "../setup/sandbox.ts";
import { complaints, projectWith, runIn } from "./install.ts";
import { esm, javascript, shapes, template, wrongLine } from "./shapes.ts";

describe("the packed package", () => {
  test.each(shapes)("previews, applies and destroys from $name", async ({ compiler, files }) => {
    const organization = await sandbox();
    const { seed, management } = organization.service;
    const folder = await projectWith(compiler, files);
    mkdirSync(join(folder, "state"));
    const isolated = projectEnvironment(organization, folder, {
      ORGSEAT_USERNAME: seed.username,
      ORGSEAT_PASSWORD: seed.password,
    });
    const stack = new ProjectStack(organization, folder, isolated);
    expect(await stack.pulumi("stack", "init", "dev")).toMatchObject({ code: 0 });

    const preview = await stack.preview();
    expect(preview, preview.output).toMatchObject({ code: 0 });
    expect(preview.output).toMatch(/3 to create/);
    expect((await management.snapshot()).users).toEqual([]);

    const up = await stack.up();
    expect(up, up.output).toMatchObject({ code: 0 });
    const [ada] = (await management.snapshot()).users;
    expect(ada).toMatchObject({ email: "ada@acme.example" });
    expect(await stack.outputs()).toEqual({ userId: ada?.userId });

    const destroy = await stack.destroy();
    expect(destroy, destroy.output).toMatchObject({ code: 0 });
    expect(await management.snapshot()).toMatchObject({ users: [], serviceAccounts: [] });
  });
});

describe("the types of the packed package", () => {
  test("resolve in each way to resolve modules, and its own files have no fault", async () => {
    const names = ["orgseat", "orgseat/provider", "orgseat/api", "orgseat/automation", "orgseat/policies"];
    const uses = names.map(
      (name, index) =>
        `import * as all${index} from "${name}";\nexport const x${index}: number = all${index};\n`,
    );
    const folder = await projectWith("typescript-5", {
      "index.ts": uses.join(""),
      "index.mts": `import none from "orgseat";\nexport default none;\n`,
    });
    const ways = [
      // Pulumi's template checks the types of libraries too.
      ["commonjs", "node", "false", "es2020"],
      // A project of CommonJS, whose compiler lets none require ESM.
      ["node16", "node16", "false", "es2020"],
      ["nodenext", "nodenext", "true", "es2022"],
      ["esnext", "bundler", "true", "es2022"],
    ];
    const found = (file: string, [module = "", resolution = "", skip = "", target = ""]: readonly string[]) =>
      complaints(
        folder,
        ...["--strict", "--target", target, "--skipLibCheck", skip],
        ...["--module", module, "--moduleResolution", resolution, file],
      );
    for (const way of ways) {
      const own = (await found("index.ts", way)).filter((line) =>
        /^index|node_modules\/orgseat\//.test(line),
      );
      expect(own, way.join(" ")).toEqual(
        names.map(() => expect.stringMatching(/^index\.ts.* error TS2322: Type 'typeof import\(/)),
      );
    }
    // As in Node: an ESM module does not see the exports of CommonJS as a default one.
    const [error] = await found("index.mts", ["node16", "node16", "true", "es2022"]);
    expect(error).toContain("has no default export");
  });
});

describe("a mistake that the compiler finds", () => {
  test("stops in the template's own check before anything is sent", async () => {
    const organization = await sandbox();
    const folder = await projectWith(template.compiler, template.files);
    appendFileSync(join(folder, "index.ts"), wrongLine);
    mkdirSync(join(folder, "state"));
    const stack = new ProjectStack(organization, folder, projectEnvironment(organization, folder, {}));
    await stack.pulumi("stack", "init", "dev");
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/index\.ts.*error TS2322: Type 'number' is not assignable/);
    expect(await organization.calls()).toEqual([]);
  });
});

describe("one process", () => {
  test("loads one copy of each entry, required or imported", async () => {
    const folder = await projectWith(javascript.compiler, javascript.files);
    writeFileSync(
      join(folder, "both.mjs"),
      `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
for (const name of ["orgseat", "orgseat/provider", "orgseat/api", "orgseat/policies"]) {
  const imported = await import(name);
  const required = require(name);
  const names = Object.keys(required);
  const same = names.filter((key) => required[key] === imported[key]);
  console.log(name, names.length > 0 && same.length === names.length);
}
`,
    );
    const { output } = await runIn(folder, process.execPath, ["both.mjs"]);
    expect(output).toBe("orgseat true\norgseat/provider true\norgseat/api true\norgseat/policies true\n");
  });
});

describe("a bundle of a program", () => {
  test.each(["esm", "cjs"] as const)("runs as %s, if the packages stay outside", async (format) => {
    const organization = await sandbox();
    const { seed, management } = organization.service;
    const type = format === "esm" ? "module" : "commonjs";
    const folder = await projectWith("none", {
      "index.ts": esm.files["index.ts"] ?? "",
      "Pulumi.yaml": "name: bundle\nmain: bundle.js\nruntime: nodejs\n",
      "package.json": JSON.stringify({ name: "bundle", type, private: true }),
    });
    const bundle = await rolldown({ input: join(folder, "index.ts"), platform: "node", external: /^[^./]/ });
    await bundle.write({ file: join(folder, "bundle.js"), format });
    mkdirSync(join(folder, "state"));
    const credentials = { ORGSEAT_USERNAME: seed.username, ORGSEAT_PASSWORD: seed.password };
    const stack = new ProjectStack(
      organization,
      folder,
      projectEnvironment(organization, folder, credentials),
    );
    await stack.pulumi("stack", "init", "dev");
    const up = await stack.up();
    expect(up, up.output).toMatchObject({ code: 0 });
    const [ada] = (await management.snapshot()).users;
    expect(await stack.outputs()).toEqual({ userId: ada?.userId });
  });
});
