/** `stack tag ...`: a stack's tags, in a file beside its state. As in the Pulumi CLI, they need no lock. */
import type { Command } from "commander";
import { z } from "zod";
import type { Backend, StackName } from "../../backend/backend.ts";
import { table } from "../../display/table.ts";
import { UserError } from "../../errors.ts";
import { jsonFlag, stackFlag } from "../flags.ts";
import type { ActionWrapper, GlobalOptions, Session } from "../session.ts";

interface ListOptions extends GlobalOptions {
  json?: boolean;
}

export function addTagCommands(stack: Command, act: ActionWrapper): void {
  const tag = stack
    .command("tag")
    .description("manage a stack's tags")
    .option(...stackFlag);
  const add = (command: string, description: string) =>
    tag
      .command(command)
      .description(description)
      .option(...stackFlag);
  add("get <name>", "show the value of a tag").action(act(getTag));
  add("list", "list all tags")
    .alias("ls")
    .option(...jsonFlag)
    .action(act<ListOptions>(listTags));
  add("remove <name>", "remove a tag").aliases(["rm", "delete"]).action(act(removeTag));
  add("set <name> <value>", "set a tag").action(act(setTag));
}

type Tags = Map<string, string>;

const fileSchema = z.object({ version: z.literal(1), tags: z.record(z.string(), z.string()).nullish() });

/** Undefined if the file is damaged: the Pulumi CLI then shows no tags, and the next `set` replaces them all. */
function readTags(backend: Backend, name: StackName): Tags | undefined {
  const text = backend.readTags(name);
  if (text === undefined) return new Map();
  try {
    return new Map(Object.entries(fileSchema.parse(JSON.parse(text)).tags ?? {}));
  } catch {
    return undefined;
  }
}

function sorted(tags: Tags): [string, string][] {
  return [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
}

function writeTags(backend: Backend, name: StackName, tags: Tags): void {
  const file = { version: 1, tags: Object.fromEntries(sorted(tags)) };
  backend.writeTags(name, tags.size > 0 ? JSON.stringify(file) : undefined);
}

function getTag(session: Session, _: GlobalOptions, [tag = ""]: string[]): void {
  const name = session.stack();
  const value = readTags(session.backend, name)?.get(tag);
  if (value === undefined)
    throw new UserError(`stack tag '${tag}' not found for stack '${session.shown(name)}'`);
  session.line(value);
}

function listTags(session: Session, { json }: ListOptions): void {
  const tags = readTags(session.backend, session.stack());
  const all = sorted(tags ?? new Map());
  session.line(
    json ? JSON.stringify(tags ? Object.fromEntries(all) : null, null, 2) : table(["NAME", "VALUE"], all),
  );
}

function removeTag(session: Session, _: GlobalOptions, [tag = ""]: string[]): void {
  const name = session.stack();
  const tags: Tags = readTags(session.backend, name) ?? new Map();
  tags.delete(tag);
  writeTags(session.backend, name, tags);
}

function setTag(session: Session, _: GlobalOptions, [tag = "", value = ""]: string[]): void {
  const name = session.stack();
  const tags: Tags = readTags(session.backend, name) ?? new Map();
  writeTags(session.backend, name, tags.set(tag, value));
}
