// @module-tag ci
/** A passphrase that a missing secret of CI leaves empty. */
import { describe, expect, test } from "vitest";
import { runningOrganization } from "./organization.ts";

const EMPTY =
  "PULUMI_CONFIG_PASSPHRASE is set to an empty text, so everyone who gets the state could read its tokens";
const NEXT =
  "set PULUMI_CONFIG_PASSPHRASE, or unset it and set PULUMI_CONFIG_PASSPHRASE_FILE to a file. In CI, check that the secret exists";

describe("an empty passphrase", () => {
  test("opens no stack, but revokes the token of a person who leaves", async () => {
    const acme = await runningOrganization([{ email: "ada@acme.example" }]);
    acme.environment.PULUMI_CONFIG_PASSPHRASE = "";
    for (const verb of [["preview"], ["up", "--yes"], ["token", "ada@acme.example", "--out", "ada.token"]]) {
      const { code, stdout, stderr } = await acme.orgseat(...verb);
      expect([verb, code]).toEqual([verb, 1]);
      expect(stdout + stderr).toContain(`cannot open stack people: ${EMPTY}. To go on, ${NEXT}`);
      expect(stdout + stderr).toContain("[empty-passphrase]");
    }
    expect(await acme.writes()).toEqual([]);

    const left = await acme.orgseat("offboard", "ada@acme.example", "--yes");
    expect(left.code).toBe(1);
    expect(left.stdout + left.stderr).toContain(`cannot open stack people: ${EMPTY}`);
    expect(await acme.writes()).toEqual([9]);
  });
});
