/** One table for both doors: dynamic resources and the plugin answer, say, send, and report the same. */
import { describe, expect, onTestFinished, test } from "vitest";
import { definitions } from "../../provider/definitions.ts";
import { markOf } from "../../provider/member/held.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { readMemberReport } from "../../provider/runtime/run-report.ts";
import { common, failure, type Props, SUBSCRIPTION_END, scripted } from "../resources/scripted.ts";
import { byType } from "../setup/by-type.ts";
import type { DirectProviders } from "../setup/direct-providers.ts";
import { UNKNOWN } from "../setup/plugin-client.ts";
import { pluginProviders } from "../setup/plugin-providers.ts";
import { temporaryFile } from "../setup/temporary.ts";

const ada = { ...common, email: "ada@acme.example" };
const address = markOf("user-1", ada.email);
const own = { id: "u1", address, adopted: false, seat: "none", seatAdopted: false, tokens: [] };
const user = {
  ...{ ...ada, stateVersion: 1, userId: "u1", serviceEmail: null, isMachineUser: false, adopted: false },
  held: { ref: "user-1", users: [own], agreed: {} },
};
const agreed = { subscriptionExpiresAt: SUBSCRIPTION_END };
const wanted = { ...ada, seat: true, token: { rotation: "1" }, ...agreed };
const issued = { issuedAt: "2027-01-01T00:00:00Z", value: "kept", adopted: false, mark: "1" };
const member = {
  ...{ ...ada, stateVersion: 1, userId: "u1", hasSeat: true, tokenValue: "the-token-of-u1" },
  tokenState: { issuedAt: issued.issuedAt, value: "kept", expiresAt: SUBSCRIPTION_END },
  held: {
    ref: "user-1",
    users: [{ ...own, seat: "held", tokens: [{ ...issued, declaredEnd: SUBSCRIPTION_END }] }],
    agreed,
  },
};
const listed = { role: "member", subscriptions: [], first_name: "", last_name: "" };
const list = {
  body: {
    items: [
      { ...listed, id: "u1", email: "Ada@acme.example" },
      { ...listed, id: "u2", email: "eve@acme.example", role: "admin" },
    ],
  },
};

/** What a method gave, or what it failed with. */
async function answerOf(work: Promise<unknown>): Promise<unknown> {
  const settled = await work.then(
    (value) => ({ value }),
    () => undefined,
  );
  if (settled !== undefined) return settled.value;
  const { message, id, properties, reasons } = await failure(work);
  return { message, ...(id !== undefined && { id, properties, reasons }) };
}

const doors = {
  dynamic: async ({ process }: Run) => byType((type) => new DynamicProvider(definitions[type], process)),
  plugin: async ({ process }: Run): Promise<DirectProviders> => {
    const { made, close } = await pluginProviders(process);
    onTestFinished(close);
    return made;
  },
};
type Run = Awaited<ReturnType<typeof scripted>>;

interface Case {
  readonly script?: Parameters<typeof scripted>[0];
  readonly environment?: Readonly<Record<string, string>>;
  readonly calls: readonly ((made: DirectProviders) => Promise<unknown>)[];
  /** Of the calls, in their order. */
  readonly answers: readonly unknown[];
  /** Default: nothing. */
  readonly sent?: readonly string[];
  /** Default: none. */
  readonly messages?: readonly unknown[];
  /** Default: none. */
  readonly report?: readonly unknown[];
}

const fails = (text: RegExp) => ({ message: expect.stringMatching(text) });
const warning = (text: string) => ({ severity: "warning", text: expect.stringContaining(text) });
const replied = (status: number) => () => ({ status, body: { error: { message: "no seat left" } } });

const cases: Readonly<Record<string, Case>> = {
  "a check keeps what is not known yet, and adds the organization": {
    calls: [({ OrgUser }) => OrgUser.check({}, { email: UNKNOWN, credentials: { clientId: UNKNOWN } })],
    answers: [{ failures: [], inputs: { ...common, email: UNKNOWN, credentials: { clientId: UNKNOWN } } }],
  },
  "a check lists every issue, and shows no value of a secret": {
    calls: [
      ({ OrgUser }) => OrgUser.check({}, { ...common, email: "nobody", mail: "x" }),
      ({ OrgUser }) => OrgUser.check({}, { ...ada, credentials: "the-secret-of-c1" }),
    ],
    answers: [
      {
        failures: [
          { property: "mail", reason: "not an input of OrgUser [invalid-input]" },
          { property: "email", reason: expect.stringMatching(/\[invalid-input\]$/) },
        ],
      },
      {
        failures: [
          {
            property: "",
            reason: expect.stringMatching(
              /^credentials: expected an object, got .*Pass the clientId and the(?!.*secret-of)/,
            ),
          },
        ],
      },
    ],
  },
  "missing configuration is complete once": {
    environment: { ORGSEAT_ORG_URL: "", ORGSEAT_ORGANIZATION_ID: "" },
    calls: [
      ({ OrgUser }) => OrgUser.check({}, { email: ada.email }),
      ({ OrgUser }) => OrgUser.check({}, { email: ada.email }),
      ({ OrgUser }) => OrgUser.delete("u1", user),
    ],
    answers: [
      {
        failures: [{ property: "", reason: expect.stringMatching(/^missing .*\[invalid-configuration\]$/) }],
      },
      { failures: [{ property: "", reason: "skipped: see the first error" }] },
      fails(/^skipped: see the first error$/),
    ],
    report: [{ operation: "delete", result: "failed", failure: { isRepetition: true } }],
  },
  "missing credentials are complete once": {
    environment: { ORGSEAT_CLIENT_ID: "", ORGSEAT_CLIENT_SECRET: "" },
    calls: [({ OrgUser }) => OrgUser.create(ada), ({ OrgUser }) => OrgUser.create(ada)],
    answers: [fails(/orgseat:clientSecret/), fails(/^skipped: see the first error$/)],
    report: [false, true].map((isRepetition) => ({ result: "failed", failure: { isRepetition } })),
  },
  "a diff replaces, updates, or finds nothing": {
    calls: [
      ...[{}, { firstName: "Ada" }, { email: "eve@acme.example" }, { email: UNKNOWN }],
      { organizationId: "another-org" },
    ].map(
      (change) =>
        ({ OrgUser }: DirectProviders) =>
          OrgUser.diff("u1", user, { ...ada, ...change }),
    ),
    answers: [
      { changes: false, replaces: [] },
      { changes: true, replaces: [] },
      ...["email", "email", "organizationId"].map((key) => ({ changes: true, replaces: [key] })),
    ],
  },
  "a state that cannot be read fails before anything is sent": {
    calls: [
      ({ OrgUser }) => OrgUser.delete("u1", { ...user, stateVersion: 3 }),
      ({ OrgUser }) => OrgUser.diff("u1", { ...user, adopted: "perhaps" }, ada),
      ({ OrgUser }) => OrgUser.update("u1", { ...user, adopted: "perhaps" }, ada),
    ],
    answers: [
      fails(/newer release of orgseat .*\[newer-state\]$/),
      ...Array(2).fill(
        fails(/^cannot read the state of OrgUser with the id u1: adopted: .*\[invalid-state\]$/),
      ),
    ],
    report: [
      { operation: "delete", result: "failed", failure: { code: "newer-state", isKept: false } },
      { operation: "update", result: "failed", failure: { code: "invalid-state", isKept: false } },
    ],
  },
  "a state holds null for an input that was left out": {
    script: () => ({ status: 204 }),
    calls: [({ OrgUser }) => OrgUser.delete("u1", { ...user, firstName: null, onDelete: null })],
    answers: [null],
    sent: ["DELETE /users/u1"],
    report: [{ operation: "delete", id: "u1", result: "done" }],
  },
  "a creation without a value sends nothing": {
    calls: [({ OrgUser }) => OrgUser.create({ ...common, email: UNKNOWN })],
    answers: [fails(/^OrgUser: email has no value outside a preview \[invalid-input\]$/)],
    report: [{ operation: "create", result: "failed" }],
  },
  "a creation without an answer is kept": {
    script: () => ({ fault: "close" }),
    calls: [({ SeatAssignment }) => SeatAssignment.create({ ...common, userId: "u1" })],
    answers: [
      {
        id: expect.stringMatching(/^seat-/),
        properties: { userId: "u1", held: { users: [{ id: "u1", seat: "unconfirmed" }] } },
        reasons: [expect.any(String)],
      },
    ],
    sent: ["POST /users/u1/seats"],
    report: [{ operation: "create", result: "failed", failure: { isKept: true, isEffectUnknown: true } }],
  },
  "a kept creation that is too large for an error succeeds with a warning": {
    script: () => ({ fault: "close" }),
    calls: [
      ({ Onboarding }) =>
        Onboarding.create({
          ...common,
          emails: Array.from({ length: 1_000 }, (_, index) => `person-${index}@acme.example`),
        }),
    ],
    answers: [{ id: expect.any(String), outs: { statuses: { "person-7@acme.example": "unknown" } } }],
    sent: ["POST /users_auto_registration"],
    messages: [warning("The run continues: the state is too large to be kept in an error.")],
    report: [{ operation: "create", result: "done" }],
  },
  "half of an update is kept": {
    script: ({ method, url }) => {
      if (method === "DELETE") return { status: 403 };
      return { status: 201, body: url.endsWith("/token") ? { token: "a-new-token" } : { id: "u2" } };
    },
    calls: [({ OrgMember }) => OrgMember.update("user-1", member, { ...wanted, email: "eve@acme.example" })],
    answers: [
      {
        id: "user-1",
        properties: { userId: "u1", held: { users: [{ id: "u1" }, { id: "u2", coming: true }] } },
      },
    ],
    sent: ["POST /users", "DELETE /users/u1/token"],
    report: [{ operation: "update", result: "failed", failure: { isKept: true } }],
  },
  "an error of the service shows no secret": {
    script: () => ({ status: 403, body: { error: { message: "no right to the-token-of-u1" } } }),
    calls: [({ OrgMember }) => OrgMember.update("user-1", member, { ...wanted, token: { rotation: "2" } })],
    answers: [fails(/no right to (?!the-token)/)],
    sent: ["DELETE /users/u1/token"],
    report: [
      { operation: "update", result: "failed", failure: { text: expect.not.stringContaining("the-token") } },
    ],
  },
  "an update of a setting sends nothing": {
    calls: [({ OrgUser }) => OrgUser.update("u1", user, { ...ada, onDelete: "retain" })],
    answers: [{ outs: { userId: "u1", held: { agreed: { onDelete: { user: "retain" } } } } }],
    report: [{ operation: "update", id: "u1", result: "done" }],
  },
  "a read imports by id, and a refresh finds the same": {
    script: () => list,
    environment: { ORGSEAT_PLATFORM: "anaconda" },
    calls: [
      ({ OrgUser }) => OrgUser.read("u1", {}),
      ({ OrgUser }) => OrgUser.read("u1", user),
      ({ OrgUser }) => OrgUser.read("nobody", {}),
    ],
    answers: [
      { id: "u1", props: { email: ada.email, adopted: true } },
      { id: "u1", props: { email: ada.email, serviceEmail: "Ada@acme.example" } },
      {},
    ],
    sent: Array(2).fill("GET /users?include_groups=false"),
  },
  "a deletion retains, or fails if the service refuses": {
    script: replied(403),
    calls: [
      ({ OrgUser }) =>
        OrgUser.delete("u1", { ...user, held: { ...user.held, agreed: { onDelete: { user: "retain" } } } }),
      ({ OrgUser }) => OrgUser.delete("u1", user),
    ],
    answers: [null, fails(/no seat left/)],
    sent: ["DELETE /users/u1"],
    messages: [warning("is retained: the user stays a member.")],
    report: [
      { operation: "delete", id: "u1", result: "kept" },
      { operation: "delete", id: "u1", result: "failed" },
    ],
  },
  "a member goes, and one that holds nothing has gone": {
    script: () => ({ status: 204 }),
    calls: [
      ({ OrgMember }) => OrgMember.delete("user-1", member),
      ({ OrgMember }) =>
        OrgMember.delete("user-1", {
          ...member,
          held: { ref: "user-1", users: [], agreed: { leaving: true } },
        }),
    ],
    answers: [null, null],
    sent: ["token", "seats", ""].map((part) => `DELETE /users/u1/${part}`.replace(/\/$/, "")),
    report: ["done", "gone"].map((result) => ({ operation: "delete", id: "user-1", result })),
  },
  "deletions end at the removal limit": {
    script: () => ({ status: 204 }),
    environment: { ORGSEAT_MAX_REMOVALS: "1" },
    calls: [
      ({ OrgUser }) => OrgUser.delete("u1", user),
      ({ OrgUser }) =>
        OrgUser.delete("u2", {
          ...user,
          userId: "u2",
          held: { ...user.held, users: [{ ...own, id: "u2" }] },
        }),
    ],
    answers: [null, fails(/\[removal-limit\]$/)],
    sent: ["DELETE /users/u1"],
    report: [
      { operation: "delete", id: "u1", result: "done" },
      { operation: "delete", id: "u2", result: "failed" },
    ],
  },
};

/** What each run chooses: ids, the marks of addresses, the port of the service. */
const chosen = [
  [/(seat|user)-[\da-f]{8}-[\da-f]{4}/g, "$1-chosen"],
  [/"(id|address)":"([\da-f]{8}(-[\da-f]{4,12}){4}|[\w-]{16})"/g, '"$1":"chosen"'],
  [/127\.0\.0\.1:\d+/g, "the-service"],
  [/"at":\d+/g, '"at":0'],
] as const;

/** What a door answers, says, sends, and reports. */
async function observe(one: Case, door: keyof typeof doors) {
  const file = temporaryFile("report.jsonl");
  const environment = { ORGSEAT_RUN_REPORT: file, ...one.environment };
  const run = await scripted(one.script ?? (() => ({})), environment);
  const made = await doors[door](run);
  const answers: unknown[] = [];
  for (const call of one.calls) answers.push(await answerOf(call(made)));
  const report = readMemberReport(file).methods;
  const found = { answers, sent: run.sent(), messages: run.messages, report };
  const text = chosen.reduce((whole, [pattern, by]) => whole.replaceAll(pattern, by), JSON.stringify(found));
  const plain: Props = JSON.parse(text);
  return plain;
}

describe("dynamic resources and the plugin", () => {
  test.each(Object.entries(cases))("answer the same: %s", async (_, one) => {
    const dynamic = await observe(one, "dynamic");
    const plugin = await observe(one, "plugin");
    expect(plugin).toEqual(dynamic);
    const { answers, sent = [], messages = [], report = [] } = one;
    expect(dynamic).toMatchObject({ sent, messages, report });
    expect(dynamic.answers).toMatchObject(answers);
  });
});
