/** What a plan approves: everything that its preview showed, by ids if there are any, otherwise by what is made. */
import { describe, expect, test } from "vitest";
import type { Properties, ResourceType, Step } from "../../../command/plan/steps/steps.ts";
import { countsOf, headline } from "../../../command/plan/texts/counts.ts";
import { planLines } from "../../../command/plan/texts/text.ts";
import { NEW_USER } from "../../../provider/resources/resource-types.ts";
import { member, ORGANIZATION, plan, step } from "./steps.ts";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const ADA = '["ada@acme.example"]';
const unknownUser = { userId: UNKNOWN };

/** Of someone who joins a preview knows no user id. */
function joining(key: string): Step[] {
  return member(key, "create").map((one) =>
    one.type === "OrgUser" ? one : { ...one, news: { ...one.news, ...unknownUser } },
  );
}

/** A resource of another kind. */
function other(type: ResourceType, action: Step["action"], news: Properties, olds: Properties = {}): Step {
  const isNew = action === "create";
  return {
    ...step("x", "OrgUser", action),
    ...{ type, name: "x", parent: undefined, deleteFirst: false },
    ...{ id: isNew ? undefined : "id-of-x", olds: isNew ? undefined : olds, news },
  };
}

/** Without the operations. */
function changesOf(steps: readonly Step[]) {
  return plan(steps).approvedChanges.map(({ operations: _operations, ...change }) => change);
}

describe("the operations of approved changes", () => {
  const operationsOf = (steps: readonly Step[]) =>
    plan(steps).approvedChanges.map(({ action, type, operations }) => [action, type, operations]);

  test("include no write for an adopted user", () => {
    const adopted = step("ada", "OrgUser", "create", { news: { email: "ada@acme.example", adopt: "u1" } });
    expect(operationsOf([adopted])).toEqual([["create", "OrgUser", ["adopt user"]]]);
  });

  test("give an adoption to the creation where it replaces something", () => {
    const adopted = step("ada", "SeatAssignment", "replace", { news: { userId: "u2", adopt: true } });
    expect(operationsOf([adopted]).slice(0, 2)).toEqual([
      ["delete", "SeatAssignment", ["remove seat"]],
      ["create", "SeatAssignment", ["adopt seat", "assign seat"]],
    ]);
  });
});

describe("the approved changes of a plan", () => {
  test("name who joins by the email, with seat and token", () => {
    expect(plan(joining("ada")).approvedChanges).toEqual([
      { action: "create", type: "OrgUser", subject: ADA, operations: ["add user"] },
      { action: "create", type: "SeatAssignment", subject: ADA, operations: ["assign seat"] },
      { action: "create", type: "UserToken", subject: ADA, operations: ["issue token"] },
    ]);
  });

  test("name a seat and a token of someone who is there by the user id, also where the seat's id is not known", () => {
    const steps = [
      step("ada", "OrgUser", "same", { news: {} }),
      step("ada", "SeatAssignment", "create", { news: { userId: "id-of-ada" } }),
      step("ada", "UserToken", "create", { news: unknownUser }),
    ];
    expect(changesOf(steps)).toEqual([
      { action: "create", type: "SeatAssignment", subject: "user id-of-ada" },
      { action: "create", type: "UserToken", subject: "user id-of-ada" },
    ]);
  });

  test("name seats and tokens that a program wires by hand to new users as those of new users", () => {
    const steps = joining("ada").map((one) => ({ ...one, member: one.name, parent: undefined }));
    expect(changesOf(steps)).toEqual([
      { action: "create", type: "OrgUser", subject: ADA },
      { action: "create", type: "SeatAssignment", subject: NEW_USER },
      { action: "create", type: "UserToken", subject: NEW_USER },
    ]);
  });

  test("divide a replacement into a deletion and a creation", () => {
    const changed = member("ada", "replace", { news: unknownUser }).map((one) =>
      one.type === "OrgUser" ? { ...one, news: { ...one.news, email: "ada@new.example" } } : one,
    );
    const made = '["ada@new.example"]';
    const { approvedChanges } = plan(changed);
    for (const [type, removing, making] of [
      ["OrgUser", "remove user", "add user"],
      ["SeatAssignment", "remove seat", "assign seat"],
      ["UserToken", "revoke token", "issue token"],
    ]) {
      const parts = [
        { action: "delete", type, id: "id-of-ada", operations: [removing] },
        { action: "create", type, subject: made, operations: [making] },
      ];
      expect(approvedChanges).toEqual(expect.arrayContaining(parts));
    }
  });

  test("divide a replaced table into a deletion, which writes nothing, and a creation", () => {
    const table = { name: "new", organizationId: ORGANIZATION };
    const approvedChanges = changesOf([other("VectorTable", "replace", table, { ...table, name: "old" })]);
    expect(approvedChanges.map(({ action, type }) => `${action} ${type}`)).toEqual([
      "delete VectorTable",
      "create VectorTable",
    ]);
  });

  test("name what leaves by its id, and nothing of who stays", () => {
    const approvedChanges = changesOf([...member("ada", "delete"), ...member("bob", "same")]);
    expect(new Set(approvedChanges.map((change) => JSON.stringify(change)))).toEqual(
      new Set(
        ["OrgUser", "SeatAssignment", "UserToken"].map((type) =>
          JSON.stringify({ action: "delete", type, id: "id-of-ada" }),
        ),
      ),
    );
  });

  test("say of an update whether it renews, assigns or only notes something", () => {
    const later = { subscriptionExpiresAt: "2028-01-31T23:59:59Z" };
    for (const [type, given, writes] of [
      ["UserToken", { news: later }, ["renew token"]],
      ["UserToken", {}, []],
      ["SeatAssignment", { olds: { confirmed: false } }, ["assign seat"]],
      ["OrgUser", {}, []],
    ] as const) {
      const update = { action: "update", type, id: "id-of-ada", writes, operations: writes };
      expect(plan([step("ada", type, "update", given)]).approvedChanges).toEqual([update]);
    }
  });

  test("let a token renew whose date only the run knows", () => {
    const [change] = changesOf([step("ada", "UserToken", "update", { news: { expiresAt: UNKNOWN } })]);
    expect(change).toMatchObject({ writes: ["renew token"] });
  });

  test("name whom an onboarding mails, and approve none whose list only the run knows", () => {
    const emails = ["bob@acme.example", "ada@acme.example"];
    expect(changesOf([other("Onboarding", "create", { organizationId: ORGANIZATION, emails })])).toEqual([
      { action: "create", type: "Onboarding", subject: '["ada@acme.example","bob@acme.example"]' },
    ]);
    const olds = { statuses: { "ada@acme.example": "inProcess" }, formerStatuses: {} };
    expect(changesOf([other("Onboarding", "update", { emails }, olds)])).toEqual([
      { action: "update", type: "Onboarding", id: "id-of-x", writes: ["bob@acme.example"] },
    ]);
    expect(changesOf([other("Onboarding", "create", { emails: UNKNOWN })])).toEqual([]);
  });

  test("name service accounts, tables and servers by what they are made of", () => {
    const steps = [
      other("ServiceAccount", "create", { name: "bot" }),
      other("VectorTable", "create", { name: "docs" }),
      other("ModelServer", "create", { serverId: "s1" }),
      other("ModelServer", "create", { serverConfig: { modelFileName: "a.gguf" } }),
    ];
    expect(changesOf(steps)).toEqual([
      { action: "create", type: "ServiceAccount", subject: '"bot"' },
      { action: "create", type: "VectorTable", subject: '"docs"' },
      { action: "create", type: "ModelServer", subject: '"s1"' },
      { action: "create", type: "ModelServer", subject: '"a.gguf"' },
    ]);
  });

  test("name the kept accounts that an update deletes, by their ids, with the reason in the text", () => {
    const previous = [
      { clientId: "c2", removeAfter: "2026-11-22T00:00:00Z" },
      { clientId: "c1", removeAfter: "2026-11-20T00:00:00Z" },
    ];
    const account = { organizationId: ORGANIZATION, name: "bot" };
    const update = plan([other("ServiceAccount", "update", account, { ...account, previous })]);
    const writes = ["delete service account c1"];
    expect(update.approvedChanges).toEqual([
      {
        ...{ action: "update", type: "ServiceAccount", id: "id-of-x", writes },
        operations: ["delete service account"],
      },
    ]);
    expect(planLines(update)).toMatchObject([
      {
        what: "delete previous service account: client id c1, kept until 2026-11-20T00:00:00Z",
        isFinal: true,
      },
    ]);
    expect(countsOf(update).accountsDeleted).toBe(1);
  });

  test("approve creation and deletion of a due rotation that keeps the old account, and say that it stays", () => {
    const rule = { organizationId: ORGANIZATION, name: "bot", rotateEvery: "30d", keepPreviousFor: "1d" };
    const old = { ...rule, issuedAt: "2026-08-20T00:00:00Z" };
    const rotation = plan([{ ...other("ServiceAccount", "replace", rule, old), causes: ["rotateEvery"] }]);
    expect(rotation.approvedChanges).toEqual([
      { action: "delete", type: "ServiceAccount", id: "id-of-x", operations: ["keep service account"] },
      { action: "create", type: "ServiceAccount", subject: '"bot"', operations: ["create service account"] },
    ]);
    expect(planLines(rotation)).toMatchObject([
      {
        what: "create service account, keep the previous one for now: rotateEvery 30d, issued 2026-08-20",
        isFinal: false,
      },
    ]);
    expect(countsOf(rotation)).toMatchObject({ accountsCreated: 1, accountsDeleted: 0 });
  });

  test.each([
    ["ModelServer", { status: "stopped" }, { running: true }, ["start server"]],
    ["ModelServer", { status: "running" }, { running: false }, ["stop server"]],
    ["ModelServer", { status: "starting" }, { running: true }, []],
    ["ModelServer", { status: "stopped" }, {}, []],
  ] as const)("say of an update of a %s from %o to %o what it writes", (type, olds, news, writes) => {
    const update = { action: "update", type, id: "id-of-x", writes };
    expect(changesOf([other(type, "update", news, olds)])).toEqual([update]);
  });

  test("count the servers and tables that a plan creates and deletes", () => {
    const planned = plan([
      other("ModelServer", "create", { serverConfig: { modelFileName: "a.gguf" } }),
      { ...other("ModelServer", "delete", {}, { onDelete: "delete" }), urn: "another" },
      { ...other("VectorTable", "delete", {}, { onDelete: "delete" }), urn: "a-table" },
      { ...other("VectorTable", "delete", {}, {}), urn: "a-kept-table" },
    ]);
    expect(headline(planned)).toBe("1 model server to create · 1 model server to delete · 1 table to delete");
  });
});
