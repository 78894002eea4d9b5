/** An organization whose roster names a module, and whose project has the plugin of a store. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { type Row, type TestOrganization, testOrganization } from "./organization.ts";

const PLUGIN = join(packageRoot, "test/automation/store-plugin");

/** A second copy of Pulumi's library beside the module, which knows no engine. */
const COPY =
  "module.exports = { CustomResource: class { constructor() { throw new Error('a second copy'); } } };";

/** A module that puts the token of each member into one resource of the store. @param more lines before that */
export function moduleWith(more = ""): string {
  return `import { CustomResource, log, runtime } from "@pulumi/pulumi";
import type { DeliveredMember } from "orgseat/automation";

export default ({ key, email, team, member }: DeliveredMember): void => {
  const put = (name: string, props: object, parent = true): void =>
    void new CustomResource("plug:index:Part", name, props, parent ? { parent: member } : {});
  ${more}
  put(\`\${key}-secret\`, { value: member.token?.value, userId: member.userId, team: team ?? "none" });
};
`;
}

/** With one row a person, and a module in a folder below that of the roster. */
export async function deliveringOrganization(
  rows: readonly Row[],
  source = moduleWith(),
): Promise<TestOrganization> {
  const acme = await testOrganization();
  cpSync(PLUGIN, join(acme.folder, "plugin"), { recursive: true });
  const lines = ["name: people", "runtime: {name: nodejs, options: {typescript: false}}"];
  const plugins = ["plugins:", "  providers:", "    - name: plug", "      path: plugin"];
  writeFileSync(join(acme.folder, "Pulumi.yaml"), [...lines, ...plugins, ""].join("\n"));
  const copy = join(acme.folder, "stores", "node_modules", "@pulumi", "pulumi");
  mkdirSync(copy, { recursive: true });
  writeFileSync(join(copy, "index.js"), COPY);
  writeModule(acme, source);
  acme.write(rows, { deliver: "./stores/deliver.ts" });
  return acme;
}

export function writeModule(acme: TestOrganization, source: string): void {
  writeFileSync(join(acme.folder, "stores", "deliver.ts"), source);
}

const callSchema = z.tuple([z.string()]).rest(z.unknown());

/** The writes of the store since the last look, such as `create ada-secret`. */
export function storeWrites(acme: TestOrganization): string[] {
  const writes = callsOf(acme).map(([call]) => call);
  writeFileSync(join(acme.folder, "calls.jsonl"), "");
  return writes
    .filter((call) => /^(?:create|update|delete) /.test(call) && !call.includes(" preview"))
    .toSorted();
}

/** The inputs of the last update of a resource. */
export function lastStored(acme: TestOrganization, name: string): unknown {
  return callsOf(acme).findLast(([call]) => call.startsWith(`update ${name} `))?.[2];
}

function callsOf({ folder }: TestOrganization): z.output<typeof callSchema>[] {
  const file = join(folder, "calls.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => callSchema.parse(JSON.parse(line)));
}
