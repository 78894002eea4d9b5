/** Commands about the tool itself and the backend. */
import { existsSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { Backend, pulumiHome, writeAtomically } from "../backend.ts";
import { engineVersion } from "../deployment/checkpoint.ts";
import { UserError } from "../errors.ts";
import { breakLocks } from "../locks.ts";
import { outputFlags, type Refusals, refuseFlags, stackFlag, wantsJson, yesFlag } from "./flags.ts";
import type { Action, GlobalOptions, Session } from "./session.ts";

/** What `version` prints: the CLI whose behaviour this one follows, and that it is another. */
export const standInVersion = `${engineVersion}-orgseat`;

interface UserOptions extends GlobalOptions {
  json?: boolean;
  output?: string;
}

interface LoginOptions extends GlobalOptions {
  local?: boolean;
  all?: boolean;
}

const filesOnly = "this keeps stacks in files only, for which nobody logs in";
const cloudFlags: Refusals = Object.fromEntries(
  ["cloud-url", "default-org", "insecure", "interactive"]
    .concat(["oidc-expiration", "oidc-org", "oidc-team", "oidc-token", "oidc-user"])
    .map((name) => [`--${name}`, filesOnly]),
);

export function addGeneralCommands(program: Command, act: Action): void {
  program
    .command("version")
    .description("print the version")
    .action(act((session) => session.line(standInVersion)));
  const whoami = program.command("whoami").description("print who uses the backend");
  outputFlags(whoami).option("-v, --verbose", "the backend too").action(act<UserOptions>(printUser));
  const login = program
    .command("login [url]")
    .description("use the file backend at this file:// address from now on")
    .option("-l, --local", "the file backend in the home folder")
    .action(act<LoginOptions>(logIn));
  const logout = program
    .command("logout [url]")
    .description("forget the chosen backend")
    .option("-l, --local", "the file backend in the home folder")
    .option("--all", "every backend")
    .action(act<LoginOptions>(logOut));
  for (const command of [login, logout]) refuseFlags(command, cloudFlags);
  program
    .command("cancel [stack]")
    .description("delete the stack's locks, after an update was killed")
    .option(...stackFlag)
    .option(...yesFlag)
    .action(act<GlobalOptions & { yes?: boolean }>(cancel));
}

function printUser(session: Session, options: UserOptions): void {
  const { username } = userInfo();
  const { url } = session.backend;
  if (wantsJson(options)) session.line(JSON.stringify({ user: username, url }, null, 2));
  else if (options.verbose)
    session.line(`User: ${username}\nOrganizations: \nBackend URL: ${url}\nToken type: personal`);
  else session.line(username);
}

function logIn(session: Session, { local }: LoginOptions, [url]: string[]): void {
  if (local && url !== undefined)
    throw new UserError("a URL may not be specified when --local mode is enabled");
  const { url: known } = session.backend;
  const backend = new Backend(url ?? (local ? "file://~" : known), session.cwd);
  saveCredentials(session.env, backend.url);
  session.line(`Logged in to ${hostname()} as ${userInfo().username} (${backend.url})`);
  const { PULUMI_BACKEND_URL: variable } = session.env;
  if (variable && variable !== backend.url)
    session.warn(`PULUMI_BACKEND_URL is set to ${variable}, which wins over this login`);
}

function logOut(session: Session, { local, all }: LoginOptions, [url]: string[]): void {
  const { url: current } = session.backend;
  const wanted = local ? "file://~" : (url ?? current);
  if (all || wanted === current) saveCredentials(session.env, undefined);
  session.line(all ? "Logged out of everything" : `Logged out of ${wanted}`);
}

async function cancel(
  session: Session,
  { yes }: GlobalOptions & { yes?: boolean },
  [named]: string[],
): Promise<void> {
  const name = session.stack(named);
  if (!yes && session.interactive) {
    const warning = `This will irreversibly cancel the currently running update for '${name.stack}'!`;
    await session.confirm(warning, name.stack);
  }
  breakLocks(session.backend, name, session.warn);
  session.line(`The currently running update for '${name.stack}' has been canceled!`);
}

const credentialsSchema = z.looseObject({ current: z.string().optional() });

function saveCredentials(env: NodeJS.ProcessEnv, current: string | undefined): void {
  const file = join(pulumiHome(env), "credentials.json");
  const known = existsSync(file) ? credentialsSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : {};
  writeAtomically(file, JSON.stringify({ ...known, current: current ?? "" }, null, 4));
}
