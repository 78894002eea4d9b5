/** `stack rename`: every place that knows the stack by its name. */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listFolder, qualifiedName, type StackName, writeAtomically } from "../backend.ts";
import { checkpointText } from "../deployment/checkpoint.ts";
import { UserError } from "../errors.ts";
import { lockStack } from "../locks.ts";
import { parseUrn, stackType } from "../urn.ts";
import { isResourceReference } from "../values.ts";
import type { GlobalOptions, Session } from "./session.ts";

type Rename = (text: string) => string;

export function renameStack(session: Session, _options: GlobalOptions, [to = ""]: string[]): void {
  const old = session.stack();
  const name = session.parseStackName(to);
  if (session.backend.exists(name))
    throw new UserError(`a stack named ${session.shown(name)} already exists`);
  const oldConfig = session.config(old).file;
  const unlock = lockStack(session.backend, old, session.warn);
  try {
    moveState(session, old, name);
    moveHistory(session, old, name);
  } finally {
    unlock();
  }
  if (existsSync(oldConfig)) renameSync(oldConfig, session.config(name).file);
  session.selection.set(qualifiedName(name));
  session.line(`Renamed ${session.shown(old)} to ${session.shown(name)}`);
}

function moveState(session: Session, old: StackName, name: StackName): void {
  const { backend } = session;
  const deployment = session.state(old);
  const rename = renaming(old, name);
  const renamed = deployment && {
    ...deployment,
    resources: deployment.resources?.map((resource) => renameUrns(resource, rename)),
    pending_operations: deployment.pending_operations?.map((operation) => renameUrns(operation, rename)),
  };
  backend.writeCheckpoint(name, checkpointText(qualifiedName(name), renamed && JSON.stringify(renamed)));
  renameSync(backend.checkpointFile(old), `${backend.checkpointFile(old)}.bak`);
  rmSync(`${backend.checkpointFile(old)}.attrs`, { force: true });
}

function moveHistory({ backend }: Session, old: StackName, name: StackName): void {
  const from = backend.historyFolder(old);
  for (const file of listFolder(from).filter((one) => one.startsWith(`${old.stack}-`))) {
    const to = join(backend.historyFolder(name), name.stack + file.slice(old.stack.length));
    writeAtomically(to, readFileSync(join(from, file), "utf8"));
    rmSync(join(from, file));
  }
}

function renaming(old: StackName, { project, stack }: StackName): Rename {
  const before = `urn:pulumi:${old.stack}::${old.project}::`;
  return (text) => {
    if (!text.startsWith(before)) return text;
    const rest = text.slice(before.length);
    const isStack = parseUrn(text).qualifiedType === stackType;
    return `urn:pulumi:${stack}::${project}::${isStack ? `${stackType}::${project}-${stack}` : rest}`;
  };
}

/** Renames wherever a URN stands; within properties only references to resources are URNs. */
function renameUrns<Json>(json: Json, rename: Rename): Json {
  const visit = (value: unknown, inProperties: boolean): unknown => {
    if (typeof value === "string") return inProperties ? value : rename(value);
    if (Array.isArray(value)) return value.map((item) => visit(item, inProperties));
    if (typeof value !== "object" || value === null) return value;
    const isReference = isResourceReference(value);
    const entries = Object.entries(value).map(([key, item]) => {
      if (isReference && key === "urn") return [key, visit(item, false)];
      return [key, visit(item, inProperties || key === "inputs" || key === "outputs")];
    });
    return Object.fromEntries(entries);
  };
  return visit(json, false) as Json;
}
