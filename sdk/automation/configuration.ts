/**
 * One organization has one configuration, over however many stacks it is spread: what any of its stacks says counts for
 * all, and where two say different things nothing is run.
 */
import { mapConcurrently } from "../../provider/map-concurrently.ts";
import { variablesOf } from "../../provider/settings.ts";
import type { Engine } from "./engine/engine.ts";
import { allShardNames, shortStackName } from "./engine/stack-names.ts";
import { entriesOf, stateOf } from "./stack-state.ts";

const NAMESPACE = "orgseat:";

export type Config = ReadonlyMap<string, string>;

export interface Configuration {
  /** That of the organization, by its full keys. */
  readonly config: Config;
  /** What each stack that exists has of it by itself, and from Pulumi.yaml. */
  readonly byStack: ReadonlyMap<string, Config>;
  /** The stacks that have some of it in a file of their own. */
  readonly configured: readonly string[];
}

interface Stacks {
  readonly engine: Engine;
  readonly baseName: string;
  readonly stacks: readonly string[];
  readonly newStacks: readonly string[];
  readonly staleStacks: readonly string[];
  /** Stacks with names of another number of stacks, whosever they are. */
  readonly others: readonly string[];
  readonly concurrency: number;
}

/** @param first that of the first stack, empty where it does not exist yet @throws where two stacks contradict each other */
export async function readConfiguration(organization: Stacks, first: Config): Promise<Configuration> {
  const { engine, stacks, newStacks, staleStacks, others, concurrency } = organization;
  await refuseOrphans(organization);
  const there = stacks.filter((stack) => !newStacks.includes(stack));
  const empty = others.filter((stack) => !staleStacks.includes(stack));
  const looked = await mapConcurrently([...there, ...staleStacks, ...empty], concurrency, async (stack) => ({
    stack,
    isConfigured: await engine.hasConfig(stack),
    isOurs: !empty.includes(stack) || (await isEmptyBase(organization, stack)),
  }));
  const configured = looked.flatMap(({ stack, isConfigured, isOurs }) =>
    isConfigured && isOurs ? [stack] : [],
  );
  // The others have what Pulumi.yaml says, all the same.
  const plain = looked.flatMap(({ stack, isConfigured }) => (isConfigured ? [] : [stack]));
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

/** Whether somebody has made the stack that gives the others their names, for nothing but the configuration. */
async function isEmptyBase({ engine, baseName }: Stacks, stack: string): Promise<boolean> {
  if (stack !== baseName || !(await engine.hasConfig(stack))) return false;
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
        throw new Error(
          `${key} differs between the stacks ${other} and ${stack}, but the stacks of one organization share one configuration. No changes were made. Set it in one stack only (\`pulumi config rm ${key} --stack ${stack}\`)`,
        );
      }
    }
  }
  return config;
}

/** The file of a stack that is gone is somebody's configuration all the same, which no run would read. */
async function refuseOrphans({ engine, baseName, stacks, others }: Stacks): Promise<void> {
  const known = [...stacks, ...others];
  for (const stack of allShardNames(baseName).filter((name) => !known.includes(name))) {
    if (!(await engine.hasConfig(stack))) continue;
    const file = (name: string): string => `Pulumi.${shortStackName(name)}.yaml`;
    throw new Error(
      `${file(stack)} configures stack ${stack}, which does not exist (the stacks are ${stacks.join(", ")}). Rename the file to ${file(stacks[0] ?? "")}, or delete it`,
    );
  }
}

/** What a run of a stack is handed of the configuration that other stacks have. */
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
