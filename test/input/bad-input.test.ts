/**
 * Bad input as people make it: one clear sentence with the place and the next step, and nothing changed at the service.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, type Outcome, onEachEngine, type TestStack, testStack } from "../setup/stack.ts";

interface Mistake {
  readonly name: string;
  readonly program: readonly Declared[];
  /** Variables over those of the stack; an empty one is as good as none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Each is said, and said once. */
  readonly says: readonly RegExp[];
  /** The calls that are sent and refused. */
  readonly refused?: readonly number[];
}

const ADA = "ada@acme.example";
const LATER = "2099-01-01";

function account(name: string): Declared[] {
  return [{ type: "ServiceAccount", name: "bot", args: { name } }];
}
function people(count: number): Declared[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "OrgMember",
    name: `m${index}`,
    args: { email: `m${index}@acme.example`, seat: true, token: {} },
  }));
}
function token(args: Record<string, unknown>): Declared[] {
  return [{ type: "UserToken", name: "ada", args: { userId: "a-user", ...args } }];
}
const accountName =
  "not a valid service account name \\(1 to 64 lower-case letters, digits, hyphens and underscores, for example, build-bot\\)";
const dateForm = "not a date such as 2027-06-30, or an instant such as 2027-06-30T12:00:00Z";
const problem = (property: string, value: string, reason: string) =>
  new RegExp(`property ${property} value \\{${value}\\} has a problem: ${reason}`, "g");

const inputs: readonly Mistake[] = [
  {
    name: "a service account's name with capitals and a blank",
    program: account("Build Bot"),
    says: [problem("name", "Build Bot", accountName)],
  },
  {
    name: "a service account's name that is empty",
    program: account(""),
    says: [problem("name", "", accountName)],
  },
  {
    name: "a service account's name of 65 characters",
    program: account("x".repeat(65)),
    says: [problem("name", "x{65}", accountName)],
  },
  {
    name: "an email, an id and an onDelete that are none, all said at once",
    program: [
      { type: "OrgUser", name: "ada", args: { email: "not-an-email", adopt: "a b", onDelete: "delete" } },
    ],
    says: [
      problem("email", "not-an-email", "not an email address"),
      problem("adopt", "a b", "not an id"),
      problem("onDelete", "delete", "remove or keep"),
    ],
  },
  {
    name: "inputs that are missing or of another kind, all said at once",
    program: [
      {
        type: "ServiceAccount",
        name: "bot",
        args: { rotation: [], credentials: { username: "admin", password: 1 }, nmae: "bot" },
      },
    ],
    says: [
      /property name (value \{.*\} )?has a problem: missing \(expected a string\)/g,
      /property rotation value \{.*\} has a problem: a value of another type is expected/g,
      /credentials\.password.*: expected a string, got a number/g,
      problem("nmae", "bot", "ServiceAccount has no such input"),
    ],
  },
  {
    name: "a date in words, a day that no calendar has and a span without a unit, all said at once",
    program: token({ expiresAt: "soon", subscriptionExpiresAt: "2026-02-30", renewBefore: "30" }),
    says: [
      problem("expiresAt", "soon", dateForm),
      problem("subscriptionExpiresAt", "2026-02-30", dateForm),
      problem(
        "renewBefore",
        "30",
        "not a number with a unit \\(ms, s, m, h or d\\), such as 30s, 12h or 30d",
      ),
    ],
  },
  {
    name: "a token that outlives the subscription",
    program: token({ expiresAt: LATER }),
    says: [/property expiresAt value \{2099-01-01\} has a problem: .* is after the end of the subscription/g],
  },
];

const GONE = "http://127.0.0.1:9";
const nothing = Object.fromEntries(
  ["ORGANIZATION_ID", "ORG_URL", "TOKEN_URL"].map((key) => [`ORGSEAT_${key}`, ""]),
);

const configurations: readonly Mistake[] = [
  {
    name: "configuration that is missing, for 400 members",
    program: people(400),
    environment: nothing,
    says: [
      /missing orgseat configuration: orgseat:organizationId \(or ORGSEAT_ORGANIZATION_ID\), orgseat:orgUrl \(or ORGSEAT_ORG_URL\), orgseat:tokenUrl \(or ORGSEAT_TOKEN_URL\)\. Set each with `pulumi config set <key> <value>` or in the environment/g,
    ],
  },
  {
    name: "configuration that is wrong, all of it said at once",
    program: people(3),
    environment: {
      ORGSEAT_ORG_URL: "http://acme.example/api",
      ORGSEAT_TIMEOUT: "soon",
      ORGSEAT_CLIENT_ID: "",
    },
    says: [
      /invalid orgseat configuration: .*ORGSEAT_ORG_URL is not an https:\/\/ address/g,
      /ORGSEAT_TIMEOUT is not a number with a unit/g,
      /ORGSEAT_CLIENT_SECRET is set without clientId \(orgseat:clientId or ORGSEAT_CLIENT_ID, in the same place\)/g,
    ],
  },
  {
    name: "credentials that are missing",
    program: people(3),
    environment: { ORGSEAT_CLIENT_ID: "", ORGSEAT_CLIENT_SECRET: "" },
    says: [
      /the service account is missing\. Set orgseat:clientId and orgseat:clientSecret, or ORGSEAT_CLIENT_ID and ORGSEAT_CLIENT_SECRET in the environment/g,
    ],
  },
  {
    name: "a wrong password",
    program: [...account("bot"), { type: "ServiceAccount", name: "other", args: { name: "other" } }],
    environment: { ORGSEAT_PASSWORD: "yesterday's" },
    says: [
      /the service rejects the administrator's user name and password \(orgseat:username and orgseat:password, .*\): wrong username or password \(HTTP 400 [^)]*\)\. Correct the credentials and run the command again\./g,
    ],
  },
  {
    name: "a wrong secret",
    program: people(3),
    environment: { ORGSEAT_CLIENT_SECRET: "yesterday's" },
    says: [
      /the service rejects the service account \(orgseat:clientId and orgseat:clientSecret, .*\. Correct the credentials and run the command again\./g,
    ],
  },
  {
    name: "a service that is down",
    program: people(3),
    environment: {
      ORGSEAT_ORG_URL: `${GONE}/api/v1`,
      ORGSEAT_TOKEN_URL: `${GONE}/token`,
      ORGSEAT_OPERATION_TIMEOUT: "1s",
    },
    says: [
      /http:\/\/127\.0\.0\.1:9: connection refused \(ECONNREFUSED\)\. Check that the service is running and that orgseat:orgUrl and orgseat:tokenUrl are correct/g,
    ],
  },
  {
    name: "an organization that the service does not know",
    program: [{ type: "OrgUser", name: "ada", args: { email: ADA } }],
    environment: { ORGSEAT_ORGANIZATION_ID: "11111111-1111-4111-8111-111111111111" },
    says: [
      /cannot add user: no such organization.*HTTP 404.*Correct orgseat:organizationId \(or the resource's `organizationId`\) and run the command again\./g,
    ],
    refused: [5],
  },
];

/**
 * Makes each mistake in turn, and looks at what is said and at what the service got. Of a list the first is made by a
 * program in its own process, which may add its word; the others differ from it in what the provider says.
 */
async function expectRefused(stack: TestStack, mistakes: readonly Mistake[]): Promise<void> {
  for (const [index, { name, program, environment = {}, says, refused = [] }] of mistakes.entries()) {
    stack.programs = index === 0 ? "process" : "inline";
    const restore = { ...stack.environment };
    Object.assign(stack.environment, environment);
    stack.declare(program);
    const unchanged = await watch(stack.sandbox);
    const outcome = await stack.up();
    expectSaid(name, outcome, says);
    await unchanged(refused);
    for (const key of Object.keys(stack.environment)) delete stack.environment[key];
    Object.assign(stack.environment, restore);
  }
}

/** It failed; the summary at the end has each sentence once, nothing twice, and no stack. */
function expectSaid(name: string, { code, output }: Outcome, says: readonly RegExp[]): void {
  expect(code, name).not.toBe(0);
  const summary = output.split("Diagnostics:")[1] ?? "";
  for (const sentence of says)
    expect(summary.match(sentence), `${name}: ${sentence}\n${output}`).toHaveLength(1);
  expect(summary, name).not.toMatch(/\n\s+at |Error:|undefined|\[object/);
  const errors = summary.split("\n").filter((line) => /^\s+error: /.test(line) && !line.includes("skipped:"));
  expect(errors, name).toEqual([...new Set(errors)]);
}

/** Looks at the service now; what it returns fails where anything has changed or another call than those was sent. */
async function watch({ service, requests }: Sandbox): Promise<(refused: readonly number[]) => Promise<void>> {
  const before = await service.management.snapshot();
  await requests();
  return async (refused) => {
    expect(await service.management.snapshot()).toEqual(before);
    const writes = (await requests()).filter(({ method, call }) => method !== "GET" && call !== "token");
    expect(writes.map(({ call }) => call)).toEqual(refused);
    expect(writes.filter(({ status }) => status === null || status < 400)).toEqual([]);
  };
}

const exportedSchema = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(
      z.looseObject({ type: z.string(), outputs: z.record(z.string(), z.unknown()).optional() }),
    ),
  }),
});

/** Changes the outputs of every resource in the state, as an editor or another release might. */
async function changeState(stack: TestStack, change: Readonly<Record<string, unknown>>): Promise<void> {
  const { output } = await stack.pulumi("stack", "export");
  const exported = exportedSchema.parse(JSON.parse(output));
  for (const { type, outputs } of exported.deployment.resources) {
    if (outputs && type.startsWith("pulumi-nodejs:orgseat:")) Object.assign(outputs, change);
  }
  writeFileSync(join(stack.folder, "state.json"), JSON.stringify(exported));
  expect(await stack.pulumi("stack", "import", "--file", "state.json")).toMatchObject({ code: 0 });
}

onEachEngine("bad input", (engine) => {
  test("in a program is refused by its property", async () => {
    await expectRefused(await testStack(engine, await sandbox()), inputs);
  });

  test("in the configuration is refused by its key, once for all resources", { tags: "ci" }, async () => {
    await expectRefused(await testStack(engine, await sandbox()), configurations);
  });

  test("about one person or one seat is refused by name, in one program and across stacks", {
    tags: "ci",
  }, async () => {
    const organization = await sandbox({ seats: 1 });
    await organization.service.management.setSwitches({ repeatSeat: "409" });
    const stack = await testStack(engine, organization);
    const members: Declared[] = [
      { type: "OrgUser", name: "ada", args: { email: ADA } },
      { type: "SeatAssignment", name: "ada-seat", args: { userId: "$ada.id" } },
      { type: "OrgUser", name: "bob", args: { email: "bob@acme.example" } },
    ];
    stack.declare(members);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const resources = stack.resources();
    const idOf = (name: string) => resources.find(({ urn }) => urn.endsWith(`::${name}`))?.id;

    await expectRefused(stack, [
      {
        name: "no free seat",
        program: [...members, { type: "SeatAssignment", name: "bob-seat", args: { userId: "$bob.id" } }],
        says: [
          /cannot assign seat: .*HTTP 402.*No seat is available for bob@acme\.example .*run `pulumi up` again/g,
        ],
        refused: [6],
      },
    ]);

    const other = await testStack(engine, organization);
    await expectRefused(other, [
      {
        name: "a person of another stack",
        program: [{ type: "OrgUser", name: "ada", args: { email: ADA } }],
        says: [
          /cannot add user: .*HTTP 409.*ada@acme\.example is a member of the organization already\. .*another stack or resource manages ada@acme\.example.*`adopt: "<user id>"`/g,
        ],
        refused: [5],
      },
      {
        name: "a seat of another stack",
        program: [{ type: "SeatAssignment", name: "ada", args: { userId: idOf("ada") } }],
        says: [/cannot assign seat: .*HTTP 409.*has a seat already.*`adopt: true`/g],
        refused: [6],
      },
    ]);

    const unchanged = await watch(organization);
    other.programs = "process";
    other.declare([
      { type: "OrgUser", name: "grace", args: { email: "grace@acme.example" } },
      { type: "OrgUser", name: "hopper", args: { email: "Grace@acme.example" } },
    ]);
    expectSaid("two resources of one person", await other.pulumi("up", "--yes"), [
      /OrgUser "grace" and OrgUser "hopper" declare the same person \(email.*\)\. Each person needs exactly one resource: remove one of the two\./g,
    ]);
    await unchanged([]);
  });

  test("in a state that is newer or corrupted is refused before anything is sent, and the state is kept", {
    tags: "ci",
  }, async () => {
    const organization = await sandbox();
    const stack = await testStack(engine, organization);
    stack.declare([{ type: "OrgUser", name: "ada", args: { email: ADA } }]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const [ada] = stack.resources();
    stack.programs = "process";
    const unchanged = await watch(organization);
    const states = [
      {
        change: { stateVersion: 99 },
        says: /cannot read the state of OrgUser with the id [\w-]+: a newer release of orgseat wrote it \(state version 99, this release reads up to \d+\)\. Nothing was sent to the service\. Upgrade the package orgseat of this program, then run the command again\./g,
      },
      {
        change: { stateVersion: ada?.outputs?.stateVersion, adopted: undefined, organizationId: 5 },
        says: /cannot read the state of OrgUser with the id [\w-]+: .*organizationId: expected a string, got a number; adopted: missing \(expected a boolean\)\. Nothing was sent to the service\. Restore the state from a backup \(`pulumi stack import`\), then run the command again\./g,
      },
    ];
    for (const { change, says } of states) {
      await changeState(stack, change);
      for (const run of ["up", "refresh", "destroy"] as const) expectSaid(run, await stack[run](), [says]);
      expect(stack.resources().map(({ urn, id }) => [urn, id])).toEqual([[ada?.urn, ada?.id]]);
    }
    await unchanged([]);
    await changeState(stack, ada?.outputs ?? {});
    expect(await stack.up("--expect-no-changes"), "the state as it was").toMatchObject({ code: 0 });
  });
});
