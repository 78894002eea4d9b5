/** An example as a person would have it: a copy of its folder, with its own stack, and its service's view of it. */
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import type { LoggedRequest } from "../../sandbox/service/index.ts";
import { page, section } from "../docs/pages.ts";
import { initialize, ProjectStack, projectEnvironment } from "../setup/project.ts";
import { type Sandbox, temporaryFolder } from "../setup/sandbox.ts";

export const examplesFolder = join(packageRoot, "examples");

/** Those that are programs: `ci` is workflows alone; test/stores has `stores`, with the packages that it needs. */
export function exampleNames(): string[] {
  return readdirSync(examplesFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(examplesFolder, entry.name, "tsconfig.json")))
    .map(({ name }) => name)
    .filter((name) => name !== "stores");
}

/** @param credentials environment variables of the credentials that the example asks for */
export async function exampleStack(
  sandbox: Sandbox,
  name: string,
  credentials: Readonly<Record<string, string>>,
): Promise<ProjectStack> {
  const folder = temporaryFolder();
  const wasTriedHere =
    /^(node_modules|\.orgseat|venv|sdks|__pycache__|go\.sum|Pulumi\..+\.yaml|package-lock\.json)$/;
  cpSync(join(examplesFolder, name), folder, {
    recursive: true,
    filter: (source) => !wasTriedHere.test(basename(source)),
  });
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

/** Not by `recursive`, which follows links: node_modules is one. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The calls on each person, sorted. */
export function callsByPerson(requests: readonly LoggedRequest[]): unknown[][] {
  const people = requests.filter(({ userId }) => userId !== null);
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
