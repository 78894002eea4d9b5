/** What must hold after each day. */
import { expect } from "vitest";
import { operationNames } from "../../command/members/action-table.ts";
import { calls as interfaceCalls } from "../../provider/api/calls/calls.ts";
import type { LoggedRequest, ServiceSnapshot } from "../../sandbox/service/index.ts";
import { type CompletedCall, completedCallsIn } from "../command/fixture.ts";
import type { HeldTokens, Printed } from "./command.ts";
import type { Months } from "./months.ts";

type Checked = Pick<Months, "isDirectory" | "model" | "ownTokens" | "platform">;

/** The service has each user of the model with seat and tokens, and no other one but those of a directory. */
export function expectOwned(
  { isDirectory, model, ownTokens }: Checked,
  { users, tokens }: ServiceSnapshot,
): void {
  const expected = model.owned();
  const found = users.map(({ userId, seat }) => {
    const own = tokens.filter((one) => one.userId === userId && !ownTokens.has(one.tokenId));
    return [userId, { seat, ends: own.map(({ expiresAt }) => expiresAt).toSorted() }] as const;
  });
  for (const [id, { seat, ends }] of found) {
    if (!isDirectory || expected.has(id)) continue;
    expect({ id, ends }).toEqual({ id, ends: [] });
    expected.set(id, { seat, ends });
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
}

/**
 * On an undisturbed day the service gets the calls of the model, and no other write.
 * @param owners the users with tokens of their own @returns how many of these were revoked
 */
export function expectCalls(
  calls: readonly CompletedCall[],
  requests: readonly LoggedRequest[],
  ids: ReadonlyMap<string, string>,
  owners: ReadonlySet<string>,
): number {
  const named = ({ call, userId }: CompletedCall) => `${call} ${ids.get(userId) ?? userId}`;
  const done = completedCallsIn(requests).filter(({ call }) => call >= 5 && call <= 11);
  const left = calls.map(named);
  const take = (call: string): boolean => {
    const at = left.indexOf(call);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const more = done.map(named).filter((call) => !take(call));
  // What an adopted user has, no answer has told: its removal can find nothing.
  for (const { call, status, userId } of requests)
    if (status === 404 && Number(call) >= 9) take(named({ call: Number(call), userId: userId ?? "" }));
  // Whoever leaves also loses the tokens that no state has, as with `user_id` in a row that gets a token.
  const own = more.filter((call) => call.startsWith("9 ") && owners.has(call.slice(2)));
  expect({ missing: left, more: more.filter((call) => !own.includes(call)) }).toEqual({
    missing: [],
    more: [],
  });
  return own.length;
}

/** The state knows each live token, and has the value of each current one. */
export function expectKnown(
  { platform, ownTokens }: Checked,
  { tokens }: ServiceSnapshot,
  state: readonly HeldTokens[],
): void {
  const held = new Map(state.map((one) => [one.userId, one]));
  const managed = tokens.filter(({ tokenId }) => !ownTokens.has(tokenId));
  for (const [userId, own] of Map.groupBy(managed, (one) => one.userId)) {
    const { tokens: known = [], hash } = held.get(userId) ?? {};
    // Where tokens have ids; a list that could not be read has left out the id of a new one.
    const isKnown = ({ tokenId }: { tokenId: string }) => known.some(({ id }) => id === tokenId);
    const ids = known.map(({ id, others = [] }) => {
      const found = own.find((one) => !isKnown(one) && !others.includes(one.tokenId));
      return id ?? found?.tokenId;
    });
    if (platform === "basic") expect(known, `tokens of ${userId}`).toHaveLength(own.length);
    else expect(ids.toSorted(), `tokens of ${userId}`).toEqual(own.map(({ tokenId }) => tokenId).toSorted());
    const hashes = own.map(({ hash }) => hash);
    expect(hashes, `value of ${userId}`).toContain(hash);
  }
}

/** A run sends nothing but what the plan has that it prints, except that it revokes a token whose value was lost. */
export function expectPrinted(
  { status, plan, revoked }: Printed,
  requests: readonly LoggedRequest[],
  users: readonly ServiceSnapshot["users"][number][],
): void {
  const people = status === "blocked" ? [] : plan.people;
  const allowed = revoked.map(({ userId }) => `revoke token of ${userId}`);
  for (const { method, call, userId } of requests) {
    const operation = Object.values(interfaceCalls).find(({ number }) => number === call)?.name;
    if (method === "GET" || operation === undefined) continue;
    const { email, firstName } = users.find((user) => user.userId === userId) ?? {};
    const names = [userId, email ?? firstName];
    const planned = people.flatMap(({ who, userId: id, actions }) => {
      // Also `new@acme.example (was old@acme.example)`, and an earlier user of the person, whom the plan does not name.
      const isNamed = names.includes(id) || names.includes(who.replace(/ \(was .*/, ""));
      const own = actions.filter((action) => isNamed || /^change|^removePrevious/.test(action));
      // Whether an adopted user has a seat, the service says.
      return own.flatMap((action) => (action === "adoptSeat" ? ["assign seat"] : operationNames(action)));
    });
    if (userId === null) planned.push(...(people.some(({ userId: id }) => id === null) ? ["add user"] : []));
    const write = `${operation} of ${userId}`;
    expect([...planned.map((name) => `${name} of ${userId}`), ...allowed]).toContain(write);
    if (operation === "issue token") allowed.push(`revoke token of ${userId}`);
  }
}
