/**
 * One run over a small deployment, in Pulumi's order: creates and updates as they are registered, what a replacement
 * left behind, deletions, dependents first. A dry run works on a copy and calls no one.
 */
import { UNKNOWN_MARKER } from "../../provider/resources/unknown.ts";
import type { DirectProviders } from "./direct-providers.ts";

export type Props = Record<string, unknown>;

/** One resource of a program. A text `$name.id` or `$name.userId` in `args` is that of another one. */
export interface DirectResource {
  readonly type: keyof DirectProviders;
  readonly name: string;
  readonly args: Props;
  /** Whether it is refused to remove it. Default: false. */
  readonly protect?: boolean;
}

/** What the state holds of one resource. */
export interface Recorded {
  readonly declared: DirectResource;
  readonly inputs: Props;
  readonly id: string;
  readonly outs: Props;
  /** A create or update that did not finish: the next run updates. */
  readonly unfinished: boolean;
}

/** The state of a stack. */
export interface DirectState {
  readonly resources: Map<string, Recorded>;
  /** Replaced ones whose removal is still to come, of earlier runs too. */
  readonly replaced: Recorded[];
  /** By name, what is being created. */
  readonly pending: Map<string, Pick<Recorded, "declared" | "inputs">>;
}

/** What a run does to one resource, as the engine tells it. */
export interface DirectStep {
  readonly declared: DirectResource;
  readonly action: "same" | "create" | "update" | "replace" | "delete";
  readonly old: Recorded | undefined;
  readonly news: Props | undefined;
}

type HeardState = "started" | "succeeded" | "failed";

export interface RunOptions {
  readonly isDry?: boolean | undefined;
  /** Names; nothing else is touched. Default: everything. */
  readonly targets?: ReadonlySet<string> | undefined;
  /** Whether what does not depend on a failure goes on. Default: false. */
  readonly continueOnError?: boolean | undefined;
  /** Names, as of `--replace`: replaced without a diff. */
  readonly replace?: ReadonlySet<string> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @param replaced the id of an old one, where it is about that */
  readonly hear?: ((name: string, state: HeardState, replaced?: string) => void) | undefined;
}

export class DirectRun {
  readonly steps: DirectStep[] = [];
  readonly errors: { readonly name: string; readonly text: string }[] = [];
  readonly #made: DirectProviders;
  readonly #resources: Map<string, Recorded>;
  readonly #replaced: Recorded[];
  readonly #pending: DirectState["pending"];
  readonly #options: RunOptions;
  /** Whatever has failed, or was left out for something that has. */
  readonly #failed = new Set<string>();
  /** Whether something failed that lets nothing else begin. */
  #isBroken = false;

  constructor(
    made: DirectProviders,
    { resources, replaced, pending }: DirectState,
    options: RunOptions = {},
  ) {
    this.#made = made;
    this.#resources = options.isDry ? new Map(resources) : resources;
    this.#replaced = options.isDry ? [...replaced] : replaced;
    this.#pending = options.isDry ? new Map() : pending;
    this.#options = options;
  }

  /** Makes the state as the program says. */
  async up(program: readonly DirectResource[]): Promise<void> {
    const leaving = new Set([...this.#resources.keys()].filter((name) => this.#isTargeted(name)));
    for (const declared of program) {
      leaving.delete(declared.name);
      if (this.#isOver()) return;
      if (this.#isTargeted(declared.name)) await this.#attempt(declared.name, () => this.#apply(declared));
      else this.#leave(declared);
    }
    const mine = this.#replaced.filter((old) => this.#isReplacedNow(old));
    const left = this.#replaced.filter((old) => !mine.includes(old));
    if (!this.#isOver()) await this.#removeReplaced(mine);
    if (!this.#isOver()) await this.#removeAll(leaving);
    // Seat and token of a user whom an earlier run replaced may be among those that have just gone.
    if (!this.#isOver()) await this.#removeReplaced(left);
  }

  /** Removes everything. */
  async destroy(): Promise<void> {
    await this.#removeAll(new Set(this.#resources.keys()));
    if (!this.#isOver()) await this.#removeReplaced([...this.#replaced]);
  }

  #isReplacedNow(old: Recorded): boolean {
    return this.steps.some((step) => step.action === "replace" && step.old === old);
  }

  #isTargeted(name: string): boolean {
    return this.#options.targets?.has(name) ?? true;
  }

  #isOver(): boolean {
    const { signal, continueOnError = false } = this.#options;
    return signal?.aborted === true || (this.#isBroken && !continueOnError);
  }

  /** Outside the targets what is there stays as it is, and what is not there is not made. */
  #leave(declared: DirectResource): void {
    const old = this.#resources.get(declared.name);
    if (old === undefined) this.#failed.add(declared.name);
    else this.#tell({ declared, action: "same", old, news: old.inputs });
  }

  async #apply(declared: DirectResource): Promise<void> {
    const { name, type } = declared;
    if (needsOf(declared.args).some((needed) => this.#failed.has(needed))) {
      this.#failed.add(name);
      return;
    }
    const old = this.#resources.get(name);
    const news = await this.#check(declared, old);
    if (!old) {
      this.#tell({ declared, action: "create", old: undefined, news });
      await this.#create(declared, news);
      return this.#hear(name, "succeeded");
    }
    if (this.#options.replace?.has(name)) return this.#replace(declared, old);
    const diff = await this.#made[type].diff(old.id, old.outs, news);
    if (diff.replaces?.length) return this.#replace(declared, old);
    const action = diff.changes || old.unfinished ? "update" : "same";
    this.#tell({ declared, action, old, news });
    if (action === "same") {
      this.#resources.set(name, { ...old, declared });
      return;
    }
    await this.#keep(declared, news, old.id, async () => {
      if (this.#options.isDry) return { id: old.id, outs: old.outs };
      const { outs } = await this.#made[type].update(old.id, old.outs, news);
      return { id: old.id, outs };
    });
    this.#hear(name, "succeeded");
  }

  async #replace(declared: DirectResource, old: Recorded): Promise<void> {
    const news = await this.#check(declared, undefined);
    this.#tell({ declared, action: "replace", old, news });
    if (declared.protect) refuseProtected(old);
    this.#hear(declared.name, "started", old.id);
    await this.#create(declared, news);
    this.#replaced.push(old);
  }

  async #check(declared: DirectResource, old: Recorded | undefined): Promise<Props> {
    const { inputs = {}, failures = [] } = await this.#made[declared.type].check(old?.inputs ?? {}, {
      ...this.#resolve(declared.args),
    });
    if (failures.length === 0) return inputs;
    throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("; "));
  }

  #create(declared: DirectResource, news: Props): Promise<void> {
    return this.#keep(declared, news, undefined, async () =>
      this.#options.isDry ? { id: UNKNOWN_MARKER, outs: {} } : this.#made[declared.type].create(news),
    );
  }

  /** Records what a create or update answered, also where it made something and did not finish. */
  async #keep(
    declared: DirectResource,
    inputs: Props,
    id: string | undefined,
    work: () => Promise<{ id: string; outs?: Props }>,
  ): Promise<void> {
    const record = (found: Pick<Recorded, "id" | "outs" | "unfinished">): void => {
      this.#resources.set(declared.name, { declared, inputs, ...found });
    };
    this.#pending.set(declared.name, { declared, inputs });
    try {
      const result = await work();
      record({ id: result.id, outs: result.outs ?? {}, unfinished: false });
    } catch (error) {
      if (error instanceof Error && "id" in error && typeof error.id === "string" && "properties" in error) {
        record({ id: id ?? error.id, outs: error.properties as Props, unfinished: true });
      }
      throw error;
    } finally {
      this.#pending.delete(declared.name);
    }
  }

  async #removeReplaced(replaced: readonly Recorded[]): Promise<void> {
    for (const old of replaced.filter(({ declared }) => this.#isTargeted(declared.name))) {
      if (this.#isOver()) return;
      const { declared, id } = old;
      const isLeft = !this.#isReplacedNow(old);
      if (isLeft) this.steps.push({ declared, action: "delete", old, news: undefined });
      const hear = (state: HeardState): void => {
        if (!isLeft) this.#hear(declared.name, state);
        this.#hear(declared.name, state, id);
      };
      await this.#attempt(
        declared.name,
        async () => {
          await this.#remove(old);
          this.#replaced.splice(this.#replaced.indexOf(old), 1);
          hear("succeeded");
        },
        hear,
      );
    }
  }

  async #removeAll(names: ReadonlySet<string>): Promise<void> {
    const left = new Set(names);
    while (left.size > 0 && !this.#isOver()) {
      const wave = [...left].filter((name) => ![...left].some((other) => this.#dependsOn(other, name)));
      for (const name of wave) left.delete(name);
      await Promise.all(wave.map((name) => this.#removeOne(name)));
    }
  }

  async #removeOne(name: string): Promise<void> {
    const old = this.#resources.get(name);
    if (old === undefined) return;
    if ([...this.#failed].some((other) => this.#dependsOn(other, name))) {
      this.#failed.add(name);
      return;
    }
    this.#tell({ declared: old.declared, action: "delete", old, news: undefined });
    await this.#attempt(name, async () => {
      refuseProtected(old);
      await this.#remove(old);
      this.#resources.delete(name);
      this.#hear(name, "succeeded");
    });
  }

  async #remove({ declared, id, outs }: Recorded): Promise<void> {
    if (!this.#options.isDry) await this.#made[declared.type].delete(id, outs);
  }

  #dependsOn(name: string, on: string): boolean {
    return needsOf(this.#resources.get(name)?.declared.args ?? {}).includes(on);
  }

  #resolve(args: Props): Props {
    const resolved = Object.entries(args).map(([key, value]) => {
      const needed = neededBy(value);
      return [key, needed === undefined ? value : this.#valueOf(needed)];
    });
    return Object.fromEntries(resolved.filter(([, value]) => value !== undefined));
  }

  /** A preview shows an input for the output of its name. */
  #valueOf({ name, isId }: Needed): unknown {
    const found = this.#resources.get(name);
    if (isId || found === undefined) return found?.id;
    const { inputs, outs } = found;
    return (this.#options.isDry ? inputs.userId : outs.userId) ?? UNKNOWN_MARKER;
  }

  #tell(step: DirectStep): void {
    this.steps.push(step);
    if (step.action !== "same") this.#hear(step.declared.name, "started");
  }

  #hear(name: string, state: HeardState, replaced?: string): void {
    if (!this.#options.isDry) this.#options.hear?.(name, state, replaced);
  }

  async #attempt(
    name: string,
    work: () => Promise<void>,
    hear = (state: HeardState) => this.#hear(name, state),
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.errors.push({ name, text: error instanceof Error ? error.message : String(error) });
      this.#failed.add(name);
      this.#isBroken ||= !(error instanceof ProtectedError);
      hear("failed");
    }
  }
}

/** Is told, and stops nothing else. */
class ProtectedError extends Error {}

function refuseProtected({ declared }: Recorded): void {
  if (declared.protect) throw new ProtectedError(`${declared.name} cannot be removed: it is protected`);
}

function needsOf(args: Props): string[] {
  return Object.values(args).flatMap((value) => neededBy(value)?.name ?? []);
}

interface Needed {
  readonly name: string;
  readonly isId: boolean;
}

function neededBy(value: unknown): Needed | undefined {
  const [, name, output] = typeof value === "string" ? (/^\$(.+)\.(id|userId)$/.exec(value) ?? []) : [];
  return name === undefined ? undefined : { name, isId: output === "id" };
}
