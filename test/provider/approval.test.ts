import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { perform } from "../../provider/resources/operations.ts";
import { NEW_USER, resourceTypes, userSubject } from "../../provider/resources/resource-types.ts";
import { Approval } from "../../provider/safety/approval.ts";
import { readApprovedChanges } from "../../provider/safety/approved-changes.ts";
import { type ShownChange, writeShownChanges } from "../setup/shown-changes.ts";
import { temporaryFile } from "../setup/temporary.ts";

const nobody = { learn: () => {}, find: () => undefined, nameOf: (id: string) => `user ${id}` };
const ada = { email: "ada@acme.example", organizationId: "o1" };
const seat = { userId: "u1", organizationId: "o1" };
const renewal = perform({ action: "update", id: "u1" }, "renewToken");
const ADA = '["ada@acme.example"]';

function listOf(changes: ShownChange[], organizationId = "o1"): string {
  const file = temporaryFile("approved.json");
  writeShownChanges(file, { organizationId, changes });
  return file;
}

function approvalOf(changes: ShownChange[], configured: string | undefined = "o1"): Approval {
  return new Approval({ organizationId: configured }, listOf(changes), nobody);
}

describe("a creation", () => {
  test("needs the person's email in any letter case, and uses up one entry", () => {
    const approval = approvalOf([{ action: "create", type: "OrgUser", subject: ADA }]);
    expect(() => approval.create("OrgUser", { ...ada, email: "eve@acme.example" })).toThrow(
      /^cannot create the membership of eve@acme\.example: the preview did not show this change, and something has changed since\./,
    );
    approval.create("OrgUser", { ...ada, email: "Ada@acme.example" });
    expect(() => approval.create("OrgUser", ada)).toThrow(/did not show/);
  });

  test("tells a person who is adopted from a person who joins", () => {
    const approval = approvalOf([{ action: "create", type: "OrgUser", subject: ADA }]);
    expect(() => approval.create("OrgUser", { ...ada, adopt: "u1" })).toThrow(/did not show/);
    const adopting = approvalOf([
      { action: "create", type: "OrgUser", subject: '["ada@acme.example","u1"]' },
    ]);
    adopting.create("OrgUser", { ...ada, adopt: "u1" });
  });

  test("needs the purpose of a machine user", () => {
    const approval = approvalOf([{ action: "create", type: "OrgUser", subject: '[["Builds",null]]' }]);
    expect(() => approval.create("OrgUser", { purpose: "Tests", organizationId: "o1" })).toThrow(
      /the membership of Tests: the preview/,
    );
    approval.create("OrgUser", { purpose: "Builds", organizationId: "o1" });
  });

  test.each(["SeatAssignment", "UserToken"] as const)(
    "needs the user id of a %s, or the person once the process has met them",
    (type) => {
      approvalOf([{ action: "create", type, subject: userSubject("u1") }]).create(type, seat);
      const approval = approvalOf([{ action: "create", type, subject: ADA }]);
      expect(() => approval.create(type, seat)).toThrow(/of user u1: the preview/);
      approval.learn("OrgUser", "u1", ada);
      expect(() => approval.create(type, { ...seat, userId: "u2" })).toThrow(/did not show/);
      approval.create(type, seat);
    },
  );

  test("needs an approved new user for a new user's seat or token", () => {
    const approval = approvalOf([
      { action: "create", type: "OrgUser", subject: ADA },
      { action: "create", type: "SeatAssignment", subject: NEW_USER },
      { action: "create", type: "UserToken", subject: NEW_USER },
    ]);
    approval.learn("OrgUser", "u2", { ...ada, email: "eve@acme.example" });
    approval.learn("OrgUser", "u1", ada);
    expect(() => approval.create("SeatAssignment", { ...seat, userId: "u2" })).toThrow(/did not show/);
    approval.create("SeatAssignment", seat);
    approval.create("UserToken", seat);
  });

  test.each([
    ["ServiceAccount", { name: "bot", organizationId: "o1" }, '"bot"', "the service account bot"],
    ["VectorTable", { name: "docs" }, '"docs"', "the vector table docs"],
    ["ModelServer", { serverId: "s1" }, '"s1"', "the model server s1"],
    ["ModelServer", { serverConfig: { modelFileName: "a.gguf" } }, '"a.gguf"', "the model server a.gguf"],
    [
      "Onboarding",
      { emails: ["b@x.example", "a@x.example"], organizationId: "o1" },
      '["a@x.example","b@x.example"]',
      "the onboarding",
    ],
  ] as const)("needs what it makes: %s", (type, inputs, subject, what) => {
    expect(() => approvalOf([]).create(type, inputs)).toThrow(`cannot create ${what}: the preview did not`);
    approvalOf([{ action: "create", type, subject }]).create(type, inputs);
  });
});

describe("an update", () => {
  const shown = (writes: string[]) => approvalOf([{ action: "update", type: "UserToken", id: "u1", writes }]);

  test("needs its type and id, and writes no more than was shown", () => {
    shown([]).update("UserToken", "u1", seat, []);
    expect(() => shown([]).update("UserToken", "u2", { ...seat, userId: "u2" }, [])).toThrow(
      "cannot update the token of user u2: the preview did not show this change",
    );
    expect(() => shown([]).update("SeatAssignment", "u1", seat, [])).toThrow(/did not show/);
    expect(() => shown([]).update("UserToken", "u1", seat, renewal)).toThrow(/did not show/);
    shown(["renew token"]).update("UserToken", "u1", seat, renewal);
  });

  test("needs the creation's entry to finish one that failed halfway, which gives no renewal", () => {
    const approval = approvalOf([
      {
        ...{ action: "create", type: "SeatAssignment", subject: userSubject("u1") },
        operations: ["assign seat"],
      },
      { action: "create", type: "UserToken", subject: userSubject("u1"), operations: ["issue token"] },
    ]);
    approval.update("SeatAssignment", "u1", seat, perform({ action: "update", id: "u1" }, "assignSeat"));
    approval.update("UserToken", "u1", seat, []);
    expect(() => approval.update("UserToken", "u1", seat, renewal)).toThrow(/did not show/);
  });
});

describe("a replacement that deletes first", () => {
  const deleted = { action: "delete", type: "UserToken", id: "u1" } as const;
  const created = { action: "create", type: "UserToken", subject: userSubject("u1") } as const;

  test("needs its deletion and its creation together", () => {
    expect(approvalOf([deleted, created]).allowsReplacement("UserToken", "u1", seat)).toBe(true);
    for (const changes of [[], [deleted], [created]])
      expect(approvalOf(changes).allowsReplacement("UserToken", "u1", seat)).toBe(false);
  });

  test("lets no update take its place if not approved", () => {
    const approval = approvalOf([{ action: "update", type: "UserToken", id: "u1", writes: [] }]);
    expect(approval.allowsReplacement("UserToken", "u1", seat)).toBe(false);
    expect(() => approval.update("UserToken", "u1", seat, [])).toThrow(/did not show/);
  });
});

describe("a deletion", () => {
  test("needs its type and id alone", () => {
    const approval = approvalOf([{ action: "delete", type: "SeatAssignment", id: "u1" }]);
    approval.delete("SeatAssignment", "u1", seat);
    expect(() => approval.delete("SeatAssignment", "u2", { ...seat, userId: "u2" })).toThrow(
      "cannot delete the seat of user u2: the preview did not show this change",
    );
    for (const type of resourceTypes.filter((one) => one !== "SeatAssignment"))
      expect(() => approval.delete(type, "u1", seat), type).toThrow(/did not show/);
  });
});

describe("the list of approved changes", () => {
  const change = { action: "delete", type: "SeatAssignment", id: "u1" } as const;

  test("approves nothing if it names another organization", () => {
    const approval = (organizationId: string) =>
      new Approval({ organizationId: "o1" }, listOf([change], organizationId), nobody);
    expect(() => approval("o2").delete("SeatAssignment", "u1", seat)).toThrow(
      /is for organization o2, but this change is in o1/,
    );
    approval("o2").delete("SeatAssignment", "u1", { ...seat, organizationId: "o2" });
  });

  test("holds for the model area by the configured organization, where there is one", () => {
    const server = { action: "delete", type: "ModelServer", id: "s1" } as const;
    const remove = (configured: string | undefined) => () =>
      new Approval({ organizationId: configured }, listOf([server], "o2"), nobody).delete(
        "ModelServer",
        "s1",
        { serverId: "s1" },
      );
    expect(remove("o1")).toThrow(/is for organization o2/);
    expect(remove("o2")).not.toThrow();
    expect(remove(undefined)).not.toThrow();
  });

  test.each([
    ["is missing", undefined, /ENOENT/],
    ["is no JSON", "{", /not valid JSON/],
    ["is empty", "", /not valid JSON/],
    [
      "is of another version",
      '{"version":1,"organizationId":"o1","changes":[]}',
      /version: unsupported version/,
    ],
    ["names no organization", '{"version":2,"changes":[]}', /organizationId: missing/],
    [
      "names a type that there is not",
      '{"version":2,"organizationId":"o1","changes":[{"action":"delete","type":"Seat","id":"u1"}]}',
      /changes\[0\]\.type/,
    ],
  ])("approves nothing if its file %s", (_, content, why) => {
    const file = temporaryFile("approved.json", content);
    const approval = new Approval({ organizationId: "o1" }, file, nobody);
    const all = [
      () => approval.create("SeatAssignment", seat),
      () => approval.update("SeatAssignment", "u1", seat, []),
      () => approval.delete("SeatAssignment", "u1", seat),
    ];
    for (const one of all) {
      expect(one).toThrow(/the seat of user u1: cannot read the list of approved changes/);
      expect(one).toThrow(why);
    }
    expect(approval.allowsReplacement("SeatAssignment", "u1", seat)).toBe(false);
  });

  test("replaces what was there with mode 0600, and reads back the same", () => {
    const file = temporaryFile("approved.json", "of before");
    writeShownChanges(file, { organizationId: "o1", changes: [change] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readApprovedChanges(file)).toMatchObject({ organizationId: "o1", changes: [change] });
  });
});
