/** Commands about the tool itself. */
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { Backend, pulumiHome, writeAtomically } from "../backend.ts";
import { engineVersion } from "../deployment/checkpoint.ts";
import { breakLocks } from "../locks.ts";
import type { Act, GlobalOptions } from "./session.ts";

/** What `version` prints: the CLI whose behaviour this one follows, and that it is another. */
export const standInVersion = `${engineVersion}-orgseat`;

export function addGeneralCommands(program: Command, act: Act): void {
  program
    .command("version")
    .description("print the version")
    .action(act((session) => session.line(standInVersion)));
  program
    .command("whoami")
    .description("print the user and, with --verbose, the backend")
    .option("-j, --json", "as JSON")
    .action(
      act<GlobalOptions & { json?: boolean; verbose?: string }>((session, { json }) => {
        const user = userInfo().username;
        if (json) session.line(JSON.stringify({ user, organizations: [], url: session.backend.url }));
        else session.line(user);
      }),
    );
  program
    .command("login [url]")
    .description("use the file backend at this file:// address from now on")
    .option("-l, --local", "the file backend in the home folder")
    .action(
      act<GlobalOptions & { local?: boolean }>((session, { local }, [url]) => {
        const target = local || url === undefined ? "file://~" : url;
        const backend = new Backend(target, session.cwd);
        saveCredentials(session.env, backend.url);
        session.line(`Logged in as ${userInfo().username} (${backend.url})`);
      }),
    );
  program
    .command("logout")
    .description("forget the chosen backend")
    .action(act((session) => saveCredentials(session.env, undefined)));
  program
    .command("cancel [stack]")
    .description("delete the stack's locks, after an update was killed")
    .option("-s, --stack <name>", "the stack")
    .option("-y, --yes", "do not ask")
    .action(
      act<GlobalOptions & { yes?: boolean }>(async (session, { yes }, [named]) => {
        const name = session.stack(named);
        if (!yes && session.interactive) {
          await session.confirm(
            `This will irreversibly cancel the running update for '${name.stack}'. Type its name:`,
            name.stack,
          );
        }
        breakLocks(session.backend, name, session.warn);
        session.line(`The currently running update for '${name.stack}' has been canceled!`);
      }),
    );
}

const credentialsSchema = z.looseObject({ current: z.string().optional() });

function saveCredentials(env: NodeJS.ProcessEnv, current: string | undefined): void {
  const file = join(pulumiHome(env), "credentials.json");
  const known = existsSync(file) ? credentialsSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : {};
  writeAtomically(file, JSON.stringify({ ...known, current: current ?? "" }, null, 4));
}
