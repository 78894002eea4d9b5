// @module-tag ci
/** Plays of the command on the real engine: a refusal, a protection, and tokens that stay for a while. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fourPeople, peopleRows, runningOrganization, testOrganization } from "./organization.ts";

describe("a service that refuses", () => {
  test("one new email removes the others whose rows were deleted", async () => {
    const people = peopleRows(10);
    const acme = await runningOrganization(people);
    const fault = { kind: "refuse", status: 422 } as const;
    await acme.sandbox.service.management.addFaults({ match: { call: 5 }, times: "always", fault });
    const [first, ...others] = people.map((row) => ({ ...row, key: row.email ?? "" }));
    acme.write([{ ...first, email: "renamed@acme.example" }, ...others.slice(0, -2)]);
    const up = await acme.orgseat("up", "--yes");
    expect(up.code).toBe(1);
    expect(Object.keys(await acme.members())).toEqual(people.slice(0, 8).map(({ email }) => email));
  });
});

describe("a protected person", () => {
  test("keeps a membership that is all this person has, though row and stack are to go", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    const boss = { email: "boss@acme.example" };
    const { id } = await acme.behindOurBack((api, operation) => api.createUser(boss, operation));
    const others = [{ email: "ada@acme.example" }];
    acme.write([...others, { ...boss, user_id: id, seat: "no", token: "no", protected: "yes" }]);
    await acme.succeed("up", "--yes");
    acme.write(others);
    for (const verb of ["preview", "up", "destroy"]) {
      const { code, stdout, stderr } = await acme.orgseat(verb, ...(verb === "preview" ? [] : ["--yes"]));
      expect({ verb, code }, stdout + stderr).toEqual({ verb, code: 3 });
      expect(stdout).toContain("BLOCKED (protected-person)");
      expect(stdout + stderr).not.toContain("unprotect");
    }
    expect(Object.keys(await acme.members())).toEqual(
      expect.arrayContaining(["ada@acme.example", boss.email]),
    );
  });
});

describe("a rotation", () => {
  test("takes the token that keep_previous kept one run after its time, in the plan's own words", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    const ada = { email: "ada@acme.example" };
    const valid = async (): Promise<number> => {
      const { tokens } = await acme.sandbox.service.management.snapshot();
      return tokens.filter(({ revoked }) => !revoked).length;
    };
    acme.write([{ ...ada, keep_previous: "7d" }]);
    await acme.succeed("up", "--yes");
    const before = await valid();
    const rotated = await acme.orgseat("rotate", ada.email, "--yes");
    expect(rotated, rotated.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /issue token, keep the previous token for now[\s\S]*token issued, previous token kept for now/,
      ),
    });
    expect(rotated.stdout).not.toContain("no valid token");
    expect(await valid()).toBe(before + 1);
    expect(await acme.orgseat("preview")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("No changes"),
    });

    writeFileSync(acme.file, readFileSync(acme.file, "utf8").replace(/\b7d\b/, "1ms"));
    await acme.succeed("rotate", ada.email, "--yes");
    expect(await valid()).toBe(before + 2);
    const due = await acme.orgseat("up", "--yes");
    expect(due, due.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("previous token revoked"),
    });
    expect(await valid()).toBe(before + 1);
    await acme.succeed("offboard", ada.email, "--yes");
    expect(await valid()).toBe(before - 1);
  });

  test("says how long a person had no token, where a user has one", async () => {
    const acme = await runningOrganization(fourPeople);
    const rotated = await acme.orgseat("rotate", "ada@acme.example", "--yes");
    expect(rotated, rotated.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok +ada@acme\.example +token replaced \(no valid token for \d+\.\d s\)/),
    });
  });
});
