/** Commands about the tool itself and the backend. */
import { userInfo } from "node:os";
import type { Command } from "commander";
import { breakLocks } from "../backend/locks.ts";
import { engineVersion } from "../deployment/checkpoint.ts";
import { jsonFlag, stackFlag, yesFlag } from "./flags.ts";
import type { ActionWrapper, GlobalOptions, Session } from "./session.ts";

/** What `version` prints: the CLI whose behavior the stand-in follows, marked as another one. */
export const standInVersion = `${engineVersion}-orgseat`;

interface CancelOptions extends GlobalOptions {
  yes?: boolean;
}

export function addGeneralCommands(program: Command, act: ActionWrapper): void {
  program
    .command("version")
    .description("print the version")
    .action(act((session) => session.line(standInVersion)));
  program
    .command("whoami")
    .description("print the user of the backend")
    .option(...jsonFlag)
    .action(act<GlobalOptions & { json?: boolean }>(printUser));
  program
    .command("cancel [stack]")
    .description("delete the stack's locks, after an update was killed")
    .option(...stackFlag)
    .option(...yesFlag)
    .action(act<CancelOptions>(cancel));
}

function printUser(session: Session, { json }: { json?: boolean }): void {
  const { username: user } = userInfo();
  session.line(json ? JSON.stringify({ user, url: session.backendUrl }, null, 2) : user);
}

async function cancel(session: Session, { yes }: CancelOptions, [named]: string[]): Promise<void> {
  const name = session.stack(named);
  if (!yes && session.interactive) {
    const warning = `This will irreversibly cancel the currently running update for '${name.stack}'!`;
    await session.confirm(warning, name.stack);
  }
  breakLocks(session.backend, name, session.warn);
  session.line(`The currently running update for '${name.stack}' has been canceled!`);
}
