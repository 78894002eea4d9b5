/** Two resources that declare the same: the classes of this package and the check of the plugin refuse it in the same words. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import {
  ModelServer,
  Onboarding,
  OrgMember,
  OrgUser,
  SeatAssignment,
  ServiceAccount,
  UserToken,
  VectorTable,
} from "../../sdk/index.ts";
import { scripted } from "../resources/scripted.ts";
import { run } from "../sdk/mocked.ts";
import type { Declared } from "../setup/declared.ts";
import { type Props, pluginClient, secret, UNKNOWN } from "../setup/plugin-client.ts";
import { sandbox } from "../setup/sandbox.ts";
import { testStack } from "../setup/stack.ts";

const people = { OrgMember, OrgUser, SeatAssignment, UserToken, Onboarding };
const classes = { ...people, ServiceAccount, ModelServer, VectorTable };

type Resource = readonly [type: Declared["type"], name: string, args: Props];

/** A value that the program marks as secret. */
class Hidden {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

const [email, other] = ["ada@acme.example", "eve@acme.example"];
const one = "needs exactly one resource: remove one of the two. [duplicate-declaration]";
const ada: Resource = ["OrgUser", "ada", { email }];
const member: Resource = ["OrgMember", "ada", { email, seat: true }];
const hidden: Resource = ["OrgMember", "countess", { email: new Hidden(email), seat: true }];
const lovelace: Resource = ["OrgMember", "lovelace", { email: "Ada@ACME.example", seat: false }];
const team: Resource = ["Onboarding", "team", { emails: [other, "Ada@Acme.example"] }];
const server = (name: string): Resource => ["ModelServer", name, { serverId: "s1", onDelete: "retain" }];
const seatOf = (name: string, userId: string): Resource => ["SeatAssignment", name, { userId }];
const tokenOf = (name: string): Resource => ["UserToken", name, { userId: "u1" }];
const table = (name: string, called: string): Resource => ["VectorTable", name, { name: called }];
const twelve = Array.from({ length: 12 }, (_, index): Resource => {
  return ["OrgUser", `u${index}`, { email: `p${index}@acme.example` }];
});

const refused: readonly (readonly [title: string, message: string, resources: readonly Resource[]])[] = [
  [
    "one person as two members, whatever the letter case",
    `OrgMember "lovelace" and OrgMember "countess" declare the same person (email). Each person ${one}`,
    [lovelace, hidden],
  ],
  [
    "one person as a member and a user",
    `OrgMember "lovelace" and OrgUser "ada" declare the same person (email). Each person ${one}`,
    [lovelace, ada],
  ],
  [
    "one membership that two adopt",
    `OrgUser "ada" and OrgMember "eve" declare the same membership (adopt). Each person ${one}`,
    [
      ["OrgUser", "ada", { email, adopt: "u1" }],
      ["OrgMember", "eve", { email: other, seat: true, adopt: "u1" }],
    ],
  ],
  [
    "a person and a list",
    'OrgUser "ada" and Onboarding "team" declare the same person (emails). Remove the email from the Onboarding\'s list, or remove the OrgUser. [duplicate-declaration]',
    [ada, team],
  ],
  [
    "a list and a person",
    'Onboarding "team" and OrgUser "ada" declare the same person (email). Remove the email from the Onboarding\'s list, or remove the OrgUser. [duplicate-declaration]',
    [team, ada],
  ],
  [
    "two lists",
    'Onboarding "team" and Onboarding "others" declare the same person (emails). Each person can be in one list only: remove the email from the other list. [duplicate-declaration]',
    [team, ["Onboarding", "others", { emails: ["grace@acme.example", other] }]],
  ],
  [
    "a list and many people: ten by name",
    `${Array.from({ length: 10 }, (_, index) => `OrgUser "u${index}"`).join(", ")}, 2 more and Onboarding "team" declare the same 12 people (emails). Remove the email from the Onboarding's list, or remove the OrgUser. [duplicate-declaration]`,
    [...twelve, ["Onboarding", "team", { emails: [other, ...twelve.map(([, , args]) => args.email)] }]],
  ],
  [
    "one seat",
    `SeatAssignment "ada" and SeatAssignment "eve" declare the same seat (userId). Each person ${one}`,
    [seatOf("ada", "u1"), seatOf("eve", "u1")],
  ],
  [
    "one token",
    `UserToken "ada" and UserToken "eve" declare the same person's token (userId). Each person ${one}`,
    [tokenOf("ada"), tokenOf("eve")],
  ],
  [
    "one server",
    `ModelServer "chat" and ModelServer "talk" declare the same server (serverId). Each server ${one}`,
    [server("chat"), server("talk")],
  ],
  [
    "one table",
    `VectorTable "docs" and VectorTable "more" declare the same table (name). Each table ${one}`,
    [table("docs", "docs"), table("more", "docs")],
  ],
];

const accepted: readonly (readonly [title: string, resources: readonly Resource[]])[] = [
  ["two organizations", [member, ["OrgUser", "there", { email, organizationId: "another-org" }]]],
  ["an email twice in one list", [["Onboarding", "team", { emails: [email, "ADA@acme.example"] }]]],
  ["two tables whose letter case differs", [table("docs", "docs"), table("more", "Docs")]],
  [
    "a seat and a token of one user, and a seat of another one",
    [...[seatOf("ada", "u1"), tokenOf("ada")], seatOf("eve", "u2")],
  ],
  [
    "two machine users of one purpose, and two service accounts of one name",
    [
      ["OrgUser", "one", { purpose: "Builds" }],
      ["OrgMember", "two", { purpose: "Builds", seat: true }],
      ["ServiceAccount", "bot", { name: "bot" }],
      ["ServiceAccount", "bot too", { name: "bot" }],
    ],
  ],
];

/** What a program with these resources fails with. */
async function refusedByProgram(resources: readonly Resource[]): Promise<string> {
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: ({ name, inputs }) => ({ id: `id-of-${name}`, state: inputs }),
  });
  const failures = await run(() => {
    for (const [type, name, args] of resources)
      Reflect.construct(classes[type], [name, given(args, (value) => pulumi.secret(value))]);
  });
  return failures.join();
}

/** What their checks fail with, all in one process. */
async function refusedByPlugin(resources: readonly Resource[]): Promise<readonly string[]> {
  const { check } = await pluginClient((await scripted(() => ({}))).process);
  const failures = [];
  for (const [type, name, args] of resources)
    failures.push(...(await check(type, {}, given(args, secret), name)).failures);
  expect(failures.map(({ property }) => property).join("")).toBe("");
  return failures.map(({ reason }) => reason);
}

function given(args: Props, hide: (value: string) => unknown): Props {
  const values = Object.entries(args).map(([key, value]) => [
    key,
    value instanceof Hidden ? hide(value.value) : value,
  ]);
  return Object.fromEntries(values);
}

/** Resources as programs in other languages have them. */
const PROGRAM = `import * as pulumi from "@pulumi/pulumi";
const make = (type, name, args, options) => new pulumi.CustomResource("orgseat:index:" + type, name, args, options);
`;

describe("two resources that declare the same", () => {
  test.each(refused)("fail in program and plugin: %s", async (_, message, resources) => {
    expect(await refusedByProgram(resources)).toContain(message);
    expect(await refusedByPlugin(resources)).toEqual([message]);
  });

  test.each(accepted)("pass in program and plugin: %s", async (_, resources) => {
    expect(await refusedByProgram(resources)).toBe("");
    expect(await refusedByPlugin(resources)).toEqual([]);
  });
});

describe("the plugin", () => {
  test("accepts one resource that is checked again, and what is not known yet", async () => {
    const exchanged: Resource[] = [
      ["OrgMember", "ada", { email: other, seat: true }],
      ["OrgMember", "eve", { email, seat: true }],
    ];
    const later: Resource[] = ["one", "two"].flatMap((name) => [
      ["OrgUser", name, { email: UNKNOWN }],
      ["SeatAssignment", name, { userId: UNKNOWN }],
      ["Onboarding", name, { emails: [UNKNOWN] }],
    ]);
    expect(await refusedByPlugin([member, member, ...exchanged, ...later])).toEqual([]);
  });

  test("accepts what the engine checks of a valid program, and refuses a second one", {
    tags: "ci",
  }, async () => {
    const stack = await testStack(await sandbox({ seats: 5 }), {}, "plugin");
    stack.programs = "process";
    const write = (program: string) => writeFileSync(join(stack.folder, "index.mjs"), PROGRAM + program);
    const succeeds = async ({ code, output }: Awaited<ReturnType<typeof stack.up>>) =>
      expect(code, output).toBe(0);
    const parts = `make("SeatAssignment", "ada", { userId: ada.id }); make("UserToken", "ada", { userId: ada.id });`;
    const ada = `const ada = make("OrgUser", "ada", { email: "${email}" }); ${parts}`;
    const eve = `make("OrgMember", "eve", { email: "${other}", seat: false });`;
    write(ada + eve);
    await succeeds(await stack.up());
    await succeeds(await stack.up("--refresh", "--run-program"));
    await succeeds(await stack.preview("--target-replace", "**ada"));
    // Names and parents change, and the emails change places.
    write(`const old = (name) => ({ aliases: [{ name }] });
      const ada = make("OrgUser", "countess", { email: "${other}" }, old("ada"));
      make("SeatAssignment", "countess", { userId: ada.id }, old("ada"));
      make("UserToken", "countess", { userId: ada.id });
      make("OrgMember", "eve too", { email: "${email}", seat: false }, old("eve"));`);
    await succeeds(await stack.preview());
    write(`${ada + eve} make("SeatAssignment", "again", { userId: ada.id });`);
    const refused = await stack.preview();
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(
      /SeatAssignment "(ada|again)" and SeatAssignment "(ada|again)" declare the same seat \(userId\)\. Each person/,
    );
  });
});
