/** An example as a person would have it: a copy of its folder, with its own stack, and its service's view of it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { page, section } from "../docs/pages.ts";
import { initialize, ProjectStack, projectEnvironment } from "../setup/project.ts";
import { copyExample } from "../setup/repository.ts";
import { type Sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { filesIn } from "../setup/secrets.ts";

export const examplesFolder = join(packageRoot, "examples");

/** Those that are programs: `ci` is workflows alone. */
export function exampleNames(): string[] {
  return readdirSync(examplesFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(examplesFolder, entry.name, "tsconfig.json")))
    .map(({ name }) => name);
}

const serviceAccount = {
  ORGSEAT_CLIENT_ID: sandboxServiceAccount.clientId,
  ORGSEAT_CLIENT_SECRET: sandboxServiceAccount.clientSecret,
};

/** @param credentials environment variables of the credentials that the example asks for; default: a service account */
export async function exampleStack(
  sandbox: Sandbox,
  name: string,
  credentials: Readonly<Record<string, string>> = serviceAccount,
): Promise<ProjectStack> {
  const folder = temporaryFolder();
  copyExample(name, folder);
  const stack = new ProjectStack(sandbox, folder, projectEnvironment(sandbox, folder, credentials));
  await initialize(stack);
  return stack;
}

/** The part of examples/README.md about an example. */
export function exampleSection(name: string): string {
  return section(page("examples/README.md"), name);
}

/** The outputs that this part tells people to ask for. */
export function outputsInReadme(name: string): string[] {
  return [...exampleSection(name).matchAll(/pulumi stack output (\w+)/g)].map(([, output]) => output ?? "");
}

/** The files of the project, its state and Pulumi's home among them, that hold one of the secrets in the clear. */
export function filesThatHold(secrets: readonly string[], { folder }: ProjectStack): string[] {
  if (secrets.length === 0 || secrets.some((secret) => secret.length < 16)) {
    throw new Error("these are no secrets to search for");
  }
  return filesIn(folder).filter((file) => {
    const text = readFileSync(file, "utf8");
    return secrets.some((secret) => text.includes(secret));
  });
}

/** A person whom an example declares. */
export interface Person {
  readonly name: string;
  readonly seat: boolean;
  /** The end of the token. */
  readonly token: string | undefined;
}

/**
 * Applies an example, which changes nothing after that, and destroys it, which leaves nothing.
 * @param tokensIn the tokens in the outputs, with their user ids where the outputs have those
 * @param account the service account that the example makes; without, it uses that of the sandbox
 */
export async function expectLife(
  stack: ProjectStack,
  people: readonly Person[],
  tokensIn: (
    outputs: Record<string, unknown>,
  ) => readonly (readonly [token: string, userId?: string | undefined])[],
  account?: string,
): Promise<void> {
  const { sandbox } = stack;
  const serviceAccounts = [account ?? sandboxServiceAccount.name];
  expect(await stack.preview()).toMatchObject({ code: 0 });
  expect(await sandbox.calls()).toEqual([]);

  const up = await stack.up();
  expect(up, up.output).toMatchObject({ code: 0 });
  expect(await callsByPerson(sandbox)).toEqual(people.map(({ seat }) => (seat ? [5, 6, 7] : [5])).toSorted());
  const users = people.toSorted((a, b) => a.name.localeCompare(b.name));
  const seated = people.filter(({ seat }) => seat);
  expect(await atService(sandbox)).toEqual({ users, tokens: seated.length, serviceAccounts });

  const tokens = tokensIn(await stack.outputs());
  expect(tokens).toHaveLength(seated.length);
  for (const [token, userId = expect.any(String)] of tokens) {
    expect(await sandbox.service.management.probe(token)).toMatchObject({ live: true, userId });
    expect(up.output).not.toContain(token);
  }
  const secrets = [...tokens.map(([token]) => token), sandboxServiceAccount.clientSecret];
  expect(filesThatHold(secrets, stack)).toEqual([]);

  expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  expect(await sandbox.calls()).toEqual([]);
  expect(await stack.destroy()).toMatchObject({ code: 0 });
  expect(await callsByPerson(sandbox)).toEqual(
    people.map(({ seat }) => (seat ? [9, 10, 11] : [11])).toSorted(),
  );
  const left = account === undefined ? serviceAccounts : [];
  expect(await atService(sandbox)).toEqual({ users: [], tokens: 0, serviceAccounts: left });
}

/** The calls on each person since the last look, sorted. */
async function callsByPerson(sandbox: Sandbox): Promise<unknown[][]> {
  const people = (await sandbox.requests()).filter(({ userId }) => userId !== null);
  return [...Map.groupBy(people, ({ userId }) => userId).values()]
    .map((ofOne) => ofOne.map(({ call }) => call))
    .toSorted();
}

/** What the service has, without the ids: users with seat and the end of their token, and names of service accounts. */
export async function atService({ service: { management } }: Sandbox) {
  const { users, tokens, serviceAccounts } = await management.snapshot();
  const ends = new Map(tokens.map(({ userId, expiresAt }) => [userId, expiresAt]));
  return {
    users: users
      .map(({ userId, email, firstName, seat }) => ({
        name: email ?? firstName,
        seat,
        token: ends.get(userId),
      }))
      .toSorted((a, b) => (a.name ?? "").localeCompare(b.name ?? "")),
    tokens: tokens.length,
    serviceAccounts: serviceAccounts.map(({ name }) => name),
  };
}
