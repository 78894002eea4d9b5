/**
 * An organization has one configuration: a value in any of its stacks applies to all. If two stacks have different values,
 * nothing runs.
 */

import { capabilitiesOf, type Settings, variablesOf } from "../../provider/config/settings.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { mapConcurrently } from "../../provider/util/lists.ts";
import { shortList } from "../../provider/util/text.ts";
import { isStackOf, shortStackName } from "../engine/stack-names.ts";
import type { PersonField } from "../roster/fields.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";
import { entriesOf, type Stacks, stateOf } from "./stack-state.ts";

const NAMESPACE = "orgseat:";

type Config = ReadonlyMap<string, string>;

export interface Configuration {
  /** Of the organization, by full keys. */
  readonly config: Config;
  /** What each existing stack has in its own file and in Pulumi.yaml. */
  readonly byStack: ReadonlyMap<string, Config>;
  /** The stacks with configuration in a separate file. */
  readonly configured: readonly string[];
}

interface NamedStacks extends Stacks {
  /** Existing stacks with names of another number of stacks, whoever owns them. */
  readonly others: readonly string[];
}

/** @param first of the first stack; empty if that does not exist yet @throws if two stacks contradict each other */
export async function readConfiguration(organization: NamedStacks, first: Config): Promise<Configuration> {
  const { engine, stacks, newStacks, staleStacks, others, concurrency } = organization;
  const files = new Set(await engine.configuredStacks());
  const isConfigured = (stack: string): boolean => files.has(shortStackName(stack));
  refuseOrphans(organization, files);
  const there = stacks.filter((stack) => !newStacks.includes(stack));
  const empty = others.filter((stack) => !staleStacks.includes(stack));
  const looked = await mapConcurrently([...there, ...staleStacks, ...empty], concurrency, async (stack) => ({
    stack,
    isOurs: !empty.includes(stack) || (isConfigured(stack) && (await isEmptyBase(organization, stack))),
  }));
  const configured = looked.flatMap(({ stack, isOurs }) => (isConfigured(stack) && isOurs ? [stack] : []));
  // The others all have what Pulumi.yaml has.
  const plain = looked.flatMap(({ stack }) => (isConfigured(stack) ? [] : [stack]));
  const found = await mapConcurrently(
    [...configured, ...plain.slice(0, 1)],
    concurrency,
    async (stack) => [stack, stack === stacks[0] ? first : await engine.configOf(stack)] as const,
  );
  const byStack = new Map(found);
  const common = byStack.get(plain[0] ?? "");
  if (common) for (const stack of plain) byStack.set(stack, common);
  return { config: merged(found), byStack, configured };
}

/** Whether the stack with the base name was created for nothing but the configuration. */
async function isEmptyBase({ engine, baseName }: Stacks, stack: string): Promise<boolean> {
  if (stack !== baseName) return false;
  const state = await stateOf(engine, stack);
  return state !== undefined && entriesOf(state).every(({ type }) => type.startsWith("pulumi:"));
}

function merged(found: readonly (readonly [string, Config])[]): Config {
  const config = new Map<string, string>();
  const places = new Map<string, string>();
  for (const [stack, values] of found) {
    for (const [key, value] of values) {
      if (!key.startsWith(NAMESPACE)) continue;
      const other = places.get(key);
      if (other === undefined) {
        places.set(key, stack);
        config.set(key, value);
      } else if (config.get(key) !== value) {
        throw new CodedError(
          "invalid-configuration",
          `${key} differs between the stacks ${other} and ${stack}, but the stacks of one organization share one configuration. No changes were made. Set it in one stack only (\`pulumi config rm ${key} --stack ${stack}\`)`,
        );
      }
    }
  }
  return config;
}

/** The file of a missing stack is configuration that no run would read. */
function refuseOrphans({ baseName, stacks, others }: NamedStacks, configured: ReadonlySet<string>): void {
  const known = new Set([...stacks, ...others].map(shortStackName));
  const [orphan] = [...configured].filter(
    (name) => isStackOf(shortStackName(baseName), name) && !known.has(name),
  );
  if (orphan === undefined) return;
  const file = (name: string): string => `Pulumi.${name}.yaml`;
  throw new CodedError(
    "invalid-configuration",
    `${file(orphan)} configures stack ${orphan}, which does not exist (the stacks are ${shortList(stacks)}). Rename the file to ${file(shortStackName(stacks[0] ?? ""))}, or delete it`,
  );
}

/** The variables for the configuration that only other stacks have. */
export function handedTo(
  stack: string,
  { config, byStack }: Configuration,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const own = byStack.get(stack);
  return variablesOf(
    (key) => config.get(key),
    environment,
    (key) => own?.has(key) !== true,
  );
}

type Capabilities = ReturnType<typeof capabilitiesOf>;

interface OptionalField {
  readonly field: PersonField;
  readonly isUsed: (person: RosterPerson) => boolean;
  readonly isSupported: (can: Capabilities) => boolean;
}

const optionalFields: readonly OptionalField[] = [
  {
    field: "send_email",
    isUsed: ({ sendEmail }) => sendEmail === true,
    isSupported: ({ canChooseEmails }) => canChooseEmails,
  },
  {
    field: "expiration_tolerance_months",
    isUsed: ({ toleranceMonths = 0 }) => toleranceMonths > 0,
    isSupported: ({ canSetExpiry }) => canSetExpiry,
  },
  {
    field: "keep_previous",
    isUsed: ({ keepPrevious }) => keepPrevious !== undefined,
    isSupported: ({ revokesByTokenId }) => revokesByTokenId,
  },
  {
    field: "token",
    isUsed: ({ adoptToken }) => adoptToken === true,
    isSupported: ({ canListTokens }) => canListTokens,
  },
];

/** @throws Error that names the rows with a field that the service does not support */
export function requireSupportedFields({ people, membership }: Roster, settings: Settings): void {
  const can = capabilitiesOf(settings);
  const unknown = people.filter(({ userId }) => userId === undefined);
  if (membership !== undefined && !can.canListUsers && unknown.length > 0) {
    throw new CodedError(
      "unsupported",
      `this API cannot list users, so with \`membership: directory\` each row needs a user_id: ${shortList(unknown.map(({ place }) => place))}. Write it, or correct orgseat:platform`,
    );
  }
  for (const { field, isUsed, isSupported } of optionalFields) {
    const rows = isSupported(can) ? [] : people.filter(isUsed);
    if (rows.length === 0) continue;
    const name = field === "token" ? "the token `adopt`" : field;
    const places = shortList(rows.map(({ place }) => place));
    throw new CodedError(
      "unsupported",
      `this API does not support ${name}: ${places}. Remove it, or correct orgseat:platform`,
    );
  }
}
