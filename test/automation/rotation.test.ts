// @module-tag ci
/** A roster with `rotate_every` on engines: a state with an earlier date stands for the time that has passed. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onEachEngine } from "../setup/project.ts";
import { changeOutputs } from "../setup/state-file.ts";
import { testOrganization } from "./organization.ts";

onEachEngine("rotate_every", (engine) => {
  test("a due token: the preview has the reason, renew leaves it, up replaces it, and the report shows the next date", async () => {
    const acme = await testOrganization(engine);
    acme.write([{ email: "ada@acme.example", rotate_every: "90d" }, { email: "bob@acme.example" }]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    const [project = ""] = readdirSync(join(acme.folder, "state/.pulumi/stacks"));
    const state = join(acme.folder, "state/.pulumi/stacks", project, "people.json");
    changeOutputs(state, "pulumi-nodejs:orgseat:UserToken", (outputs) => ({
      ...outputs,
      issuedAt: "2026-01-31T08:00:00Z",
    }));
    const preview = await acme.orgseat("preview");
    expect(preview.stdout).toMatch(
      /ada@acme\.example +replace token .*: rotate_every 90d, issued 2026-01-31/,
    );
    expect(preview.stdout).not.toContain("bob@acme.example");
    expect(JSON.parse((await acme.orgseat("preview", "--json")).stdout)).toMatchObject({
      people: [{ reasons: ["rotate_every 90d, issued 2026-01-31"] }],
    });
    expect((await acme.orgseat("renew", "--yes")).code).toBe(0);
    expect((await acme.orgseat("report")).stdout).toContain("Tokens due for rotation: 1.");

    await acme.sandbox.requests();
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    const calls = (await acme.sandbox.calls()).filter((call) => call !== "token");
    expect(calls).toEqual([9, 7]);
    expect((await acme.orgseat("preview")).stdout).toContain("No changes.");
    expect((await acme.orgseat("report")).stdout).toMatch(/Rotated by rule: 1, the next one due \d{4}-/);
  });
});
