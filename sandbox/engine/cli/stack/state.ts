/** `state delete` and `state unprotect`: manual corrections of the state. */
import type { Command } from "commander";
import { qualifiedName } from "../../backend/backend.ts";
import { takeLock } from "../../backend/locks.ts";
import { checkpointText, type DeploymentJson, manifest, readSnapshot } from "../../deployment/checkpoint.ts";
import type { ResourceState } from "../../deployment/state.ts";
import { UserError } from "../../errors.ts";
import { maskedState } from "../../secrets.ts";
import { parseUrn } from "../../urn.ts";
import { stackFlag, yesFlag } from "../flags.ts";
import type { ActionWrapper, GlobalOptions, Session } from "../session.ts";

interface EditOptions extends GlobalOptions {
  yes?: boolean;
}

export function addStateCommands(program: Command, act: ActionWrapper): void {
  const state = program.command("state").description("correct the stack's state manually");
  const sub = (usage: string, description: string) =>
    state
      .command(usage)
      .description(description)
      .option(...stackFlag)
      .option(...yesFlag);
  sub("delete <urn>", "remove a resource from the state; the resource itself stays").action(
    act<EditOptions>(deleteResource),
  );
  sub("unprotect <urn>", "allow Pulumi to delete a resource").action(act<EditOptions>(unprotect));
}

/** Edits the state under the lock, after it copies the state to the backups. */
async function edit(
  session: Session,
  options: EditOptions,
  change: (state: DeploymentJson) => void,
): Promise<void> {
  const name = session.stack();
  await confirmed(session, options);
  const lock = takeLock(session.backend, name, session.warn);
  try {
    const state = session.state(name);
    if (!state) throw new UserError("the stack has no state yet: nothing was ever deployed");
    change(state);
    session.backend.backUp(name);
    const text = JSON.stringify({ ...state, manifest: manifest() });
    session.backend.writeCheckpoint(name, checkpointText(qualifiedName(name), text));
  } finally {
    lock.release();
  }
}

async function confirmed(session: Session, { yes }: EditOptions): Promise<void> {
  if (yes || !session.terminal) return;
  const answer = await session.terminal.ask(
    "warning: This command will edit your stack's state directly. Confirm? (y/N) ",
  );
  if (!/^y(es)?$/i.test(answer.trim())) session.decline("confirmation declined");
}

const urnsHint = "To inspect the full state, run `pulumi stack export`.";

function locate<Resource extends { urn: string }>(resources: Resource[], urn: string): Resource {
  if (!/^urn:pulumi:.+::.*::.+::.+$/.test(urn))
    throw new UserError(`"${urn}" is not a valid resource URN\n${urnsHint}`);
  const [found, ...others] = resources.filter((resource) => resource.urn === urn);
  if (!found) throw new UserError(`No such resource "${urn}" exists in the current state\n${urnsHint}`);
  if (others.length > 0) {
    throw new UserError(
      `"${urn}" names several resources, one of them pending deletion: run \`pulumi up\` first`,
    );
  }
  return found;
}

async function unprotect(session: Session, options: EditOptions, [urn = ""]: string[]): Promise<void> {
  await edit(session, options, ({ resources }) => {
    const existing = (resources ?? []).filter((resource) => !resource.delete);
    delete locate(existing, urn).protect;
  });
  session.line("1 resources unprotected");
}

async function deleteResource(session: Session, options: EditOptions, [urn = ""]: string[]): Promise<void> {
  await edit(session, options, (state) => {
    const { resources } = readSnapshot(state, maskedState);
    const target = locate(resources, urn);
    refuseUnsafe(target, resources);
    state.resources = state.resources?.toSpliced(resources.indexOf(target), 1);
  });
  session.line("Resource deleted");
}

function refuseUnsafe(target: ResourceState, resources: ResourceState[]): void {
  const dependents = resources
    .filter((one) => [...one.dependencyUrns(), one.parent, one.providerUrn].includes(target.urn))
    .map((one) => ` * ${`"${parseUrn(one.urn).name}"`.padEnd(15)} (${one.urn})\n`);
  if (dependents.length > 0) {
    throw new UserError(
      `${target.urn} can't be safely deleted because the following resources depend on it:\n${dependents.join("")}\n` +
        "Delete those resources first.",
    );
  }
  if (target.protect) {
    throw new UserError(
      `${target.urn} can't be safely deleted because it is protected. Run \`pulumi state unprotect\` first`,
    );
  }
}
