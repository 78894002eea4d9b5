import { describe, expect, test } from "vitest";
import { common, failure, inTurn, scripted } from "./scripted.ts";
import { person as ada, heldUser as adaState, heldUserWith } from "./writes.ts";

const builds = { purpose: "builds", lastName: "of main" };
const managed = { ...common, ...builds };
const managedState = heldUserWith(builds);
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const boss = { id: "u1", email: "ada@acme.example", role: "admin", subscriptions: [] };

describe("OrgUser", () => {
  test("replaces the user if the email changes, the new one first, and ignores letter case", async () => {
    const run = await scripted(() => ({}));
    const diff = (email: string) => run.orgUser.diff("u1", adaState, { ...ada, email });
    expect(await diff("eve@acme.example")).toEqual({
      changes: true,
      replaces: ["email"],
    });
    expect(await diff(unknown)).toMatchObject({ replaces: ["email"] });
    expect(await diff("Ada@ACME.example")).toMatchObject({ changes: false, replaces: [] });
  });

  test("keeps a person whose name changes, and warns that the service keeps the old one", async () => {
    const run = await scripted(() => ({}));
    const named = { ...ada, firstName: "Ada" };
    expect(await run.orgUser.diff("u1", adaState, named)).toMatchObject({ changes: true, replaces: [] });
    await run.orgUser.check(ada, named);
    expect(run.messages.map(({ text }) => text).join()).toContain("The service keeps the old name");
  });

  test("replaces a machine user if the name changes, and only updates for an unknown name", async () => {
    const run = await scripted(() => ({}));
    const diff = (purpose: string) => run.orgUser.diff("u1", managedState, { ...managed, purpose });
    expect(await diff("releases")).toMatchObject({ changes: true, replaces: ["purpose"] });
    expect(await diff(unknown)).toMatchObject({ changes: true, replaces: [] });
  });

  test.each([
    ["email and names", common, "email", ""],
    // Pulumi would show the value of the property.
    [
      "known keys in credentials",
      { ...ada, credentials: { clientId: "c", clientSecret: "s", more: 1 } },
      "",
      "credentials.more: unknown key",
    ],
  ])("fails its check without %s", async (_, inputs, property, reason) => {
    const run = await scripted(() => ({}));
    const { failures } = await run.orgUser.check({}, inputs);
    expect(failures).toMatchObject([{ property, reason: expect.stringContaining(reason) }]);
  });

  test("makes no call to adopt a user, who stays on removal, and goes if onDelete is delete", async () => {
    const run = await scripted(() => ({ status: 204 }));
    const { id, outs = {} } = await run.orgUser.create({ ...ada, adopt: "u7" });
    expect(id).toBe("u7");
    await run.orgUser.delete(id, outs);
    expect(run.sent()).toEqual([]);
    expect(run.messages.map(({ text }) => text).join()).toContain("the user stays a member");
    const { outs: later = {} } = await run.orgUser.update(id, outs, { ...ada, onDelete: "delete" });
    await run.orgUser.delete(id, later);
    expect(run.sent()).toEqual(["DELETE /users/u7"]);
  });

  test("keeps an adopted user adopted through an update, and so on a later removal", async () => {
    const run = await scripted(() => ({ status: 204 }));
    const { outs: taken = {} } = await run.orgUser.create({ ...ada, adopt: "u1" });
    const { outs = {} } = await run.orgUser.update("u1", taken, { ...ada, onDelete: "retain" });
    const agreed = { onDelete: { user: "retain" } };
    expect(outs).toMatchObject({ adopted: true, held: { agreed }, userId: "u1" });
    const { outs: later = {} } = await run.orgUser.update("u1", outs, ada);
    expect(later).toMatchObject({ held: { agreed: {} } });
    await run.orgUser.delete("u1", later);
    expect(run.sent()).toEqual([]);
  });

  test("tells the user to set adopt if the person is already a member, and adopts no one silently (D17)", async () => {
    const run = await scripted(inTurn({ status: 409, body: { error: { message: "is a member" } } }));
    expect((await failure(run.orgUser.create(ada))).message).toContain("set `adopt` to the user id");
    expect(run.sent()).toEqual(["POST /users"]);
  });

  describe("an email that the service has, and no listed user", () => {
    const deleted = { status: 409, body: { error: { code: "EMAIL_EXISTS", message: "email exists" } } };
    const listed = { id: "u1", email: ada.email, role: "member", subscriptions: [] };
    const taken =
      "The list of users shows no membership of ada@acme.example to adopt: the service may keep the email for a user who was deleted or invited. Look in its admin console, or ask its operator to free the email, then run the command again. [email-taken]";

    test.each([["whom this run has removed, and the list still shows", true]])(
      "keeps the words of the service, and adds what the list shows: a person %s",
      async (_, isRemoved) => {
        const items = [{ ...boss, id: "u0", email: "boss@acme.example" }, ...(isRemoved ? [listed] : [])];
        const run = await scripted(
          ({ method, url }) => {
            if (method === "POST") return deleted;
            if (method === "DELETE") return { status: 204 };
            return { body: { items: url.endsWith("/tokens") ? [] : items } };
          },
          { ORGSEAT_PLATFORM: "anaconda" },
        );
        if (isRemoved) await run.orgUser.delete("u1", adaState);
        const { message } = await failure(run.orgUser.create(ada));
        expect(message).toMatch(
          /^cannot add user: email exists \(HTTP 409 EMAIL_EXISTS, POST \/.*\/users\)\. /,
        );
        expect(message).toContain(taken);
      },
    );
  });

  describe("a creation answered with another person's user (D53)", () => {
    const grace = { id: "u9", email: "grace@acme.example", first_name: null, last_name: null };
    const nobody = { id: "u9", email: null };

    test.each([
      ["a person with another email", ada, grace, "grace@acme.example"],
      [
        "a person with a machine user",
        ada,
        { ...nobody, first_name: "builds", last_name: null },
        "its name is builds",
      ],
      ["a machine user with a person", managed, grace, "it is a person"],
      [
        "a machine user with one of another purpose",
        managed,
        { ...nobody, first_name: "releases", last_name: "of main" },
        "its name is releases of main",
      ],
    ])("%s: fails, keeps no user and does not name the id", async (_case, news, body, told) => {
      const run = await scripted(inTurn({ body }));
      const error = await failure(run.orgUser.create(news));
      expect(error.message).toContain("the service returned another user");
      expect(error.message).toContain(told);
      expect(error.message).not.toContain("u9");
      // Of a machine user, the state keeps a placeholder.
      expect(error.id ?? "").toMatch("email" in news ? /^$/ : /^undecided-/);
      expect(run.sent()).toEqual(["POST /users"]);
    });

    test.each([
      ["the email in other letters", ada, { id: "u9", email: "ADA@acme.EXAMPLE", first_name: "A." }],
      ["the id alone, for a person", ada, { id: "u9" }],
      ["the id alone, for a machine user", managed, { id: "u9" }],
      [
        "the names and an address of the service's own",
        managed,
        { id: "u9", email: "bot-9@acme.example", first_name: "Builds ", last_name: "of main" },
      ],
    ])("stays its own with %s", async (_case, news, body) => {
      const run = await scripted(inTurn({ body }));
      expect(await run.orgUser.create(news)).toMatchObject({ id: "u9" });
    });

    test("fails and keeps nothing if the program met that person before", async () => {
      const run = await scripted(inTurn({ body: { id: "u1" } }));
      await run.orgUser.diff("u1", adaState, ada);
      const error = await failure(run.orgUser.create({ ...common, email: "eve@acme.example" }));
      expect(error.message).toContain("another resource of this program has ada@acme.example (user u1)");
      expect(error.id).toBeUndefined();
    });

    test("fails the resource that the program meets afterwards: neither gets a seat or loses anything", async () => {
      const run = await scripted(inTurn({ body: { id: "u1" } }));
      const { outs = {} } = await run.orgUser.create({ ...common, email: "eve@acme.example" });
      expect(await run.orgUser.diff("u1", adaState, ada)).toMatchObject({ changes: true, replaces: [] });
      const error = await failure(run.orgUser.update("u1", adaState, ada));
      expect(error.message).toContain("another resource of this program has the same user id");
      const seat = await failure(run.seat.create({ ...common, userId: "u1" }));
      const token = await failure(run.token.create({ ...common, userId: "u1", expiresAt: "2027-05-01" }));
      for (const { message } of [seat, token]) expect(message).toContain("two resources of this program");
      await run.orgUser.delete("u1", outs);
      await run.orgUser.delete("u1", adaState);
      expect(run.sent()).toEqual(["POST /users"]);
    });
  });

  test("refuses to adopt the user of another OrgUser", async () => {
    const run = await scripted(() => ({}));
    await run.orgUser.diff("u1", adaState, ada);
    const eve = { ...common, email: "eve@acme.example", adopt: "u1" };
    expect((await failure(run.orgUser.create(eve))).message).toContain(
      "another resource of this program has this user",
    );
    expect(run.sent()).toEqual([]);
  });

  test("waits for the others if its removal meets a 409, and fails after ten seconds with the line to write (D14)", async () => {
    const conflict = { status: 409, body: { error: { message: "a seat is left" } } };
    const run = await scripted(inTurn(conflict, conflict, { status: 204 }));
    await run.orgUser.delete("u1", adaState);
    expect(run.sent()).toHaveLength(3);

    // The first removal of a run waits for others.
    const stuck = await scripted(inTurn({ status: 204 }, conflict));
    const [user] = adaState.held.users;
    const other = { ...adaState.held, users: [{ ...user, id: "u2" }] };
    await stuck.orgUser.delete("u2", { ...adaState, userId: "u2", held: other });
    const startedAt = stuck.clock.monotonic();
    const error = await failure(stuck.orgUser.delete("u1", adaState));
    expect(error.message).toContain("`userId: seat.userId`");
    expect(stuck.clock.monotonic() - startedAt).toBeGreaterThan(8_000);
    expect(stuck.clock.monotonic() - startedAt).toBeLessThanOrEqual(10_000);
  });

  test.each<[string, object, object, string]>([
    ["neither a seat nor a token", { items: [boss] }, { items: [] }, "LAST_ADMIN"],
    ["a revoked token", { items: [boss] }, { items: [{ id: "t1", revoked: true }] }, "LAST_ADMIN"],
    ["nothing readable", { items: [] }, {}, "LAST_ADMIN"],
    ["a seat", { items: [{ ...boss, subscriptions: ["pro"] }] }, { items: [] }, "still has a seat."],
    ["a token", { items: [boss] }, { items: [{ id: "t1" }] }, "still has a seat or a token: t1"],
  ])("explains a refused removal by what the lists show: %s", async (_, users, tokens, why) => {
    const body = { error: { code: "LAST_ADMIN", message: "the organization has no other admin" } };
    const script = ({ method, url }: { readonly method: string; readonly url: string }) => {
      if (method === "DELETE") return { status: 409, body };
      return { body: url.endsWith("/tokens") ? tokens : users };
    };
    const run = await scripted(script, { ORGSEAT_PLATFORM: "anaconda" });
    const error = await failure(
      run.orgUser.delete("u1", heldUserWith({ email: ada.email }, { allowAdminRemoval: true })),
    );
    expect(error.message).toContain("the organization has no other admin (HTTP 409 LAST_ADMIN");
    expect(error.message).toContain(why);
    expect(error.message.includes("still has")).toBe(why !== "LAST_ADMIN");
  });
});
