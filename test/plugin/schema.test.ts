/**
 * provider/plugin/schema.json: its form, and what its sources do not compare: the types of sdk/ and the definitions. That it
 * is what schema/schema.ts makes of them, test/docs/generated.test.ts checks.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { serverStatuses } from "../../provider/api/schemas/model-types.ts";
import { environmentName, platformNames, settingKeys } from "../../provider/config/setting-values.ts";
import { definitions } from "../../provider/definitions.ts";
import { resourceTypes } from "../../provider/resources/resource-types.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import * as sdk from "../../sdk/index.ts";
import { run } from "../sdk/mocked.ts";
import { pulumiCommand, pulumiReady } from "../setup/project.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { hasVendorsNodeHost } from "../setup/tools.ts";
import { type Property, packageSchema, type Resource, type TypeSpec } from "./package-schema.ts";
import { jsonSchemaOf, shapeOf, shapeOfJson } from "./shapes.ts";

const file = join(packageRoot, "provider/plugin/schema.json");
const text = readFileSync(file, "utf8");
const schema = packageSchema.parse(JSON.parse(text));

function resourceNamed(name: string): Resource {
  const found = schema.resources[`orgseat:index:${name}`];
  if (found === undefined) throw new Error(`the schema has no resource ${name}`);
  return found;
}

/** Each property of the schema by its place. */
const properties = new Map<string, Property>();
const add = (place: string, of: Readonly<Record<string, Property>> = {}) => {
  for (const [key, property] of Object.entries(of)) properties.set(`${place}.${key}`, property);
};
add("config", schema.config.variables);
add("provider", schema.provider.inputProperties);
for (const [token, type] of Object.entries(schema.types))
  if ("properties" in type) add(token, type.properties);
for (const [token, { properties: outputs, inputProperties, stateInputs, listInputs }] of Object.entries(
  schema.resources,
)) {
  add(`${token} output`, outputs);
  add(token, inputProperties);
  add(`${token} state`, stateInputs?.properties);
  add(`${token} list`, listInputs?.properties);
}
for (const [token, { inputs, outputs }] of Object.entries(schema.functions)) {
  add(token, inputs.properties);
  add(`${token} result`, outputs.properties);
}
const placesWhere = (holds: (property: Property, key: string) => boolean) =>
  [...properties]
    .filter(([place, property]) => holds(property, place.split(".").at(-1) ?? ""))
    .map(([place]) => place);

describe("the schema", () => {
  test("describes in words for every language", () => {
    const words = text.replaceAll(/\{\{% examples %\}\}.*?\{\{% \/examples %\}\}/g, "");
    expect(words.match(/@link|```|[Uu]ndefined|\]\(|\bD\d+\b/g)).toBeNull();
  });

  test("describes every property, type, resource, and function", () => {
    expect(properties.size).toBeGreaterThan(250);
    expect(placesWhere(({ description }) => description === undefined)).toEqual([]);
    const named = Object.entries({ ...schema.types, ...schema.resources, ...schema.functions });
    expect(named.flatMap(([token, { description }]) => (description ? [] : [token]))).toEqual([]);
  });

  test("says who publishes it, and where it is: as package.json does", () => {
    const manifest = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
    const { publisher, homepage, repository, keywords, license } = schema;
    expect({ author: publisher, homepage, license }).toEqual({
      author: manifest.author,
      homepage: manifest.homepage,
      license: manifest.license,
    });
    expect(manifest.repository.url).toBe(`git+${repository}.git`);
    expect(schema.pluginDownloadURL).toBe(`github://api.${repository.replace("https://", "")}`);
    expect(keywords).toEqual([...manifest.keywords, "category/utility", "kind/native"]);
  });

  test.each(["logoUrl", "configurationDocsUrl"] as const)(
    "leads to a file of the repository by %s",
    (key) => {
      const [, path = ""] = /\/main\/(.*)$/.exec(schema[key]) ?? [];
      expect(existsSync(join(packageRoot, path)), schema[key]).toBe(true);
    },
  );

  test.each(["_index.md", "installation-configuration.md"])(
    "comes with the page %s for the Pulumi Registry, with the front matter that it asks for",
    (name) => {
      const [, begin = ""] =
        /^---\n(.*?)\n---\n/s.exec(readFileSync(join(packageRoot, "docs", name), "utf8")) ?? [];
      const fields = Object.fromEntries(begin.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
      expect(fields).toEqual({
        title:
          name === "_index.md" ? schema.displayName : `${schema.displayName} Installation & Configuration`,
        meta_desc: expect.stringMatching(/^\S.{20,160}$/),
        layout: "package",
      });
    },
  );

  test("marks each credential as secret, also inside of inputs and lookups", () => {
    const isCredential = (key: string) => /^(credentials|password|adminToken|clientSecret|apiKey)$/.test(key);
    const places = placesWhere((_, key) => isCredential(key));
    expect(places.length).toBeGreaterThan(20);
    expect(placesWhere(({ secret }, key) => isCredential(key) && !secret)).toEqual([]);
  });

  test("names the environment variable of each key of the configuration, and its default", () => {
    const variables = Object.entries(schema.config.variables);
    expect(variables.map(([key, { defaultInfo }]) => [key, defaultInfo?.environment])).toEqual(
      settingKeys.map((key) => [key, [environmentName(key)]]),
    );
    const defaults = variables.flatMap(([key, spec]) =>
      spec.default === undefined ? [] : [[key, spec.default]],
    );
    expect(Object.fromEntries(defaults)).toEqual({
      ...{ requireSealedTokens: false, timeout: "30s", operationTimeout: "60s", concurrency: 16 },
    });
  });

  test("lets no SDK fill in the arguments of an explicit Provider: a credential belongs to its address", () => {
    const filled = Object.values(schema.provider.inputProperties).filter(
      (spec) => spec.default !== undefined || spec.defaultInfo !== undefined,
    );
    expect(filled).toEqual([]);
  });

  test("gives no output of a lookup a union: Pulumi's generator for Python takes each for a dict", () => {
    const outputs = Object.values(schema.functions).flatMap(({ outputs: { properties = {} } = {} }) =>
      Object.values(properties),
    );
    expect(outputs).not.toEqual([]);
    expect(outputs.filter((one) => "oneOf" in one)).toEqual([]);
  });

  test("gives enums to the platform and the filter of servers, and known values for what a service may extend", () => {
    const shape = (place: string) => shapeOf(properties.get(place) ?? {}, schema.types);
    expect(shape("provider.platform")).toEqual({ values: platformNames });
    expect(shape("orgseat:index:getModelServers.status")).toEqual({ values: serverStatuses });
    const isOpen = ({ $ref, type }: TypeSpec) => $ref !== undefined || type === "string";
    const open = placesWhere((one) => "oneOf" in one && one.oneOf.every(isOpen));
    expect(new Set(open.map((place) => place.split(".").at(-1)))).toEqual(
      new Set(["role", "status", "trainedFor"]),
    );
  });
});

/** Where the definition accepts more: the hash of rows. */
const EXCEPTIONS: Readonly<Record<string, unknown>> = {
  data: { list: { map: "anything" } },
};

/** Outputs that only the lifecycles read. */
const INTERNAL =
  "stateVersion instance held confirmed creation limit isLost otherTokenIds formerStatuses possibleMembers".split(
    " ",
  );

describe.each(resourceTypes)("%s in the schema", (name) => {
  const definition = definitions[name];
  const inputs: Readonly<Record<string, z.ZodType>> = definition.inputs;
  const resource = resourceNamed(name);

  test("gives types that the definition accepts, closed sets as enums", () => {
    for (const [key, spec] of Object.entries(resource.inputProperties)) {
      const json = jsonSchemaOf(inputs[key] ?? z.never());
      expect(shapeOf(spec, schema.types), key).toEqual(EXCEPTIONS[key] ?? shapeOfJson(json));
    }
  });

  test("gives outputs that are closed sets as enums", () => {
    for (const [key, output] of Object.entries<z.ZodType>(definition.outputs.shape)) {
      const [spec, shape] = [resource.properties[key], shapeOfJson(jsonSchemaOf(output))];
      if (spec && JSON.stringify(shape).includes('"values"'))
        expect(shapeOf(spec, schema.types), key).toEqual(shape);
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
  OrgMember: () => new sdk.OrgMember("member", { email: "ada@acme.example", seat: true }),
  OrgUser: () => new sdk.OrgUser("user", { email: "ada@acme.example" }),
  SeatAssignment: () => new sdk.SeatAssignment("seat", { userId: "u1" }),
  UserToken: () => new sdk.UserToken("token", { userId: "u1" }),
  Onboarding: () => new sdk.Onboarding("team", { emails: ["ada@acme.example"] }),
  ModelServer: () => new sdk.ModelServer("server", { serverId: "s1", onDelete: "retain" }),
  VectorTable: () => new sdk.VectorTable("table", { name: "docs" }),
};

describe("OrgMember in the schema", () => {
  const { inputProperties, requiredInputs, properties: outputs } = resourceNamed("OrgMember");
  const typed = (name: string) => {
    const found = schema.types[`orgseat:index:${name}`];
    return found && "properties" in found ? found : undefined;
  };

  test("lists the inputs of OrgUser, those of a seat, a token, an end, and a protection; rosters alone have others", () => {
    const own = "seat token accessUntil subscriptionExpiresAt protected".split(" ");
    expect(Object.keys(inputProperties).toSorted()).toEqual(
      [...Object.keys(resourceNamed("OrgUser").inputProperties), ...own].toSorted(),
    );
    expect(requiredInputs).toEqual(["seat"]);
    const replacing = Object.entries(inputProperties).filter(([, one]) => one.willReplaceOnChanges);
    expect(replacing.map(([key]) => key)).toEqual(["organizationId"]);
  });

  test("says what other languages have to set for the protection", () => {
    expect(inputProperties.protected?.description).toContain("`protect` does not set it");
    expect(text).not.toContain("The option `protect: true`");
  });

  test("lists outputs that hide what the provider remembers; the value alone is secret", () => {
    expect(Object.keys(outputs)).toEqual(
      "organizationId userId hasSeat tokenValue sealedValue tokenState".split(" "),
    );
    const secret = Object.entries(outputs).filter(([, one]) => one.secret);
    expect(secret.map(([key]) => key)).toEqual(["tokenValue"]);
    expect(shapeOf(outputs.tokenState ?? {}, schema.types)).toEqual({
      object: {
        ...{ "id?": "string", issuedAt: "string", expiresAt: "string" },
        value: { values: ["kept", "sealed", "lost", "none"] },
      },
    });
  });

  test.each([
    ["seat", "MemberSeatOptions", "SeatAssignment", ["onDelete", "sendEmail"]],
    ["token", "MemberTokenOptions", "UserToken", undefined],
  ] as const)("%s takes %s: inputs of %s that its member does not set", (input, type, of, keys) => {
    expect(JSON.stringify(inputProperties[input])).toContain(`#/types/orgseat:index:${type}"`);
    const { properties: options = {} } = typed(type) ?? {};
    const { userId: _, ...others } = resourceNamed(of).inputProperties;
    const ofMember = Object.keys(inputProperties).filter((key) => !Object.hasOwn(options, key));
    expect(Object.keys(options)).toEqual(
      keys ?? Object.keys(others).filter((key) => !ofMember.includes(key)),
    );
    for (const [key, option] of Object.entries(options))
      expect(shapeOf(option, schema.types), key).toEqual(shapeOf(others[key] ?? {}, schema.types));
  });

  test("requires the user of a token, whose class has the seat for it", () => {
    expect(resourceNamed("UserToken").requiredInputs).toEqual(["userId"]);
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
