/** How many source files a change walks through: whoever follows it has to read them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createClient, platforms } from "../../provider/api/index.ts";
import type { ClientCredentials } from "../../provider/resources/resource.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { hangMs } from "../setup/limits.ts";
import { makeServiceAccount, type Sandbox, sandbox } from "../setup/sandbox.ts";
import { testStack } from "../setup/stack.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const MOST_FILES = 54;
const END = "2030-06-30T23:59:59Z";
const RENEWED = "2031-06-30T23:59:59Z";

const OWN = /\/dist\/((?:provider|sdk)\/.*)\.js$/;

const coverageSchema = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          functionName: z.string(),
          ranges: z.array(z.object({ startOffset: z.int(), count: z.int() })),
        }),
      ),
    }),
  ),
});

/** The files of orgseat in which a function ran, by the coverage that Node wrote; loading a file does not count. */
function enteredFiles(folder: string): string[] {
  const entered = readdirSync(folder).flatMap((name) => {
    const { result } = coverageSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    return result.flatMap(({ url, functions }) => {
      const file = OWN.exec(url)?.[1];
      const ran = functions.some(
        ({ functionName, ranges: [whole] }) =>
          (functionName !== "" || (whole?.startOffset ?? 0) > 0) && (whole?.count ?? 0) > 0,
      );
      return file !== undefined && ran ? [file] : [];
    });
  });
  return [...new Set(entered)].toSorted();
}

/** The user id of a member with a seat. */
async function memberOf({ service }: Sandbox, serviceAccount: ClientCredentials): Promise<string> {
  const { orgUrl, tokenUrl, seed } = service;
  const client = createClient({ orgUrl, tokenUrl, platform: platforms.basic });
  onTestFinished(() => client.close());
  const organization = client.organization(seed.organizationId, { serviceAccount });
  const operation = { deadline: performance.now() + hangMs };
  const { id } = await organization.createUser({ email: "ada@acme.example" }, operation);
  await organization.assignSeat(id, operation);
  return id;
}

test("a renewal enters at most 54 source files of program and provider", async () => {
  const organization = await sandbox({ subscriptionExpiresAt: END });
  const stack = await testStack(organization);
  stack.programs = "process";
  const { management, seed } = organization.service;
  const userId = await memberOf(organization, await makeServiceAccount(organization));
  stack.declare([{ type: "UserToken", name: "token", args: { userId } }]);
  expect(await stack.up()).toMatchObject({ code: 0 });
  await management.changeSubscription(seed.organizationId, { expiresAt: RENEWED });
  await organization.requests();
  const folder = temporaryFolder();
  Object.assign(stack.environment, {
    ORGSEAT_SUBSCRIPTION_EXPIRES_AT: RENEWED,
    NODE_V8_COVERAGE: folder,
    NODE_OPTIONS: `--require=${join(packageRoot, "test/setup/covered-provider.cjs")}`,
  });
  expect(await stack.up()).toMatchObject({ code: 0 });
  expect((await organization.calls()).filter((call) => call !== "token")).toEqual([8]);
  const files = enteredFiles(folder);
  expect(files).toContain("provider/resources/user-token/dates");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(MOST_FILES);
});
