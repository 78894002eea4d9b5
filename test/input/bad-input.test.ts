// @module-tag ci
/**
 * Bad input as people make it: one clear sentence with the place and the next step, and nothing changed at the service.
 */
import { describe, expect, test } from "vitest";
import { type PlatformName, platformNames } from "../../provider/api/calls/platform.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, type Outcome, type TestStack, testStack } from "../setup/stack.ts";

interface Mistake {
  readonly name: string;
  readonly program: readonly Declared[];
  /** Variables over those of the stack; an empty one is as good as none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The only platform in which it is one. Default: the platforms take turns. */
  readonly platform?: PlatformName;
  /** Each is said, and said once. */
  readonly says: readonly RegExp[];
}

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
  "not a valid service account name \\(1 to 64 lower-case letters, digits, hyphens, and underscores, for example, build-bot\\)";
const dateForm = "not a date such as 2027-06-30, or a timestamp such as 2027-06-30T12:00:00Z";
const problem = (property: string, value: string, reason: string) =>
  new RegExp(`property ${property} value \\{${value}\\} has a problem: ${reason}`, "g");

const inputs: readonly Mistake[] = [
  {
    name: "a service account's name with capitals and a blank",
    program: account("Build Bot"),
    says: [problem("name", "Build Bot", accountName)],
  },
  {
    name: "an email, an id and an onDelete that are none, all said at once",
    program: [
      { type: "OrgUser", name: "ada", args: { email: "not-an-email", adopt: "a b", onDelete: "remove" } },
    ],
    says: [
      problem("email", "not-an-email", "not an email address"),
      problem("adopt", "a b", "not an id"),
      problem("onDelete", "remove", "delete or retain \\[invalid-input\\]"),
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
      /property rotation value \{.*\} has a problem: expected a value of a different type/g,
      /credentials\.password.*: expected a string, got a number/g,
      problem("nmae", "bot", "not an input of ServiceAccount"),
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
        "not a number with a unit \\(ms, s, m, h, or d\\), such as 30s, 12h, or 30d",
      ),
    ],
  },
  {
    name: "a token that outlives the subscription",
    program: token({ expiresAt: LATER }),
    says: [/property expiresAt value \{2099-01-01\} has a problem: .* is after the end of the subscription/g],
  },
  {
    name: "a choice of emails and a tolerance where the service has none, both said at once",
    platform: "basic",
    program: token({ sendEmail: true, expirationToleranceMonths: 2 }),
    says: [
      problem("sendEmail", "true", "not supported: this service decides whether it sends an email"),
      problem(
        "expirationToleranceMonths",
        "2",
        "not supported: this service does not support an expiration tolerance",
      ),
    ],
  },
  {
    name: "a period that the platform cannot keep, of a token",
    platform: "basic",
    program: token({ expiresAt: "60d" }),
    says: [problem("expiresAt", "60d", "not supported: the platform basic .* cannot keep a period")],
  },
  {
    name: "a period that the platform cannot keep, of a member",
    platform: "basic",
    program: [
      {
        type: "OrgMember",
        name: "ada",
        args: { email: "ada@acme.example", seat: true, token: { expiresAt: "60d" } },
      },
    ],
    says: [
      /: token\.expiresAt: not supported: the platform basic .* Set a date, or `rotateEvery` for new tokens on a schedule/g,
    ],
  },
  {
    name: "a choice of emails and a tolerance that are none, both said at once",
    platform: "anaconda",
    program: token({ sendEmail: "yes", expirationToleranceMonths: -1 }),
    says: [
      problem("sendEmail", "yes", "expected a boolean, got a string"),
      problem("expirationToleranceMonths", "-1", ""),
    ],
  },
  {
    name: "a member's end in words, a token without a seat, and an input that is none, all said at once",
    program: [
      {
        type: "OrgMember",
        name: "ada",
        args: { email: "ada@acme.example", seat: false, token: {}, accessUntil: "soon", until: "soon" },
      },
    ],
    says: [
      problem("accessUntil", "soon", dateForm),
      /: token: a token needs a seat\. Set `seat: true`, or remove the token \[invalid-input\]/g,
      problem("until", "soon", "not an input of OrgMember"),
    ],
  },
];

const nothing = Object.fromEntries(
  ["ORGANIZATION_ID", "ORG_URL", "TOKEN_URL"].map((key) => [`ORGSEAT_${key}`, ""]),
);

const configurations: readonly Mistake[] = [
  {
    name: "configuration that is missing, for 400 members",
    program: people(400),
    environment: nothing,
    says: [
      /missing orgseat configuration: orgseat:organizationId \(or ORGSEAT_ORGANIZATION_ID\), orgseat:orgUrl \(or ORGSEAT_ORG_URL\), orgseat:tokenUrl \(or ORGSEAT_TOKEN_URL\)\. Set each variable in the environment, or each key in the configuration of the stack, with all addresses and credentials of an area in one place \[invalid-configuration\]/g,
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
    name: "a wrong password",
    program: [...account("bot"), { type: "ServiceAccount", name: "other", args: { name: "other" } }],
    environment: { ORGSEAT_PASSWORD: "yesterday's" },
    says: [
      /the service rejects the administrator's username and password \(orgseat:username and orgseat:password, .*\): wrong username or password \(HTTP 400 [^)]*\)\. Correct the credentials, then run the command again\. \[unauthorized\]/g,
    ],
  },
];

/**
 * Makes each mistake in turn, and looks at what is said and at what the service got. Of a list the first is made by a
 * program in its own process, which may add its word; the others differ from it in what the provider says.
 */
async function expectRefused(stack: TestStack, mistakes: readonly Mistake[]): Promise<void> {
  for (const [index, { name, program, environment = {}, says }] of mistakes.entries()) {
    stack.programs = index === 0 ? "process" : "inline";
    const restore = { ...stack.environment };
    Object.assign(stack.environment, environment);
    stack.declare(program);
    const { service, requests } = stack.sandbox;
    const before = await service.management.snapshot();
    await requests();
    expectSaid(name, await stack.up(), says);
    expect(await service.management.snapshot()).toEqual(before);
    const writes = (await requests()).filter(({ method, call }) => method !== "GET" && call !== "token");
    expect(writes).toEqual([]);
    for (const key of Object.keys(stack.environment)) delete stack.environment[key];
    Object.assign(stack.environment, restore);
  }
}

/** Pulumi's SDK prints this if the engine ends before the SDK can deliver a log message. */
const UNDELIVERED = /failed to deliver log message\.\n[\s\S]*?message severity: \w+\n/g;

/** It failed; the summary at the end has each sentence once, nothing twice, and no stack. */
function expectSaid(name: string, { code, output }: Outcome, says: readonly RegExp[]): void {
  expect(code, name).not.toBe(0);
  const summary = (output.split("Diagnostics:")[1] ?? "").replaceAll(UNDELIVERED, "");
  for (const sentence of says)
    expect(summary.match(sentence), `${name}: ${sentence}\n${output}`).toHaveLength(1);
  expect(summary, name).not.toMatch(/\n\s+at |Error:|undefined|\[object/);
  const errors = summary.split("\n").filter((line) => /^\s+error: /.test(line) && !line.includes("skipped:"));
  expect(errors, name).toEqual([...new Set(errors)]);
}

/** Those of one platform. */
function ofPlatform(mistakes: readonly Mistake[], platform: PlatformName): Mistake[] {
  return mistakes.filter((one, index) => {
    const turn = platformNames[index % platformNames.length];
    return (one.platform ?? turn) === platform;
  });
}

describe("bad input", () => {
  const stackOf = async (platform: PlatformName) => testStack(await sandbox({}, temporaryFolder(), platform));

  test.each(platformNames)(
    "names the property of each invalid input of a program, in the platform %s",
    async (platform) => {
      await expectRefused(await stackOf(platform), ofPlatform(inputs, platform));
    },
  );

  test.each(platformNames)(
    "names the key of each invalid configuration value once for all resources, in the platform %s",
    async (platform) => {
      await expectRefused(await stackOf(platform), ofPlatform(configurations, platform));
    },
  );
});
