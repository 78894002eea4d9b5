// @module-tag ci
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pulumiCommand } from "../setup/project.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { testOrganization } from "./organization.ts";

/** A `pulumi` that prints warnings before all that it says. */
function warning(command: string): string {
  const wrapper = join(temporaryFolder(), "pulumi");
  const warn = "echo 'warning: A new version of Pulumi is available' >&2";
  writeFileSync(wrapper, `#!/bin/sh\n${warn}\nexec '${command}' "$@"\n`);
  chmodSync(wrapper, 0o755);
  return wrapper;
}

describe("the environment of pulumi", () => {
  test("lets a first up make its stacks where pulumi warns before its errors, and a wrong passphrase is the reported reason", async () => {
    const acme = await testOrganization();
    acme.environment.ORGSEAT_PULUMI_PATH = warning(pulumiCommand);
    acme.write([{ email: "ada@acme.example" }, { email: "grace@acme.example" }], { stacks: 2 });
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example", "grace@acme.example"]);
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });

    acme.environment.PULUMI_CONFIG_PASSPHRASE = "another one";
    for (const flags of [[], ["--full"]]) {
      const refused = await acme.orgseat("preview", ...flags);
      expect(refused.code).toBe(1);
      expect(refused.stdout + refused.stderr).toContain("incorrect passphrase");
      expect(refused.stdout + refused.stderr).not.toContain("A new version of Pulumi");
    }
  });

  test("ignores options of Pulumi's commands, which would narrow a run", async () => {
    const acme = await testOrganization();
    acme.environment.PULUMI_OPTION_TARGET = "urn:pulumi:people::orgseat::orgseat:index:OrgMember::nobody";
    acme.write([{ email: "ada@acme.example" }]);
    const up = await acme.orgseat("up", "--yes");
    expect(up, up.stdout + up.stderr).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example"]);
  });

  test("a proxy in small letters, which gRPC would take for Pulumi's own processes, keeps nobody from joining", async () => {
    const acme = await testOrganization();
    Object.assign(acme.environment, { https_proxy: "http://127.0.0.1:1", no_grpc_proxy: "" });
    acme.write([{ email: "ada@acme.example" }]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example"]);
  });
});
