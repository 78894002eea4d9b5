// @module-tag ci
/** Plays of the command against services that refuse, deny, or mislead: nobody loses anything on a guess. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../provider/util/instants.ts";
import { shareOf } from "../setup/cases.ts";
import { nodeOptions } from "../setup/quick-node.ts";
import {
  fourPeople,
  peopleRows,
  runningOrganization,
  type TestOrganization,
  testOrganization,
} from "./organization.ts";

/** The answer of a service to an account without rights, which says of everything that it does not exist. */
const HIDDEN = { status: 404, body: { error: { code: "USER_NOT_FOUND", message: "no such user" } } };

async function refuse(
  acme: TestOrganization,
  call: number,
  answer: { readonly status: number; readonly body?: unknown },
  match: { readonly userId?: string } = {},
): Promise<void> {
  await acme.sandbox.service.management.addFaults({
    match: { call, ...match },
    times: "always",
    fault: { kind: "refuse", ...answer },
  });
}

async function userIdOf({ sandbox }: TestOrganization, who: string): Promise<string> {
  const { users } = await sandbox.service.management.snapshot();
  const found = users.find(({ email }) => email === who);
  if (found === undefined) throw new Error(`${who} is no member`);
  return found.userId;
}

describe("a service that refuses", () => {
  test.each(shareOf([402, 403, 500]))("every new token with %i takes at most one old one", async (status) => {
    const acme = await runningOrganization(peopleRows(12, { rotate_every: "1d" }), {}, { seats: 20 });
    const preload = createRequire(import.meta.url).resolve("../setup/later.cjs");
    acme.environment.NODE_OPTIONS = `${nodeOptions} --require ${preload}`;
    acme.environment.ORGSEAT_TEST_LATER_MS = String(3 * DAY_MS);
    await refuse(acme, 7, { status });
    const { code } = await acme.orgseat("up", "--yes");
    expect(code).not.toBe(0);
    expect((await acme.writes()).filter((call) => call === 9)).toEqual([9]);

    await acme.sandbox.service.management.clearFaults();
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    for (const member of Object.values(await acme.members())) expect(member.token).toBeDefined();
  });

  test("one new email removes the others whose rows were deleted", async () => {
    const people = peopleRows(10);
    const acme = await runningOrganization(people);
    await refuse(acme, 5, { status: 422 });
    const [first, ...others] = people.map((row) => ({ ...row, key: row.email ?? "" }));
    acme.write([{ ...first, email: "renamed@acme.example" }, ...others.slice(0, -2)]);
    const up = await acme.orgseat("up", "--yes");
    expect(up.code).toBe(1);
    expect(Object.keys(await acme.members())).toEqual(people.slice(0, 8).map(({ email }) => email));
  });
});

describe("a service that denies", () => {
  test("everything to an account without rights keeps the leavers in the state, until it has them again", async () => {
    const acme = await runningOrganization(fourPeople);
    for (const call of [9, 10, 11]) await refuse(acme, call, HIDDEN);
    acme.write(fourPeople.slice(0, 2));
    const up = await acme.orgseat("up", "--yes");
    expect(up.code, up.stdout).toBe(1);
    expect(up.stdout).not.toContain("already gone");
    expect(Object.keys(await acme.members())).toHaveLength(4);

    await acme.sandbox.service.management.clearFaults();
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example", "grace@acme.example"]);
  });

  test.each(
    shareOf([
      ["assign seat", 6],
      ["issue token", 7],
    ] as const),
  )("'%s' in the body of a success has failed", async (_, call) => {
    const acme = await runningOrganization([{ email: "ada@acme.example" }]);
    await refuse(acme, call, { status: 200, body: { error: { code: "NO", message: "not today" } } });
    acme.write([{ email: "ada@acme.example" }, { email: "bob@acme.example" }]);
    const up = await acme.orgseat("up", "--yes");
    expect(up.code).toBe(1);
    expect(up.stdout).toContain("not today");
  });
});

describe("an answer", () => {
  test("keeps its token though its date is unreadable", async () => {
    const acme = await runningOrganization([{ email: "ada@acme.example" }]);
    await acme.sandbox.service.management.addFaults({
      match: { call: 7 },
      fault: {
        kind: "raw",
        headers: [["content-type", "application/json"]],
        body: JSON.stringify({ token: "the-only-copy", expires_at: "31 Dec 2027 23:59:59" }),
      },
    });
    acme.write([{ email: "ada@acme.example" }, { email: "bob@acme.example" }]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(await acme.orgseat("token", "bob@acme.example", "--out", "bob.token")).toMatchObject({ code: 0 });
    expect(readFileSync(join(acme.folder, "bob.token"), "utf8").trim()).toBe("the-only-copy");
  });
});

describe("a service that shows a write later", () => {
  test("gets the seat of a person whom it did not know at first", async () => {
    const acme = await runningOrganization([{ email: "ada@acme.example" }]);
    await acme.sandbox.service.management.addFaults({
      match: { call: 6 },
      times: 3,
      fault: { kind: "refuse", ...HIDDEN },
    });
    acme.write([{ email: "ada@acme.example" }, { email: "bob@acme.example" }]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(await acme.members()).toMatchObject({
      "bob@acme.example": { seat: true, token: expect.any(String) },
    });
  });

  test("keeps one machine user that was decided as missing, and then as existing", async () => {
    const acme = await runningOrganization([{ email: "ada@acme.example" }]);
    const builds = { key: "builds", purpose: "Builds" };
    const { management } = acme.sandbox.service;
    await management.addFaults({ match: { call: 5, body: "Builds" }, fault: { kind: "cut-after" } });
    acme.write([{ email: "ada@acme.example" }, builds]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 1 });
    const { users } = await management.snapshot();
    const id = users.find(({ firstName }) => firstName === "Builds")?.userId ?? "";
    await acme.writes();
    for (const decision of [["--missing"], ["--exists", id]])
      expect(await acme.orgseat("resolve", "builds", ...decision)).toMatchObject({ code: 0 });
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(await acme.writes()).toEqual([6, 7]);
  });
});

describe("a protected person", () => {
  test("keeps a membership that is all this person has, though row and stack are to go", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    const boss = { email: "boss@acme.example" };
    const { id } = await acme.behindOurBack((api, operation) => api.createUser(boss, operation));
    await acme.sandbox.service.management.changeUser(id, { role: "admin" });
    const others = [{ email: "ada@acme.example" }];
    acme.write([...others, { ...boss, user_id: id, seat: "no", token: "no", protected: "yes" }]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
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

  test.each(shareOf([["yes", "no"] as const, ["no", "yes"] as const]))(
    "joins by no plan that was approved with protected: %s, if the row says %s",
    async (approved, changed) => {
      const acme = await runningOrganization(fourPeople);
      const bob = { email: "bob@acme.example" };
      acme.write([...fourPeople, { ...bob, protected: approved }]);
      expect(await acme.orgseat("preview", "--plan", "plan.json")).toMatchObject({ code: 0 });
      acme.write([...fourPeople, { ...bob, protected: changed }]);
      const up = await acme.orgseat("up", "--plan", "plan.json", "--yes");
      expect(up).toMatchObject({ code: 3, stdout: expect.stringContaining("BLOCKED (plan-changed)") });
      expect(await acme.writes()).toEqual([]);
    },
  );
});

describe("an address", () => {
  test("passes to another person once it is free, and is never exchanged", async () => {
    const [a, b] = ["a@acme.example", "b@acme.example"];
    const acme = await runningOrganization([{ key: "k1", email: a }, { key: "k2", email: b }, ...fourPeople]);
    acme.write([{ key: "k1", email: b }, { key: "k2", email: a }, ...fourPeople]);
    const exchanged = await acme.orgseat("up", "--yes");
    expect(exchanged).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/BLOCKED \(address-in-use\)[\s\S]*k1[\s\S]*k2/),
    });
    expect(await acme.writes()).toEqual([]);

    acme.write([{ key: "k1", email: b }, ...fourPeople]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    const names = Object.keys(await acme.members());
    expect([names.includes(a), names.includes(b), names.length]).toEqual([false, true, 5]);
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });
  });

  test("joins in each form that RFC 6531 allows", async () => {
    const emails = [
      ...["r&d@acme.example", "a/b@acme.example", "a=b@acme.example"],
      ...["a@xn--mnchen-3ya.example", "jörg@münchen.example"],
    ];
    const acme = await testOrganization();
    acme.write(emails.map((email) => ({ email })));
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members()).toSorted()).toEqual(emails.toSorted());
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({ code: 0 });
  });
});

describe("a name", () => {
  test("removes nobody if it is one person's key and another's email", async () => {
    const acme = await runningOrganization([{ key: "a@acme.example", email: "old@acme.example" }]);
    acme.write([
      { key: "a@acme.example", email: "old@acme.example" },
      { key: "a2", email: "a@acme.example" },
    ]);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    const offboard = await acme.orgseat("offboard", "a@acme.example", "--yes");
    expect(offboard.code).toBe(1);
    expect(offboard.stderr + offboard.stdout).toMatch(/a2/);
    expect(Object.keys(await acme.members())).toHaveLength(2);
  });

  test("removes nobody who gets the address of an offboarded person later", async () => {
    const acme = await runningOrganization([
      { key: "k1", email: "ada@acme.example" },
      { key: "k3", email: "eve@acme.example" },
    ]);
    expect(await acme.orgseat("offboard", "ada@acme.example", "--yes")).toMatchObject({ code: 0 });
    acme.write([
      { key: "k3", email: "eve@acme.example" },
      { key: "k2", email: "ada@acme.example" },
    ]);
    const id = await acme.behindOurBack((api, operation) =>
      api.createUser({ email: "ada@acme.example" }, operation),
    );
    acme.write([
      { key: "k3", email: "eve@acme.example" },
      { key: "k2", email: "ada@acme.example", user_id: id.id },
    ]);
    const up = await acme.orgseat("up", "--yes");
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect(await userIdOf(acme, "ada@acme.example")).toBe(id.id);
  });
});

describe("offboard", () => {
  test("removes a person whose deletion is retained by default, unless --keep-member asks for that", async () => {
    const acme = await runningOrganization(fourPeople, { on_delete: "retain" });
    expect(await acme.orgseat("offboard", "ada@acme.example", "--yes")).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).not.toContain("ada@acme.example");
    expect(await acme.orgseat("offboard", "grace@acme.example", "--keep-member", "--yes")).toMatchObject({
      code: 0,
    });
    expect(await acme.members()).toMatchObject({ "grace@acme.example": { seat: true, token: undefined } });
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
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
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
    expect(await acme.orgseat("rotate", ada.email, "--yes")).toMatchObject({ code: 0 });
    expect(await valid()).toBe(before + 2);
    const due = await acme.orgseat("up", "--yes");
    expect(due, due.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("previous token revoked"),
    });
    expect(await valid()).toBe(before + 1);
    expect(await acme.orgseat("offboard", ada.email, "--yes")).toMatchObject({ code: 0 });
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
