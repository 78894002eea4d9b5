// @module-tag ci
/** What `orgseat doctor` finds out about the passphrase of a stack. */
import { describe, expect, test } from "vitest";
import { runningOrganization } from "./organization.ts";

describe("doctor", () => {
  test("fails with the next step if the passphrase is wrong or missing", async () => {
    const acme = await runningOrganization([{ email: "ada@acme.example" }]);
    const good = await acme.orgseat("doctor");
    expect(good, good.stdout).toMatchObject({ code: 0 });
    expect(good.stdout).toMatch(/^ok +stack secrets: /m);
    const next = "next: set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE to a file,";
    acme.environment.PULUMI_CONFIG_PASSPHRASE = "another";
    const wrong = await acme.orgseat("doctor");
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^failed +stack secrets: .*incorrect passphrase/m);
    expect(wrong.stdout).toContain(next);
    const variables = acme.variables();
    acme.variables = () => {
      const { PULUMI_CONFIG_PASSPHRASE: _, ...others } = variables;
      return others;
    };
    const missing = await acme.orgseat("doctor");
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/^failed +stack secrets: .*passphrase must be set/m);
    expect(missing.stdout).toContain(next);
  });
});
