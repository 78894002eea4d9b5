/** What a preview or a run changes, one line a member: the words are those of `orgseat preview`. */
import { z } from "zod";

const valuesSchema = z.record(z.string(), z.unknown()).optional();
const resourceSchema = z.object({ inputs: valuesSchema, outputs: valuesSchema }).nullish();
const stepSchema = z.object({
  metadata: z.object({
    op: z.string(),
    urn: z.string(),
    type: z.string(),
    old: resourceSchema,
    new: resourceSchema,
  }),
});

/** An event of the engine, as `pulumi up --json` prints one a line; what is not read here is left out. */
export const eventSchema = z.object({
  resourcePreEvent: stepSchema.optional(),
  resOutputsEvent: stepSchema.optional(),
  diagnosticEvent: z
    .object({ urn: z.string().optional(), severity: z.string(), message: z.string() })
    .optional(),
});
export type EngineEvent = z.output<typeof eventSchema>;
type Step = z.output<typeof stepSchema>["metadata"];

const TYPE_PREFIX = "pulumi-nodejs:orgseat:";
const MEMBER = `${TYPE_PREFIX}OrgMember`;

/** Of resources other than OrgMember. In the order of a line: what is taken away comes first, in removal order. */
const words: readonly (readonly [op: string, type: string, text: string])[] = [
  ["delete", "UserToken", "revoke token"],
  ["delete", "SeatAssignment", "remove seat"],
  ["delete", "OrgUser", "remove user"],
  ["create", "OrgUser", "add user"],
  ["update", "OrgUser", "update user"],
  ["create-replacement", "OrgUser", "add user again"],
  ["create", "SeatAssignment", "assign seat"],
  ["update", "SeatAssignment", "update seat"],
  ["create-replacement", "SeatAssignment", "assign seat to the new user"],
  ["create", "UserToken", "issue token"],
  ["update", "UserToken", "renew token"],
  ["create-replacement", "UserToken", "issue new token"],
];
/** A replacement is one change: `create-replacement`. */
const SILENT = new Set(["same", "replace", "delete-replaced", "discard-replaced", "remove-pending-replace"]);

/** The changes of one member, or of a resource without one. */
export interface Change {
  readonly who: string;
  /** The operations, separated by commas. */
  readonly what: string;
  /** The keys of its steps, which `doneKey` gives for a finished one. */
  readonly keys: ReadonlySet<string>;
}

/** The changes that the events of a preview announce: people, machine users, then resources without a member. */
export function changesIn(events: readonly EngineEvent[]): Change[] {
  const steps = events.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? []).filter(isShown);
  const said = events.flatMap((event) => messageIn(event) ?? []);
  const byWho = [...Map.groupBy(steps, whoOf)].toSorted(([a], [b]) => peopleFirst(a, b));
  return byWho.map(([who, mine]) => ({
    who,
    what: mine
      .flatMap((step) => (step.type === MEMBER ? partsOfMember(step, said) : [partOf(step)]))
      .toSorted(([a], [b]) => a - b)
      .map(([, text]) => text)
      .join(", "),
    keys: new Set(mine.map(keyOf)),
  }));
}

/** Whether a message says what one of the changes does. */
export function isOfChange(message: string, changes: readonly Change[]): boolean {
  return changes.some(({ who, what }) => {
    const text = stepIn(message, who);
    return text !== undefined && what.includes(text);
  });
}

function stepIn(message: string, who: string): string | undefined {
  return message.startsWith(`${who}: `) ? message.slice(who.length + 2) : undefined;
}

type Part = readonly [order: number, text: string];

/** The provider says what an update of a member sends. Pulumi asks it nothing about the others. */
function partsOfMember(step: Step, said: readonly string[]): Part[] {
  const { op, old, new: after } = step;
  const parts = (...all: readonly (readonly [isPart: boolean, text: string])[]): Part[] =>
    all.filter(([isPart]) => isPart).map(([, text], order) => [order, text]);
  const { hasSeat, tokenState, userId } = old?.outputs ?? {};
  if (op === "delete")
    return parts(
      [tokenState !== undefined, "revoke token"],
      [hasSeat === true, "remove seat"],
      [userId !== undefined, "remove user"],
    );
  const { seat, token } = after?.inputs ?? {};
  if (op === "create")
    return parts([true, "add user"], [Boolean(seat), "assign seat"], [token !== undefined, "issue token"]);
  const who = whoOf(step);
  const texts = said.flatMap((message) => stepIn(message, who) ?? []);
  return [...new Set(texts)]
    .map((text, order): Part => [order, text])
    .concat(texts.length === 0 ? [[0, op]] : []);
}

/** Orders names: emails, then others. */
export function peopleFirst(a: string, b: string): number {
  return Number(b.includes("@")) - Number(a.includes("@")) || a.localeCompare(b);
}

/** The key of the step that has finished; undefined for any other event. */
export function doneKey({ resOutputsEvent }: EngineEvent): string | undefined {
  return resOutputsEvent === undefined ? undefined : keyOf(resOutputsEvent.metadata);
}

/** A message of the program, the provider, or the engine, with the member that it is about; undefined for none. */
export function messageIn({ diagnosticEvent }: EngineEvent): string | undefined {
  if (diagnosticEvent === undefined || diagnosticEvent.severity === "debug") return undefined;
  const { urn, severity, message } = diagnosticEvent;
  const about = urn === undefined || urn.includes("::pulumi:pulumi:Stack::") ? "" : `${nameOf(urn)}: `;
  return `${severity.startsWith("info") ? "" : `${severity}: `}${about}${message.replace(/^(error|warning): /, "").trim()}`;
}

function isShown({ op, type }: Step): boolean {
  return !SILENT.has(op) && type !== "pulumi:pulumi:Stack" && !type.startsWith("pulumi:providers:");
}

function whoOf({ urn, type, old, new: after }: Step): string {
  const { email, purpose } = after?.inputs ?? old?.inputs ?? {};
  const person = [email, purpose].find((name) => typeof name === "string");
  if (type === MEMBER) return person ?? nameOf(urn);
  return `${type.replace(TYPE_PREFIX, "")} ${nameOf(urn)}`;
}

function partOf({ op, type }: Step): Part {
  const index = words.findIndex(([known, of]) => known === op && `${TYPE_PREFIX}${of}` === type);
  return index < 0
    ? [words.length, op.replace("create-replacement", "replace")]
    : [index, words[index]?.[2] ?? op];
}

function keyOf({ op, urn }: Step): string {
  return `${op} ${urn}`;
}

function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}
