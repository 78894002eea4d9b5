// @module-tag ci
import { describe, expect, test } from "vitest";
import { environmentOf } from "../../command/engine/environment.ts";
import { testOrganization } from "./organization.ts";

describe("the environment of pulumi", () => {
  test("ignores options of Pulumi's commands, which would narrow a run", async () => {
    const acme = await testOrganization();
    acme.environment.PULUMI_OPTION_TARGET = "urn:pulumi:people::orgseat::orgseat:index:OrgMember::nobody";
    acme.write([{ email: "ada@acme.example" }]);
    await acme.succeed("up", "--yes");
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example"]);
  });

  test("lets as many people join at the same time as the client sends requests, or as many as the shell says", () => {
    const parallel = (surrounding: NodeJS.ProcessEnv) =>
      environmentOf(surrounding).environment.PULUMI_PARALLEL;
    expect(Number(parallel({}))).toBeGreaterThanOrEqual(16);
    expect(parallel({ PULUMI_PARALLEL: "2" })).toBe("2");
  });

  test("a proxy in small letters, which gRPC would take for Pulumi's own processes, keeps nobody from joining", async () => {
    const acme = await testOrganization();
    Object.assign(acme.environment, { https_proxy: "http://127.0.0.1:1", no_grpc_proxy: "" });
    acme.write([{ email: "ada@acme.example" }]);
    await acme.succeed("up", "--yes");
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example"]);
  });
});
