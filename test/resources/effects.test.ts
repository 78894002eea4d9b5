/** What the operations of a change say, against the requests of its method. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { operationsIn } from "../../command/plan/steps/actions-of-step.ts";
import { calls } from "../../provider/api/calls/calls.ts";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { definitions } from "../../provider/definitions.ts";
import { serviceOperation } from "../../provider/resources/actions.ts";
import type { Change } from "../../provider/resources/operations.ts";
import { type ResourceType, rosterTypeOf } from "../../provider/resources/resource-types.ts";
import { checkCases } from "../setup/cases.ts";
import { stepOf } from "../setup/direct-engine.ts";
import { declareMember, memberArbitrary } from "../setup/random-members.ts";
import { organizationOn } from "./listed.ts";

const now = Date.parse("2027-01-10T10:20:30Z");
const PAST = "2026-01-01T00:00:00Z";
const LATER = "2028-06-30T23:59:59Z";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const token = { validUntil: "2027-06-30T23:59:59Z", subscriptionExpiresAt: "2027-06-30T23:59:59Z" };
const previous = [
  { clientId: "c0", removeAfter: PAST },
  { clientId: "c1", removeAfter: LATER },
];
const tokens = previous.map(({ removeAfter }, index) => ({ tokenId: `t${index}`, removeAfter }));

type Row = readonly [ResourceType, Change["action"], olds: object, news: object, said: string, more?: object];

/** `said`: each operation with its object, `*` if a retry is safe, and after a colon what an approval of an update binds. */
const rows: readonly Row[] = [
  ["OrgUser", "create", {}, { email: "a@x.example" }, "add user"],
  ["OrgUser", "create", {}, { adopt: "u1" }, "adopt user"],
  ["OrgUser", "update", {}, {}, "update state of x"],
  ["OrgUser", "delete", {}, {}, "remove user of x"],
  ["OrgUser", "delete", { adopted: true }, {}, "retain user of x"],
  ["OrgUser", "delete", { adopted: true, onDelete: "delete" }, {}, "remove user of x"],
  ["OrgUser", "delete", { creation: { time: PAST } }, {}, "retain of x"],
  ["OrgUser", "replace", { email: "a@x.example" }, { email: "b@x.example" }, "add user, remove user of x"],
  ["OrgUser", "replace", { adopted: true }, {}, "add user, retain user of x"],
  ["SeatAssignment", "create", {}, {}, "assign seat"],
  ["SeatAssignment", "create", {}, { adopt: true }, "adopt seat"],
  ["SeatAssignment", "create", {}, { adopt: true }, "assign seat", { lacksObject: true }],
  ["SeatAssignment", "update", { confirmed: true }, {}, "update state of x"],
  ["SeatAssignment", "update", { confirmed: false }, {}, "assign seat of x: assign seat"],
  ["SeatAssignment", "delete", { onDelete: "retain" }, {}, "retain seat of x"],
  ["SeatAssignment", "replace", {}, {}, "remove seat of x, assign seat", { deleteFirst: true }],
  ["UserToken", "create", {}, token, "issue token"],
  ["UserToken", "create", {}, { expiresAt: PAST }, "refuse new token"],
  ["UserToken", "create", {}, { ...token, replaceExisting: true }, "revoke token, issue token"],
  ["UserToken", "create", {}, { ...token, replaceExisting: true }, "issue token", { lacksObject: true }],
  ["UserToken", "create", {}, { ...token, adopt: true }, "adopt token"],
  ["UserToken", "create", {}, { ...token, adopt: true }, "issue token", { lacksObject: true }],
  ["UserToken", "create", {}, { ...token, adopt: true }, "issue token", { isHalfDone: true }],
  ["UserToken", "create", {}, token, "wait for a decision", { isRefused: true }],
  ["UserToken", "update", token, token, "update state of x"],
  ["UserToken", "update", token, { expiresAt: LATER }, "renew token of x: renew token"],
  ["UserToken", "update", token, { expiresAt: PAST }, "refuse expiry of x"],
  ["UserToken", "update", token, { expiresAt: UNKNOWN }, "update state of x: renew token"],
  ["UserToken", "replace", token, token, "revoke token of x, issue token", { deleteFirst: true }],
  ["UserToken", "replace", token, token, "issue token, revoke token of x"],
  [
    ...(["UserToken", "replace", { ...token, tokenId: "t1" }] as const),
    ...([{ ...token, keepPreviousFor: "7d" }, "issue token, keep token of x"] as const),
  ],
  ["UserToken", "replace", token, { ...token, keepPreviousFor: "7d" }, "issue token, revoke token of x"],
  ["UserToken", "update", { ...token, previous: tokens }, token, "revoke token of x: revoke token t0"],
  ["UserToken", "replace", token, { expiresAt: PAST }, "revoke token of x, refuse new token of x"],
  ["UserToken", "delete", token, {}, "revoke token of x"],
  ["UserToken", "delete", token, {}, "keep token of x", { isKept: true }],
  ["ServiceAccount", "create", {}, {}, "create service account"],
  ["ServiceAccount", "update", {}, {}, "update state of x"],
  ["ServiceAccount", "update", { previous }, {}, "delete service account of c0: delete service account c0"],
  ["ServiceAccount", "replace", {}, {}, "create service account, delete service account of x"],
  [
    ...(["ServiceAccount", "replace", {}, { keepPreviousFor: "1d" }] as const),
    "create service account, keep service account of x",
  ],
  [
    ...(["ServiceAccount", "delete", { previous }, {}] as const),
    "delete service account of x, delete service account of c0, delete service account of c1",
  ],
  ["Onboarding", "create", {}, { emails: ["a@x.example"] }, "onboard users"],
  [
    ...(["Onboarding", "update", { statuses: { "a@x.example": "inProcess" } }] as const),
    { emails: ["a@x.example", "b@x.example"] },
    "onboard users of x: b@x.example",
  ],
  ["Onboarding", "update", {}, { emails: UNKNOWN }, "update state of x"],
  ["Onboarding", "delete", {}, {}, "retain of x"],
  ["ModelServer", "create", {}, { serverConfig: {} }, "create server"],
  ["ModelServer", "create", {}, { serverId: "s1" }, "adopt"],
  [
    "ModelServer",
    "update",
    { status: "stopped" },
    { running: true },
    "start or stop server of x: start server",
  ],
  ["ModelServer", "update", { status: "stopping" }, { running: false }, "update state of x"],
  ["ModelServer", "delete", { onDelete: "delete" }, {}, "delete server of x"],
  ["ModelServer", "delete", { onDelete: "retain" }, {}, "retain of x"],
  ["VectorTable", "create", {}, {}, "create table"],
  ["VectorTable", "create", {}, { adopt: true }, "adopt"],
  ["VectorTable", "delete", { onDelete: "delete" }, {}, "delete table of x"],
];

/** The numbers of the operations that change something. */
const numbers = new Map(
  Object.values(calls).flatMap(({ name, number }) =>
    serviceOperation(name) === undefined ? [] : [[String(name), Number(number)] as const],
  ),
);

describe("the operations of a change", () => {
  const cases = rows.map(([type, action, olds, news, said, more = {}]) => {
    return { type, action, olds, news, said, more };
  });
  test.each(cases)(
    "tell of a $type: $action to $news is $said",
    ({ type, action, olds, news, said, more }) => {
      const id = action === "create" ? undefined : "x";
      const change = { action, id, olds: { ...olds }, news: { ...news }, ...more };
      const found = definitions[rosterTypeOf(type)].operations?.(change, { now }) ?? [];
      const words = found.map(({ name, id: object, writes }) => {
        const bound = action === "update" && writes.length > 0 ? `: ${writes.join(", ")}` : "";
        return `${name}${object === null ? "" : ` of ${object}`}${bound}`;
      });
      expect(words.join(", ")).toBe(said);
    },
  );

  test.each(platformNames)(
    "match the requests that the service records, in the platform %s",
    async (platform) => {
      const organization = await organizationOn(platform);
      await checkCases(
        { name: `operations, ${platform}`, level: "R", cases: 500, quick: 15 },
        fc.array(memberArbitrary, { minLength: 1, maxLength: 3 }),
        async (members) => {
          const stack = organization.stack();
          for (const isSecond of [false, true]) {
            const program = members.flatMap((member, index) => declareMember(member, index, isSecond));
            await organization.requests();
            const { steps, errors } = await stack.run(program);
            expect(errors).toEqual([]);
            const said = steps.flatMap((step) => operationsIn(stepOf("main", step), stack.now()));
            const expected = said.flatMap(({ name }) => numbers.get(name) ?? []);
            const written = new Set<unknown>(numbers.values());
            // Pulumi removes seat and token of one user at the same time: the service refuses the seat until the token is gone.
            const recorded = (await organization.requests()).filter(
              ({ call, status }) => written.has(call) && status !== 409,
            );
            expect(recorded.map(({ call }) => call).toSorted()).toEqual(expected.toSorted());
          }
          expect((await stack.destroy()).errors).toEqual([]);
        },
      );
    },
  );
});
