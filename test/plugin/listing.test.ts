/** List of the packaged plugin: what the service has, as the ids of imports, in pages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { listedOrganization } from "../resources/listed.ts";
import { failure, ORGANIZATION, scripted } from "../resources/scripted.ts";
import { directProviders } from "../setup/direct-providers.ts";
import { modelArea } from "../setup/model-area.ts";
import { pluginClient, UNKNOWN } from "../setup/plugin-client.ts";
import { testStack } from "../setup/stack.ts";
import { packageSchema } from "./package-schema.ts";

const schema = packageSchema.parse(
  JSON.parse(readFileSync(join(packageRoot, "provider/plugin/schema.json"), "utf8")),
);
const names = ["ada", "ben", "cleo", "dan", "eve"];
const emails = (...of: string[]) => of.map((name) => `${name}@acme.example`);
const anaconda = { ORGSEAT_PLATFORM: "anaconda" };

/** Five people, three of them with seats, two with tokens, beside those who are there anyway. */
async function people() {
  const organization = await listedOrganization();
  const { neighbor, configuration } = organization;
  const limit = { deadline: Number.POSITIVE_INFINITY };
  for (const [index, email] of emails(...names).entries()) {
    const { id } = await neighbor.createUser({ email }, limit);
    if (index < 3) await neighbor.assignSeat(id, limit);
    if (index < 2) await neighbor.issueToken(id, "2027-01-31T00:00:00Z", limit);
  }
  const { process } = directProviders(configuration, Date.now, []);
  return { organization, ...(await pluginClient(process)) };
}

type List = Awaited<ReturnType<typeof people>>["list"];

/** All pages. */
async function listed(list: List, type: string, pageSize: number, limit = 0): Promise<string[]> {
  const found: string[] = [];
  let continuation = "";
  do {
    const page = await list(type, {}, { pageSize, limit, continuation });
    expect(page.results.length).toBeLessThanOrEqual(pageSize || 100);
    found.push(...page.results.map(({ name }) => name));
    ({ continuation } = page);
  } while (continuation !== "");
  return found.filter((name) => emails(...names).includes(name)).toSorted();
}

describe("list", () => {
  test.each([0, 1, 2, 100])(
    "finds users, seats, and tokens once each, in pages of %i, by the ids of imports",
    async (pageSize) => {
      const { list, read } = await people();
      for (const type of ["OrgMember", "OrgUser"])
        expect(await listed(list, type, pageSize)).toEqual(emails(...names));
      expect(await listed(list, "SeatAssignment", pageSize)).toEqual(emails("ada", "ben", "cleo"));
      expect(await listed(list, "UserToken", pageSize)).toEqual(emails("ada", "ben"));
      for (const type of ["OrgMember", "OrgUser", "SeatAssignment", "UserToken", "ServiceAccount"]) {
        const { results } = await list(type, {});
        for (const { id } of results) expect(await read(type, id, {}, {})).toMatchObject({ id });
      }
    },
  );

  test("finds servers and tables", async () => {
    const organization = await listedOrganization();
    const { configuration } = organization;
    const area = await modelArea(organization);
    const id = await area.addServer("chat", {});
    const { process } = directProviders(configuration, Date.now, []);
    const { list } = await pluginClient(process);
    expect((await list("ModelServer", {})).results).toEqual([{ id, name: "chat" }]);
    expect((await list("VectorTable", {})).results).toEqual([]);
  });

  test("ends at a limit, whether the caller keeps it from page to page, or reduces it", async () => {
    const { list } = await people();
    const first = await list("OrgUser", {}, { limit: 3, pageSize: 2 });
    expect(first.results).toHaveLength(2);
    for (const limit of [3, 1]) {
      const rest = await list("OrgUser", {}, { limit, pageSize: 2, continuation: first.continuation });
      expect(rest).toMatchObject({ results: [{}], continuation: "" });
    }
  });

  test("says that a query is not known yet, and refuses what it cannot list or trust", async () => {
    const empty = () => ({ body: { items: [] } });
    const { list } = await pluginClient((await scripted(empty, anaconda)).process);
    expect(await list("OrgUser", { organizationId: UNKNOWN })).toMatchObject({
      isComputed: true,
      results: [],
    });
    const messageOf = async (...args: Parameters<typeof list>) => (await failure(list(...args))).message;
    expect(await messageOf("OrgUser", { organizationId: ORGANIZATION })).toContain(
      "cannot use the list of users",
    );
    expect(await messageOf("OrgUser", { email: "ada@acme.example" })).toContain("[invalid-input]");
    expect(await messageOf("ServiceAccount", {}, { continuation: "x" })).toContain("[invalid-input]");
    expect(await messageOf("Onboarding", {})).toContain("[unsupported]");
    const basic = await pluginClient((await scripted(empty)).process);
    expect((await failure(basic.list("UserToken", {}))).message).toContain(
      "cannot list users, seats, or tokens",
    );
  });

  test("takes the inputs of the schema: the organization, and what reads it", async () => {
    const { list } = await pluginClient((await scripted(() => ({ status: 400 }), anaconda)).process);
    for (const [token, { listInputs, stateInputs }] of Object.entries(schema.resources)) {
      const { message } = await failure(list(token.replace("orgseat:index:", ""), {}));
      expect(message.includes("cannot list objects of this type"), token).toBe(listInputs === undefined);
      if (listInputs !== undefined) expect(listInputs).toEqual(stateInputs);
    }
  });

  test("serves `pulumi do`", { tags: "ci" }, async () => {
    const { organization, list } = await people();
    const stack = await testStack(organization);
    const plugin = join(packageRoot, "plugin/pulumi-resource-orgseat");
    const { code, output } = await stack.pulumi(
      "do",
      "--package",
      plugin,
      "orgseat:index:OrgUser",
      "list",
      "--all",
    );
    expect(code, output).toBe(0);
    for (const { id } of (await list("OrgUser", {})).results) expect(output).toContain(id);
  });
});
