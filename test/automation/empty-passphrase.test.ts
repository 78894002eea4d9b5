// @module-tag ci
/** A passphrase that a missing secret of CI leaves empty. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runningOrganization, testOrganization } from "./organization.ts";

const EMPTY =
  "PULUMI_CONFIG_PASSPHRASE is set to an empty text, so everyone who gets the state could read its tokens";
const NEXT =
  "set PULUMI_CONFIG_PASSPHRASE, or unset it and set PULUMI_CONFIG_PASSPHRASE_FILE to a file. In CI, check that the secret exists";

describe("an empty passphrase", () => {
  test("creates no stack, and sends nothing", async () => {
    const acme = await testOrganization();
    acme.write([{ email: "ada@acme.example" }]);
    acme.environment.PULUMI_CONFIG_PASSPHRASE = "";
    for (const verb of [["preview"], ["up", "--yes"]]) {
      const { code, stdout, stderr } = await acme.orgseat(...verb);
      const said = stdout + stderr;
      expect(code).toBe(1);
      expect(said).toContain(`cannot create stack people: ${EMPTY}. To go on, ${NEXT}`);
      expect(said).toContain("[empty-passphrase]");
    }
    expect((await acme.orgseat("doctor")).stdout).toContain(`stack secrets: ${EMPTY} [empty-passphrase]\n`);
    expect(existsSync(join(acme.folder, "state/.pulumi/stacks"))).toBe(false);
    expect(await acme.writes()).toEqual([]);
  });

  test("opens no stack, but revokes the token of a person who leaves", async () => {
    const acme = await runningOrganization([{ email: "ada@acme.example" }]);
    acme.environment.PULUMI_CONFIG_PASSPHRASE = "";
    for (const verb of [["preview"], ["up", "--yes"], ["token", "ada@acme.example", "--out", "ada.token"]]) {
      const { code, stdout, stderr } = await acme.orgseat(...verb);
      expect([verb, code]).toEqual([verb, 1]);
      expect(stdout + stderr).toContain(`cannot open stack people: ${EMPTY}. To go on, ${NEXT}`);
      expect(stdout + stderr).toContain("[empty-passphrase]");
    }
    expect((await acme.orgseat("doctor")).stdout).toContain(`stack secrets: ${EMPTY} [empty-passphrase]\n`);
    expect(await acme.writes()).toEqual([]);

    const left = await acme.orgseat("offboard", "ada@acme.example", "--yes");
    expect(left.code).toBe(1);
    expect(left.stdout + left.stderr).toContain(`cannot open stack people: ${EMPTY}`);
    expect(await acme.writes()).toEqual([9]);
  });

  test("opens no stack that somebody created with it", async () => {
    const acme = await testOrganization();
    acme.write([{ email: "ada@acme.example" }]);
    acme.environment.PULUMI_CONFIG_PASSPHRASE = "";
    await acme.orgseat("preview");
    const made = await acme.pulumi("stack", "init", "people");
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const doctor = await acme.orgseat("doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`stack secrets: ${EMPTY} [empty-passphrase]\n`);
    expect((await acme.orgseat("up", "--yes")).stdout).toContain(`cannot open stack people: ${EMPTY}`);
    expect(await acme.writes()).toEqual([]);
  });
});
