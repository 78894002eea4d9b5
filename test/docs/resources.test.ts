/** docs/resources/: the inputs, outputs and effects of a change are those of the code. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { definitions } from "../../provider/definitions.ts";
import { type Held, type HeldUser, markOf } from "../../provider/member/held.ts";
import { resourceTypes } from "../../provider/resources/resource-types.ts";
import { declaredInputs } from "../../schema/schema.ts";
import { advices } from "../provider/member/execute/advice.ts";
import { API_KEY, common, type Props, scripted } from "../resources/scripted.ts";
import { codeIn, listItems, page, section } from "./pages.ts";

/** The name of each resource in `scripted()`. */
const providers = {
  ServiceAccount: "serviceAccount",
  OrgMember: "member",
  OrgUser: "orgUser",
  SeatAssignment: "seat",
  UserToken: "token",
  Onboarding: "onboarding",
  ModelServer: "server",
  VectorTable: "table",
} as const;

const props = z.record(z.string(), z.unknown());
const subjectSchema = z.strictObject({
  /** Of a resource whose inputs depend on the platform; `both`: the platform `basic` has it too, without some inputs. */
  anaconda: z.enum(["alone", "both"]).optional(),
  id: z.string(),
  /** Resources in the state: their inputs, and what else the state has. */
  before: z.array(z.tuple([props, props])),
  /** New values of each input, besides organization and credentials. */
  changes: z.record(z.string(), z.array(z.unknown())),
});

const text = `
ServiceAccount:
  id: c1
  before:
    - [{ name: ci }, { clientId: c1, clientSecret: hidden-secret, issuedAt: "2025-01-01T00:00:00Z" }]
  changes: { name: [cd], rotation: ["2"], rotateEvery: [3650d, 1d], keepPreviousFor: [24h] }
Onboarding:
  id: o1
  before:
    - - { emails: [ada@acme.example] }
      - { statuses: { ada@acme.example: inProcess }, formerStatuses: {}, possibleMembers: [], totalSeats: null,
          availableSeats: null }
  changes: { emails: [[grace@acme.example]], resend: ["2"] }
ModelServer:
  anaconda: alone
  id: s1
  before:
    - - { serverId: s1, onDelete: retain }
      - { instance: i1, tag: null, serverProcessId: null, modelFile: null, endpoint: null, status: null }
    - - { serverConfig: { modelFileName: a.gguf }, running: true, onDelete: retain }
      - { instance: i1, tag: null, serverProcessId: null, modelFile: null, endpoint: null, status: null }
  changes:
    { serverId: [s2], serverConfig: [{ modelFileName: b.gguf }], running: [false], onDelete: [delete], stopOnDelete: [true] }
VectorTable:
  anaconda: alone
  id: docs
  before:
    - - { name: docs, schema: { columns: [{ name: id, type: bigint }] }, onDelete: retain }
      - { instance: i1, adopted: false, numRows: 0, actualSchema: null }
  changes:
    { name: [other], schema: [{ columns: [{ name: id, type: text }] }], data: [[{ id: 1 }]], adopt: [true], onDelete: [delete] }
`;

const SUBSCRIPTION = "2027-06-30T23:59:59Z";
const DECLARED = "2027-05-31T23:59:59Z";
const SEALING_KEY = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";

const token = {
  ...{ id: "t1", adopted: false, issuedAt: "2025-01-01T00:00:00Z", declaredEnd: SUBSCRIPTION },
  value: "kept",
} as const;

/** Of a member with seat and token. */
function heldBy(who: (mark: (text: string) => string) => object): Held {
  const mark = (text: string) => markOf("m1", text);
  const user = { id: "u1", adopted: false, seat: "held", seatAdopted: false } as const;
  return {
    ref: "m1",
    agreed: { subscriptionExpiresAt: SUBSCRIPTION },
    users: [{ ...user, ...who(mark), tokens: [token] }],
  };
}

/** Of a seat or token alone, whose user is another resource's. */
function heldPart(ref: string, user: Pick<HeldUser, "seat" | "tokens">, agreed: Held["agreed"] = {}): Held {
  return { ref, agreed, users: [{ id: "u1", adopted: true, seatAdopted: false, ...user }] };
}

/** Of a user alone. */
function heldUser(who: Pick<HeldUser, "address" | "purpose">, agreed: Held["agreed"] = {}): Held {
  const user = { id: "u1", adopted: false, seat: "none", seatAdopted: false, tokens: [] } as const;
  return { ref: "m1", agreed, users: [{ ...user, ...who }] };
}

const names = markOf("m1", JSON.stringify(["Ada", null]));
const shownUser = { userId: "u1", serviceEmail: null, adopted: false };
const user: z.input<typeof subjectSchema> = {
  anaconda: "both",
  id: "u1",
  before: [
    [
      { email: "ada@acme.example", firstName: "Ada" },
      {
        ...shownUser,
        isMachineUser: false,
        held: heldUser({ address: markOf("m1", "ada@acme.example") }, { names }),
      },
    ],
    [
      { purpose: "Builds" },
      { ...shownUser, isMachineUser: true, held: heldUser({ purpose: markOf("m1", "Builds") }) },
    ],
  ],
  changes: {
    ...{ email: ["grace@acme.example"], purpose: ["Releases"], firstName: ["Grace"], lastName: ["Hopper"] },
    ...{ adopt: ["u1"], onDelete: ["retain"], allowAdminRemoval: [true] },
  },
};

const seat: z.input<typeof subjectSchema> = {
  anaconda: "both",
  id: "seat-1",
  before: [[{ userId: "u1" }, { adopted: false, held: heldPart("seat-1", { seat: "held", tokens: [] }) }]],
  changes: {
    userId: ["u2"],
    adopt: [true],
    onDelete: ["retain"],
    sendEmail: [true],
    allowAdminRemoval: [true],
  },
};

const dated = { ...token, declaredEnd: DECLARED, value: "none" } as const;
const dates = { expiresAt: DECLARED, subscriptionExpiresAt: SUBSCRIPTION };
const shown = { tokenId: "t1", issuedAt: token.issuedAt, reportedExpiresAt: null, expirySource: "declared" };
const userToken: z.input<typeof subjectSchema> = {
  anaconda: "both",
  id: "token-1",
  before: [
    [
      { userId: "u1", ...dates, keepValue: false },
      { ...shown, validUntil: DECLARED, held: heldPart("token-1", { seat: "left", tokens: [dated] }, dates) },
    ],
    [
      { userId: "u1", subscriptionExpiresAt: SUBSCRIPTION },
      {
        ...{ ...shown, value: "hidden-token", validUntil: SUBSCRIPTION },
        held: heldPart("token-1", { seat: "left", tokens: [token] }, { subscriptionExpiresAt: SUBSCRIPTION }),
      },
    ],
  ],
  changes: {
    ...{ userId: ["u2"], expiresAt: ["2027-06-15T23:59:59Z", "2027-04-30T23:59:59Z"], renewBefore: ["30d"] },
    ...{
      rotation: ["2"],
      rotateEvery: ["3650d", "1d"],
      recipients: [[SEALING_KEY]],
      keepValue: [false, true],
    },
    ...{ keepPreviousFor: ["7d"], replaceExisting: [true], adopt: [true], expirationToleranceMonths: [2] },
    ...{ sendEmail: [true], allowAdminRemoval: [true] },
    subscriptionExpiresAt: ["2028-06-30T23:59:59Z", "2027-06-15T23:59:59Z"],
  },
};

/** Its state has marks, which no text can have. */
const member: z.input<typeof subjectSchema> = {
  anaconda: "both",
  id: "m1",
  before: [
    { email: "ada@acme.example", held: heldBy((mark) => ({ address: mark("ada@acme.example") })) },
    { purpose: "Builds", held: heldBy((mark) => ({ purpose: mark("Builds") })) },
  ].map(({ held, ...who }) => [
    { ...who, seat: true, token: {}, subscriptionExpiresAt: SUBSCRIPTION },
    { userId: "u1", hasSeat: true, tokenValue: "hidden-token", held },
  ]),
  changes: {
    ...{ email: ["grace@acme.example"], purpose: ["Releases"], firstName: ["Grace"], lastName: ["Hopper"] },
    ...{ adopt: ["u1"], onDelete: ["retain"], allowAdminRemoval: [true], protected: [true] },
    ...{ accessUntil: ["2028-01-01T00:00:00Z", "2026-01-01T00:00:00Z"], seat: [{ onDelete: "retain" }] },
    token: [undefined, { rotation: "2" }, { recipients: [SEALING_KEY] }, { keepValue: false }],
    subscriptionExpiresAt: ["2028-06-30T23:59:59Z", "2027-06-15T23:59:59Z"],
  },
};

const account = { clientId: "another", clientSecret: "another-secret" };
const administrator = { username: "eve", password: "hidden-password" };
/** Exactly one of them says which server it is. */
const serverSources = ["serverId", "serverConfig"];

const texts = z.record(z.string(), z.unknown()).parse(parse(text));
const subjects = Object.entries(
  z
    .record(z.enum(resourceTypes), subjectSchema)
    .parse({ ...texts, OrgMember: member, OrgUser: user, SeatAssignment: seat, UserToken: userToken }),
).map(([name, { before, changes, anaconda, id }]) => {
  const type = z.enum(resourceTypes).parse(name);
  const definition = definitions[type];
  const { organizationId } = common;
  const isModel = !("organizationId" in definition.inputs);
  const credentials = isModel ? { apiKey: API_KEY } : type === "ServiceAccount" ? administrator : account;
  const all: Readonly<Record<string, readonly unknown[]>> = {
    ...changes,
    ...(!isModel && { organizationId: ["another"] }),
    credentials: [credentials],
  };
  return {
    page: type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase(),
    ...{ type, definition, id, isInBoth: anaconda === "both", changes: all },
    environment: anaconda && { ORGSEAT_PLATFORM: "anaconda" },
    before: before.map(([inputs, state]) => ({
      inputs: isModel ? inputs : { ...inputs, organizationId },
      state: { stateVersion: 1, ...state },
    })),
  };
});

interface Subject {
  readonly type: keyof typeof providers;
  readonly environment: Readonly<Record<string, string>> | undefined;
  readonly id: string;
}

const effects = ["replace, new first", "update", "refused", "none"] as const;

/** What the code does about a change, in the words of the tables. */
async function effectOf({ type, environment, id }: Subject, olds: Props, inputs: Props, change: Props) {
  const resource = (await scripted(() => ({}), environment))[providers[type]];
  const news = { ...inputs, ...change };
  const checked = await resource.check({ ...inputs }, news);
  if (checked.failures?.length) return "refused";
  const { changes, replaces } = await resource.diff(id, olds, checked.inputs);
  if (replaces?.length) return "replace, new first";
  return changes ? "update" : "none";
}

describe.each(subjects)("the page of $definition.name", (subject) => {
  const { definition, before, changes } = subject;
  const text = page(`docs/resources/${subject.page}.md`);
  const inputs = listItems(section(text, "Inputs"));

  test("lists each input in an item, in the order of the code", () => {
    expect(inputs.map(({ names }) => names[0])).toEqual(declaredInputs(definition.inputs));
  });

  test("names each output that is no input", () => {
    const shape = definition.outputs instanceof z.ZodObject ? Object.keys(definition.outputs.shape) : [];
    const internal = ["stateVersion", "instance"];
    const expected = shape.filter((name) => !(name in definition.inputs) && !internal.includes(name));
    const outputs = section(text, "Outputs");
    const inState = codeIn(/^In the state only: (.*)/m.exec(outputs)?.[1] ?? "");
    const documented = [
      ...listItems(outputs)
        .flatMap(({ names }) => names)
        .filter((name) => shape.includes(name)),
      ...inState,
    ];
    expect(documented.filter((name) => !(name in definition.inputs)).toSorted()).toEqual(expected.toSorted());
  });

  test("says what a change of each input does", async () => {
    for (const { names, text: item } of inputs) {
      const [input = ""] = names;
      const [, documented = ""] = item.split(" Change: ");
      const found = new Set<string>();
      for (const { inputs: old, state } of before) {
        // A person and a machine user are not changed into each other.
        if (input === "email" && !("email" in old)) continue;
        if ((input === "purpose" && "email" in old) || (input === "firstName" && !("email" in old))) continue;
        if (serverSources.includes(input) && !(input in old)) continue;
        for (const value of changes[input] ?? []) {
          if (input === "expiresAt" && !("expiresAt" in old)) continue;
          if (input === "subscriptionExpiresAt" && "expiresAt" in old) continue;
          if (input === "keepValue" && value === (Object(old).keepValue ?? true)) continue;
          if (input === "recipients" && "keepValue" in old) continue;
          const olds = { ...old, ...state };
          found.add(await effectOf(subject, olds, old, { [input]: value }));
          if (!subject.isInBoth) continue;
          const effect = await effectOf({ ...subject, environment: undefined }, olds, old, {
            [input]: value,
          });
          if (effect !== "refused") found.add(effect);
        }
      }
      expect(found.size, `no change of ${input}`).toBeGreaterThan(0);
      const named = effects.filter((effect) => documented.includes(effect));
      expect(named.toSorted(), input).toEqual([...found].toSorted());
    }
  });
});

test("each code of a next step is in the page of a resource", () => {
  const pages = subjects.map((subject) => page(`docs/resources/${subject.page}.md`)).join("\n");
  const codes = new Set(advices(false).flatMap(({ code }) => code ?? []));
  // Of every resource: its advice is to run the command again.
  codes.delete("outcome-unknown");
  expect([...codes].filter((code) => !pages.includes(`\n- \`${code}\`: `))).toEqual([]);
});

test.each(subjects.map((subject) => subject.page))(
  "docs/resources/%s.md has an example, inputs, outputs, changes, removal, adoption and errors",
  (name) => {
    const headings = [...page(`docs/resources/${name}.md`).matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(headings).toEqual(
      expect.arrayContaining(["Example", "Inputs", "Outputs", "Changes", "Removal", "Adoption", "Errors"]),
    );
  },
);
