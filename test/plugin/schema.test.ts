/**
 * provider/plugin/schema.json: its form, and what its sources do not compare: the types of sdk/ and the definitions. That it
 * is what test/docs/schema.ts makes of them, test/docs/generated.test.ts checks.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { definitions } from "../../provider/definitions.ts";
import { resourceTypes } from "../../provider/resources/resource-types.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import * as sdk from "../../sdk/index.ts";
import { run } from "../sdk/mocked.ts";
import { pulumiCommand, pulumiReady } from "../setup/project.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { hasVendorsNodeHost } from "../setup/tools.ts";
import { packageSchema, type Resource } from "./package-schema.ts";
import { jsonSchemaOf, shapeOf, shapeOfJson } from "./shapes.ts";

const file = join(packageRoot, "provider/plugin/schema.json");
const text = readFileSync(file, "utf8");
const schema = packageSchema.parse(JSON.parse(text));

function resourceNamed(name: string): Resource {
  const found = schema.resources[`orgseat:index:${name}`];
  if (found === undefined) throw new Error(`the schema has no resource ${name}`);
  return found;
}

describe("the schema", () => {
  test("describes in words for every language", () => {
    expect(text.match(/@link|```|[Uu]ndefined|\]\(/g)).toBeNull();
  });
});

/** Where the definition accepts more: numbers as texts, and the hash of rows. */
const EXCEPTIONS: Readonly<Record<string, unknown>> = {
  rotation: "string",
  resend: "string",
  data: { list: { map: "anything" } },
};

/** Outputs that only the lifecycles read. */
const INTERNAL =
  "stateVersion instance confirmed creation limit isLost otherTokenIds formerStatuses possibleMembers".split(
    " ",
  );

describe.each(resourceTypes)("%s in the schema", (name) => {
  const definition = definitions[name];
  const inputs: Readonly<Record<string, z.ZodType>> = definition.inputs;
  const resource = resourceNamed(name);

  test("gives types that the definition accepts, and names their values", () => {
    for (const [key, spec] of Object.entries(resource.inputProperties)) {
      const json = jsonSchemaOf(inputs[key] ?? z.never());
      expect(shapeOf(spec, schema.types), key).toEqual(EXCEPTIONS[key] ?? shapeOfJson(json));
      for (const value of json.enum ?? []) expect(spec.description).toContain(`\`${value}\``);
    }
  });

  test("lists the outputs of the definition, without those for the provider alone", () => {
    const outputs = Object.keys(definition.outputs.shape);
    const shown = Object.keys(resource.properties);
    expect(shown.filter((key) => !outputs.includes(key))).toEqual([]);
    const hidden = outputs.filter((key) => !shown.includes(key) && !(key in inputs));
    expect(hidden.filter((key) => !INTERNAL.includes(key))).toEqual([]);
  });

  test("lists the outputs of the class, and no other", async () => {
    await pulumi.runtime.setMocks({ call: () => ({}), newResource: ({ name }) => ({ id: name, state: {} }) });
    let keys: string[] = [];
    let missing: string[] = [];
    await run(() => {
      const made = examples[name]();
      keys = Object.keys(made).filter((key) => !key.startsWith("__") && key !== "urn" && key !== "id");
      missing = Object.keys(resource.properties).filter((key) => !(key in made));
    });
    expect(missing).toEqual([]);
    expect(keys.filter((key) => !(key in resource.properties || key in resource.inputProperties))).toEqual(
      [],
    );
  });
});

const examples: Readonly<Record<(typeof resourceTypes)[number], () => pulumi.CustomResource>> = {
  ServiceAccount: () => new sdk.ServiceAccount("bot", { name: "bot" }),
  OrgUser: () => new sdk.OrgUser("user", { email: "ada@acme.example" }),
  SeatAssignment: () => new sdk.SeatAssignment("seat", { userId: "u1" }),
  UserToken: () => new sdk.UserToken("token", { userId: "u1" }),
  Onboarding: () => new sdk.Onboarding("team", { emails: ["ada@acme.example"] }),
  ModelServer: () => new sdk.ModelServer("server", { serverId: "s1", onDelete: "retain" }),
  VectorTable: () => new sdk.VectorTable("table", { name: "docs" }),
};

describe("OrgMember in the schema", () => {
  test("lists the inputs of its resources and its own; those that decide are plain", () => {
    const { inputProperties, requiredInputs, isComponent } = resourceNamed("OrgMember");
    expect(Object.keys(inputProperties).toSorted()).toEqual(
      [...Object.keys(resourceNamed("OrgUser").inputProperties), "seat", "token", "accessUntil"].toSorted(),
    );
    expect(isComponent).toBe(true);
    expect(requiredInputs).toEqual(["seat"]);
    const plain = Object.keys(inputProperties).filter((key) => inputProperties[key]?.plain);
    expect(plain).toEqual(["seat", "token", "accessUntil"]);
  });

  test.each([
    ["SeatOptions", "SeatAssignment"],
    ["TokenOptions", "UserToken"],
  ])("%s lists the inputs of %s that its member does not set", (type, of) => {
    const options = schema.types[`orgseat:index:${type}`]?.properties ?? {};
    const { userId, organizationId, credentials, ...others } = resourceNamed(of).inputProperties;
    const unmarked = Object.entries(others).map(([key, { willReplaceOnChanges: _, ...spec }]) => [key, spec]);
    expect(options).toEqual(Object.fromEntries(unmarked));
    expect([userId, organizationId, credentials]).not.toContain(undefined);
  });
});

describe("the schema in Pulumi's CLI", () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(pulumiCommand, args, { encoding: "utf8" });
    return { status, output: `${stdout}${stderr}`.trim() };
  };

  test("fulfills Pulumi's metaschema", async () => {
    await pulumiReady();
    expect(run("schema", "check", file)).toEqual({ status: 0, output: "" });
  });

  test.skipIf(!hasVendorsNodeHost())(
    "makes an SDK without a warning (needs the vendor's host for Node)",
    () => {
      const out = temporaryFolder();
      expect(run("package", "gen-sdk", file, "--language", "nodejs", "--out", out)).toEqual({
        status: 0,
        output: `SDK has been written to ${join(out, "nodejs")}`,
      });
    },
  );
});
