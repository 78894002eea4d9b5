/** An engine that remembers about whom it was asked, and shows a state that someone has edited. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Deployment, StackRun } from "../../command/engine/engine.ts";
import { upAll } from "../../command/verbs/up.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture, type Fixture, type Opening } from "./fixture.ts";
import type { NewPerson } from "./people.ts";

const stateSchema = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(z.record(z.string(), z.unknown())),
    pending_operations: z.array(z.unknown()).optional(),
  }),
});
export type EditableState = z.output<typeof stateSchema>;

export function editableState(exported: unknown): EditableState {
  return stateSchema.parse(exported);
}

/** Remembers the runs, and shows a state that someone has edited. */
export class WatchedEngine extends DirectEngine {
  readonly runs: StackRun[] = [];
  /** The contents of the files of the runs, which do not outlast them. */
  readonly otherUsers: unknown[] = [];
  edit: (state: EditableState) => void = () => undefined;
  hasHiddenSettings = (): boolean => false;
  /** Of each stack with its own file. */
  readonly config = new Map<string, ReadonlyMap<string, string>>();

  override run(...[run, listener, signal]: Parameters<DirectEngine["run"]>): ReturnType<DirectEngine["run"]> {
    this.runs.push(run);
    const { ORGSEAT_OTHER_USERS: file } = run.environment ?? {};
    if (file !== undefined) this.otherUsers.push(JSON.parse(readFileSync(file, "utf8")));
    return super.run(run, listener, signal);
  }

  override async configOf(stack = ""): Promise<ReadonlyMap<string, string>> {
    return this.config.get(stack) ?? new Map();
  }

  override async configuredStacks(): Promise<readonly string[]> {
    return [...this.config.keys()];
  }

  override async exportStack(stack: string): Promise<Deployment | undefined> {
    const exported = await super.exportStack(stack);
    if (exported === undefined) return undefined;
    const state = editableState(structuredClone(exported));
    this.edit(state);
    return state;
  }
}

export const person = (key: string, more: Partial<NewPerson> = {}): NewPerson => ({
  ...{ key, email: `${key}@acme.example`, seat: true, token: true, protected: false },
  ...more,
});
export const everybody = ["ada", "bob", "eve"].map((key) => person(key));

export async function watched(
  people = everybody,
  now = Date.now,
): Promise<{ fixture: Fixture; engine: WatchedEngine }> {
  const fixture = await directFixture(50);
  const engine = new WatchedEngine(fixture.environment, now);
  await upAll(await open(fixture, engine, people), {});
  engine.runs.length = 0;
  return { fixture, engine };
}

export function open(
  fixture: Fixture,
  engine: WatchedEngine,
  people: readonly NewPerson[],
  options: Opening = {},
) {
  const { organizationId } = fixture;
  return fixture.open({ organizationId, stacks: 1, people }, { engine, ...options });
}

/** The people of each run's program, and whether it has targets. */
export function askedAbout({ runs }: WatchedEngine): { people: string[]; isNarrow: boolean }[] {
  return runs.map(({ program, targets }) => ({
    people: program.roster.people.map(({ key }) => key),
    isNarrow: targets !== undefined,
  }));
}

export function entryOf({ deployment }: EditableState, name: string): Record<string, unknown> {
  const found = deployment.resources.find(({ urn }) => String(urn).endsWith(`::${name}`));
  if (found === undefined) throw new Error(`the state has no ${name}`);
  return found;
}

export function changing(name: string, fields: object): (state: EditableState) => void {
  return (state) => {
    Object.assign(entryOf(state, name), fields);
  };
}
