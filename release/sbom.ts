/** The software bill of materials, in CycloneDX: the packages that an installation brings, and those in its files. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";

const DEVELOPMENT = "cdx:npm:package:development";

const componentSchema = z.looseObject({
  "bom-ref": z.string(),
  name: z.string(),
  properties: z.array(z.looseObject({ name: z.string() })),
});
const sbomSchema = z.looseObject({
  metadata: z.looseObject({ component: componentSchema }),
  components: z.array(componentSchema),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
const manifestSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()) });
const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      dev: z.boolean().default(false),
      devOptional: z.boolean().default(false),
    }),
  ),
});
const buildSchema = z.looseObject({ BUNDLED: z.array(z.string()) });

/**
 * From npm's own, which lists what the build needs too, and names the root by its folder.
 * @param time in place of the moment
 */
export function sbomOf(root: string, name: string, time: Date): string {
  const options = ["--sbom-format", "cyclonedx", "--package-lock-only"];
  const text = execFileSync("npm", ["sbom", ...options], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  const all = sbomSchema.parse(JSON.parse(text));
  const needed = shippedOf(root, all);
  const sbom = {
    ...all,
    metadata: {
      ...all.metadata,
      timestamp: time.toISOString(),
      component: { ...all.metadata.component, name },
    },
    components: all.components.filter((component) => needed.has(component["bom-ref"])).map(asShipped),
    dependencies: [...needed].map(([ref, dependsOn]) => ({ ref, dependsOn })),
    serialNumber: undefined,
  };
  return `${JSON.stringify({ ...sbom, serialNumber: serialNumber(JSON.stringify(sbom)) }, undefined, 2)}\n`;
}

type Sbom = z.output<typeof sbomSchema>;

/** A package that the build puts into files of this one is for development only in the lock file. */
function asShipped(component: z.output<typeof componentSchema>): z.output<typeof componentSchema> {
  const properties = component.properties.filter((property) => property.name !== DEVELOPMENT);
  return properties.length < component.properties.length
    ? { ...component, scope: "required", properties }
    : component;
}

/** What the root ships, and all that it needs, each with what it needs. */
function shippedOf(root: string, all: Sbom): Map<string, readonly string[]> {
  const require = createRequire(join(root, "package.json"));
  const { dependencies } = manifestSchema.parse(require("./package.json"));
  const { BUNDLED } = buildSchema.parse(require("./build.cjs"));
  const direct = new Set([...Object.keys(dependencies), ...BUNDLED]);
  const installed = installedFor(root);
  const dependsOn = new Map(all.dependencies.map((edge) => [edge.ref, edge.dependsOn]));
  const found = new Map<string, readonly string[]>();
  const add = (ref: string, needs: readonly string[]): void => {
    if (found.has(ref)) return;
    found.set(ref, needs);
    for (const need of needs) add(need, needsOf(need));
  };
  // An optional peer of an installed package can be here for the build alone.
  const needsOf = (ref: string): readonly string[] =>
    (dependsOn.get(ref) ?? []).filter((need) => !installed.has(ref) || installed.has(need));
  const isDirect = (ref: string): boolean => direct.has(ref.slice(0, ref.lastIndexOf("@")));
  const own = all.metadata.component["bom-ref"];
  add(own, (dependsOn.get(own) ?? []).filter(isDirect));
  return found;
}

/**
 * The packages that not only the build needs. `npm sbom --omit dev` leaves out every package that is also a development
 * dependency of any other.
 */
function installedFor(root: string): Set<string> {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  const nameOf = (path: string): string =>
    path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return new Set(
    Object.entries(packages)
      .filter(([, { dev, devOptional }]) => !dev && !devOptional)
      .map(([path, { version }]) => `${nameOf(path)}@${version}`),
  );
}

/** A UUID of the content (version 8, RFC 9562), where npm draws one. */
function serialNumber(content: string): string {
  const hash = createHash("sha256").update(content).digest("hex");
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `urn:uuid:${parts.join("-")}-${hash.slice(20, 32)}`;
}
