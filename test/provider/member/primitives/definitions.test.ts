/** SeatAssignment and UserToken of a program, as Pulumi calls them, against a service whose answers the test writes. */
import { describe, expect, test } from "vitest";
import { failure, type Props, SUBSCRIPTION_END, scripted } from "../../../resources/scripted.ts";
import type { Script } from "../../api/service.ts";

const common = { organizationId: "the-org" };
const now = "2027-01-01T00:00:00Z";
const issued = { token: "new-value", expires_at: SUBSCRIPTION_END };

/** Answers by method and end of the path; everything else succeeds. */
function answering(answers: Readonly<Record<string, ReturnType<Script>>>): Script {
  return ({ method, url }) => {
    const path = url.split("/the-org")[1] ?? "";
    const found = Object.entries(answers).find(([key]) => `${method} ${path}`.startsWith(key));
    if (found !== undefined) return found[1];
    return method === "DELETE" ? { status: 204 } : { status: 201, body: {} };
  };
}

function seatState(more: Props = {}, users: readonly Props[] = [{}], agreed: Props = {}): Props {
  const held = users.map((user) => ({
    ...{ id: "u1", adopted: true, seat: "held", seatAdopted: false, tokens: [] },
    ...user,
  }));
  return {
    stateVersion: 1,
    userId: "u1",
    adopted: false,
    ...common,
    held: { ref: "seat-1", users: held, agreed },
    ...more,
  };
}

function tokenState(token: Props = {}, agreed: Props = {}): Props {
  const own = { adopted: false, issuedAt: now, declaredEnd: SUBSCRIPTION_END, value: "kept", ...token };
  const user = { id: "u1", adopted: true, seat: "left", seatAdopted: false, tokens: [own] };
  return {
    ...{
      stateVersion: 1,
      userId: "u1",
      ...common,
      value: "old-value",
      subscriptionExpiresAt: SUBSCRIPTION_END,
    },
    ...{ issuedAt: now, reportedExpiresAt: null, validUntil: SUBSCRIPTION_END, expirySource: "declared" },
    held: { ref: "token-1", users: [user], agreed: { subscriptionExpiresAt: SUBSCRIPTION_END, ...agreed } },
  };
}

const seatInputs = (more: Props = {}): Props => ({ userId: "u1", ...common, ...more });
const tokenInputs = (more: Props = {}): Props => ({
  ...seatInputs(),
  subscriptionExpiresAt: SUBSCRIPTION_END,
  ...more,
});

describe("SeatAssignment", () => {
  test("frees the seat of the changed user that may have been assigned", async () => {
    const users = [{ seat: "none" }, { id: "u2", coming: true, seat: "unconfirmed" }];
    const { seat, sent } = await scripted(answering({}));
    await seat.delete("seat-1", seatState({}, users));
    expect(sent()).toEqual(["DELETE /users/u2/seats"]);
  });

  test("sends nothing at its end if no user has a seat", async () => {
    const users = [{ seat: "none" }, { id: "u2", coming: true, seat: "none" }];
    const { seat, sent, messages } = await scripted(answering({}));
    await seat.delete("seat-1", seatState({}, users));
    expect(sent()).toEqual([]);
    expect(messages.map(({ text }) => text).join()).not.toContain("retained");
  });

  test.each([
    ["refuses to take the seat of an administrator whom the run removes", {}, []],
    [
      "takes it with allowAdminRemoval",
      { allowAdminRemoval: true },
      ["DELETE /users/u1/seats", "POST /users/u2/seats"],
    ],
  ] as const)("%s", async (_, more, writes) => {
    const { seat, sent } = await scripted(admins, { ORGSEAT_PLATFORM: "anaconda" });
    const state = seatState();
    const news = seatInputs({ userId: "u2", ...more });
    await seat.diff("seat-1", state, news);
    const updated = seat.update("seat-1", state, news);
    if (writes.length === 0) expect((await failure(updated)).message).toContain("administrator-removal");
    else await updated;
    expect(sent().flatMap((call) => (call.startsWith("GET") ? [] : call.replace(/\?.*/, "")))).toEqual(
      writes,
    );
  });

  test("knows in a preview what a changed user changes", async () => {
    const { seat } = await scripted(answering({}));
    expect(seat.stableOutputs(seatState(), seatInputs({ onDelete: "retain" }))).toEqual(["adopted"]);
    expect(seat.stableOutputs(seatState(), seatInputs({ userId: "u2" }))).toEqual([]);
  });
});

const admins: Script = ({ method, url }) => {
  if (method !== "GET") return method === "DELETE" ? { status: 204 } : { status: 201, body: {} };
  if (url.includes("/tokens")) return { body: { items: [], total: 0 } };
  const user = (id: string, role: string) => ({
    id,
    email: `${id}@acme.example`,
    first_name: null,
    last_name: null,
    role,
  });
  return { body: { items: [user("u1", "admin"), user("u2", "member")], total: 2 } };
};

describe("UserToken", () => {
  test("stops the seats that would move next if the token behind one is refused", async () => {
    const { seat, token, sent } = await scripted(
      answering({
        "POST /users/u3/token": { status: 403, body: { error: { code: "forbidden", message: "no" } } },
      }),
    );
    await seat.update("seat-1", seatState(), seatInputs({ userId: "u3" }));
    const refused = await failure(token.update("token-1", tokenState(), tokenInputs({ userId: "u3" })));
    expect(refused.message).toContain("HTTP 403");
    const before = sent().length;
    const other = seatState({ userId: "u2" }, [{ id: "u2" }]);
    const stopped = await failure(seat.update("seat-2", other, seatInputs({ userId: "u4" })));
    expect(stopped.message).toContain("the service refuses to give what this run takes before");
    expect(sent().slice(before)).toEqual([]);
  });

  test("revokes and issues in the next run a first token whose response was lost", async () => {
    let count = 0;
    const { token, sent } = await scripted(({ method }) => {
      if (method !== "POST") return { status: 204 };
      count += 1;
      return count === 1 ? { fault: "close" } : { status: 201, body: issued };
    });
    const lost = await failure(token.create(tokenInputs()));
    expect(lost.properties).toMatchObject({ held: { users: [{ id: "u1", tokens: [{ value: "lost" }] }] } });
    const { outs } = await token.update(lost.id ?? "", lost.properties ?? {}, tokenInputs());
    expect(sent()).toEqual(["POST /users/u1/token", "DELETE /users/u1/token", "POST /users/u1/token"]);
    expect(outs).toMatchObject({ userId: "u1", value: "new-value" });
  });

  test("counts a rotation as a removal in the run that sets the rule", async () => {
    const { token, sent } = await scripted(
      answering({ "POST /users/u1/token": { status: 201, body: issued } }),
      { ORGSEAT_MAX_REMOVALS: "0" },
    );
    const old = { issuedAt: "2026-01-01T00:00:00Z" };
    const news = tokenInputs({ rotateEvery: "1d" });
    const { message } = await failure(token.update("token-1", tokenState(old), news));
    expect(message).toContain("removal limit reached");
    expect(sent()).toEqual([]);
    await token.update("token-1", tokenState(old, { rotateEvery: "1d" }), news);
    expect(sent()).toEqual(["DELETE /users/u1/token", "POST /users/u1/token"]);
  });

  test("knows in a preview what an update changes", async () => {
    const { token } = await scripted(answering({}));
    const stable = (more: Props) => token.stableOutputs(tokenState(), tokenInputs(more));
    expect(stable({ allowAdminRemoval: true })).toContain("validUntil");
    expect(stable({ subscriptionExpiresAt: "2028-06-30T23:59:59Z" })).toContain("value");
    expect(stable({ subscriptionExpiresAt: "2028-06-30T23:59:59Z" })).not.toContain("validUntil");
    expect(stable({ rotation: "2" })).not.toContain("value");
    expect(stable({ userId: "u2" })).toEqual([]);
  });
});
