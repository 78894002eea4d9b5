/** `state ...`: corrections of the state by hand. */
import type { Command } from "commander";
import { qualifiedName } from "../backend.ts";
import { checkpointText, type DeploymentJson, manifest, readSnapshot } from "../deployment/checkpoint.ts";
import type { ResourceJson, ResourceState } from "../deployment/state.ts";
import { UserError } from "../errors.ts";
import { lockStack } from "../locks.ts";
import { maskedState } from "../secrets.ts";
import { parseUrn } from "../urn.ts";
import { stackFlag, yesFlag } from "./flags.ts";
import type { Action, GlobalOptions, Session } from "./session.ts";

interface EditOptions extends GlobalOptions {
  yes?: boolean;
  all?: boolean;
}

interface DeleteOptions extends EditOptions {
  force?: boolean;
  targetDependents?: boolean;
}

export function addStateCommands(program: Command, act: Action): void {
  const state = program.command("state").description("correct the stack's state by hand");
  state
    .command("delete [urn...]")
    .aliases(["remove", "rm"])
    .description("let the state forget resources, which stay where they are")
    .option(...stackFlag)
    .option("--all", "every resource")
    .option("--force", "protected ones too")
    .option("--target-dependents", "and whatever depends on them")
    .option(...yesFlag)
    .action(act<DeleteOptions>(deleteResources));
  const flagging = (command: string, description: string, done: string, edit: (one: ResourceJson) => void) =>
    state
      .command(`${command} [urn...]`)
      .description(description)
      .option(...stackFlag)
      .option("--all", "every resource")
      .option(...yesFlag)
      .action(act<EditOptions>((session, options, urns) => flag(session, options, urns, done, edit)));
  flagging("protect", "protect resources until the next update", "protected", (one) => {
    one.protect = true;
  });
  flagging("unprotect", "let resources be deleted", "unprotected", (one) => {
    delete one.protect;
  });
  flagging("taint", "have the next update replace resources", "tainted", (one) => {
    one.taint = true;
  });
  flagging("untaint", "take a taint back", "untainted", (one) => {
    delete one.taint;
  });
}

/** Edits the state under the lock, a copy of it beside it. */
async function edit(
  session: Session,
  options: EditOptions,
  change: (state: DeploymentJson) => void,
): Promise<void> {
  const name = session.stack();
  await confirmed(session, options);
  const unlock = lockStack(session.backend, name, session.warn);
  try {
    const state = session.state(name);
    if (!state) throw new UserError("the stack has no state yet: nothing was ever deployed");
    change(state);
    session.backend.backUp(name);
    const text = JSON.stringify({ ...state, manifest: manifest() });
    session.backend.writeCheckpoint(name, checkpointText(qualifiedName(name), text));
  } finally {
    unlock();
  }
}

async function confirmed(session: Session, { yes }: EditOptions): Promise<void> {
  if (yes || session.env.PULUMI_SKIP_CONFIRMATIONS || !session.terminal) return;
  const answer = await session.terminal.ask(
    "warning: This command will edit your stack's state directly. Confirm? (y/N) ",
  );
  if (!/^y(es)?$/i.test(answer.trim())) session.decline("confirmation declined");
}

function requireUrns({ all }: EditOptions, urns: string[]): void {
  if (all && urns.length > 0) throw new UserError("cannot specify a resource URN when --all is given");
  if (!all && urns.length === 0) throw new UserError("Must supply <resource URN> or --all");
  const wrong = urns.find((urn) => !/^urn:pulumi:.+::.*::.+::.+$/.test(urn));
  if (wrong !== undefined) throw new UserError(`"${wrong}" is not a valid resource URN\n${urnsHint}`);
}

const urnsHint =
  "To list the resource URNs in the stack, run `pulumi stack --show-urns`; to inspect the full state, run " +
  "`pulumi stack export`.";

function locate<Resource extends { urn: string }>(resources: Resource[], urn: string): Resource {
  const [found, ...others] = resources.filter((resource) => resource.urn === urn);
  if (!found) throw new UserError(`No such resource "${urn}" exists in the current state\n${urnsHint}`);
  if (others.length > 0) {
    throw new UserError(
      `"${urn}" names several resources, one of which waits for its deletion: run \`pulumi up\` first`,
    );
  }
  return found;
}

async function flag(
  session: Session,
  options: EditOptions,
  urns: string[],
  done: string,
  change: (resource: ResourceJson) => void,
): Promise<void> {
  requireUrns(options, urns);
  await edit(session, options, (state) => {
    const alive = (state.resources ?? []).filter((resource) => !resource.delete);
    const chosen = options.all ? alive : urns.map((urn) => locate(alive, urn));
    for (const resource of chosen) change(resource);
  });
  session.line(options.all ? `All resources ${done}` : `${urns.length} resources ${done}`);
}

async function deleteResources(session: Session, options: DeleteOptions, urns: string[]): Promise<void> {
  requireUrns(options, urns);
  await edit(session, options, (state) => {
    const { resources } = readSnapshot(state, maskedState);
    const targets = options.all ? resources : urns.map((urn) => locate(resources, urn));
    const condemned = condemn(session, resources, targets, options);
    state.resources = (state.resources ?? []).filter((_, index) => {
      const resource = resources[index];
      return resource === undefined || !condemned.has(resource);
    });
  });
  if (options.all) session.line("Resources deleted");
  else session.line(urns.length === 1 ? "Resource deleted" : `${urns.length} resources deleted`);
}

/** The targets and, if they were asked for, their dependents. Nothing may stay that needs what goes. */
function condemn(
  session: Session,
  resources: ResourceState[],
  targets: ResourceState[],
  { force, targetDependents }: DeleteOptions,
): Set<ResourceState> {
  const condemned = new Set(targets);
  for (const target of targets) {
    const dependents = dependentsOf(target, resources).filter((one) => !condemned.has(one));
    if (dependents.length > 0 && !targetDependents) throw hasDependents(target.urn, dependents);
    for (const dependent of dependents) condemned.add(dependent);
  }
  for (const { protect, urn } of condemned) {
    if (!protect) continue;
    if (!force) {
      throw new UserError(
        `${urn} can't be safely deleted because it is protected. Re-run this command with --force to force deletion`,
      );
    }
    session.warn(`deleting protected resource ${urn} due to presence of --force`);
  }
  return condemned;
}

/** Whatever needs the resource at any distance: as dependency, provider or parent. */
function dependentsOf(target: ResourceState, resources: ResourceState[]): ResourceState[] {
  const affected = new Set([target.urn]);
  return resources.slice(resources.indexOf(target) + 1).filter((one) => {
    const needs = [...one.dependencyUrns(), one.parent, one.providerUrn].some((urn) => affected.has(urn));
    if (needs) affected.add(one.urn);
    return needs;
  });
}

function hasDependents(urn: string, dependents: ResourceState[]): UserError {
  const lines = dependents.map((one) => ` * ${`"${parseUrn(one.urn).name}"`.padEnd(15)} (${one.urn})\n`);
  return new UserError(
    `${urn} can't be safely deleted because the following resources depend on it:\n${lines.join("")}\n` +
      "Delete those resources first or pass --target-dependents.",
  );
}
