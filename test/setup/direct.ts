/**
 * The resources' own code against a service over HTTP, in this process: the provider's objects as Pulumi's process
 * calls them, and a small deployment over them in Pulumi's order. Milliseconds a run, for tests of thousands of cases.
 */
import { isDeepStrictEqual } from "node:util";
import { systemClock } from "../../provider/api/clock.ts";
import { dynamicProvider } from "../../provider/dynamic.ts";
import type { Severity } from "../../provider/engine-log.ts";
import { ProviderProcess } from "../../provider/process.ts";
import { modelServer } from "../../provider/resources/model-server.ts";
import { onboarding } from "../../provider/resources/onboarding.ts";
import { orgUser } from "../../provider/resources/org-user.ts";
import { seatAssignment } from "../../provider/resources/seat-assignment.ts";
import { serviceAccount } from "../../provider/resources/service-account.ts";
import { userToken } from "../../provider/resources/user-token.ts";
import { vectorTable } from "../../provider/resources/vector-table.ts";
import { environmentName } from "../../provider/settings.ts";
import type { Sandbox } from "./sandbox.ts";

/** Pauses between attempts are shorter here, so that thousands of cases fit a test. */
const QUICKER = 50;

type Props = Record<string, unknown>;

/** One resource of a program. A text `$name.id` in `args` is the id of another one. */
export interface DirectResource {
  readonly type:
    | "ServiceAccount"
    | "OrgUser"
    | "SeatAssignment"
    | "UserToken"
    | "Onboarding"
    | "ModelServer"
    | "VectorTable";
  readonly name: string;
  readonly args: Props;
}

interface Recorded {
  readonly declared: DirectResource;
  readonly inputs: Props;
  readonly id: string;
  readonly outs: Props;
  /** A create or update that did not finish: the next run updates. */
  readonly unfinished: boolean;
}

/** What a run said: failures, and messages to the person. */
export interface Said {
  readonly errors: string[];
  readonly messages: { readonly severity: Severity; readonly text: string }[];
}

/** The providers of one process, freshly configured: each run of Pulumi has its own. */
function providers(configuration: Readonly<Record<string, string>>, now: () => number, said: Said) {
  const process = new ProviderProcess({
    environment: configuration,
    clock: { ...systemClock, now, sleep: (ms) => systemClock.sleep(ms / QUICKER) },
    log: () => ({
      write: (severity, text) => void said.messages.push({ severity, text }),
      flush: () => Promise.resolve(),
    }),
  });
  const made = {
    ServiceAccount: dynamicProvider(serviceAccount, process),
    OrgUser: dynamicProvider(orgUser, process),
    SeatAssignment: dynamicProvider(seatAssignment, process),
    UserToken: dynamicProvider(userToken, process),
    Onboarding: dynamicProvider(onboarding, process),
    ModelServer: dynamicProvider(modelServer, process),
    VectorTable: dynamicProvider(vectorTable, process),
  };
  return { process, made };
}
type Providers = ReturnType<typeof providers>["made"];

/** Configuration of a sandbox, as environment variables. */
export function configurationOf(sandbox: Sandbox, account: { clientId: string; clientSecret: string }) {
  const { orgUrl, tokenUrl, modelUrl, seed } = sandbox.service;
  const values = { ...seed, orgUrl, tokenUrl, modelUrl, ...account };
  const keys = [
    "organizationId",
    "orgUrl",
    "tokenUrl",
    "username",
    "password",
    "clientId",
    "clientSecret",
    "modelUrl",
    "apiKey",
  ] as const;
  const configuration: Record<string, string> = {};
  for (const key of [...keys, "subscriptionExpiresAt"] as const)
    configuration[environmentName(key)] = values[key];
  return configuration;
}

/** A stack without an engine: what the state holds, and runs over it. */
export class DirectStack {
  readonly state = new Map<string, Recorded>();
  /** Replaced ones whose removal is still to come, of earlier runs too. */
  readonly #replaced: Recorded[] = [];
  /** `ORGSEAT_*`; a test may change it between runs. */
  readonly configuration: Record<string, string>;
  now: () => number = Date.now;

  constructor(configuration: Record<string, string>) {
    this.configuration = configuration;
  }

  /** Makes the state as the program says, in Pulumi's order: creates and updates, then deletes, dependents first. */
  async up(program: readonly DirectResource[]): Promise<Said> {
    return this.#run(async (made, said) => {
      const leaving = new Set(this.state.keys());
      for (const declared of program) {
        leaving.delete(declared.name);
        if (!(await attempt(said, () => this.#apply(made, declared)))) return;
      }
      if (!(await this.#removeReplaced(made, said))) return;
      await this.#removeAll(made, leaving, said);
    });
  }

  /** Removes everything. */
  async destroy(): Promise<Said> {
    return this.#run(async (made, said) => {
      await this.#removeAll(made, new Set(this.state.keys()), said);
      await this.#removeReplaced(made, said);
    });
  }

  /** Reads everything; what is gone leaves the state. */
  async refresh(): Promise<Said> {
    return this.#run(async (made, said) => {
      for (const [name, recorded] of [...this.state]) {
        const { declared, id, outs } = recorded;
        await attempt(said, async () => {
          const read = await made[declared.type].read(id, outs);
          if (!read.id) this.state.delete(name);
          else this.state.set(name, { ...recorded, outs: { ...read.props } });
        });
      }
    });
  }

  /** Names of what an `up` would change, without a call. */
  async preview(program: readonly DirectResource[]): Promise<string[]> {
    const changed: string[] = [];
    await this.#run(async (made) => {
      for (const declared of program) {
        const old = this.state.get(declared.name);
        const news = await this.#check(made, declared, old);
        const diff = old && (await made[declared.type].diff(old.id, old.outs, news));
        if (!old || old.unfinished || diff?.changes) changed.push(declared.name);
      }
    });
    return changed;
  }

  async #run(work: (made: Providers, said: Said) => Promise<void>): Promise<Said> {
    const said: Said = { errors: [], messages: [] };
    const { process, made } = providers(this.configuration, this.now, said);
    try {
      await work(made, said);
    } finally {
      await process.close();
    }
    return said;
  }

  async #check(made: Providers, declared: DirectResource, old: Recorded | undefined): Promise<Props> {
    const { inputs = {}, failures = [] } = await made[declared.type].check(
      old?.inputs ?? {},
      this.#resolve(declared.args),
    );
    if (failures.length === 0) return inputs;
    throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("; "));
  }

  async #apply(made: Providers, declared: DirectResource): Promise<void> {
    const old = this.state.get(declared.name);
    const news = await this.#check(made, declared, old);
    const provider = made[declared.type];
    if (!old) return this.#create(made, declared, news);
    const diff = await provider.diff(old.id, old.outs, news);
    if ((diff.replaces?.length ?? 0) > 0) {
      if (diff.deleteBeforeReplace) await this.#removeWithDependents(made, old);
      await this.#create(made, declared, await this.#check(made, declared, undefined));
      if (!diff.deleteBeforeReplace) this.#replaced.push(old);
      return;
    }
    if (!diff.changes && !old.unfinished) return;
    await this.#keep(declared, news, old.id, async () => {
      const { outs } = await provider.update(old.id, old.outs, news);
      return { id: old.id, outs };
    });
  }

  #create(made: Providers, declared: DirectResource, news: Props): Promise<void> {
    return this.#keep(declared, news, undefined, () => made[declared.type].create(news));
  }

  /** Records what a create or update answered, also where it made something and did not finish. */
  async #keep(
    declared: DirectResource,
    inputs: Props,
    id: string | undefined,
    work: () => Promise<{ id: string; outs?: Props }>,
  ): Promise<void> {
    try {
      const result = await work();
      this.state.set(declared.name, {
        declared,
        inputs,
        id: result.id,
        outs: result.outs ?? {},
        unfinished: false,
      });
    } catch (error) {
      if (error instanceof Error && "id" in error && typeof error.id === "string" && "properties" in error) {
        const outs = error.properties as Props;
        this.state.set(declared.name, { declared, inputs, id: id ?? error.id, outs, unfinished: true });
      }
      throw error;
    }
  }

  async #removeReplaced(made: Providers, said: Said): Promise<boolean> {
    for (let old = this.#replaced[0]; old; old = this.#replaced[0]) {
      const leaving = old;
      if (!(await attempt(said, () => this.#remove(made, leaving)))) return false;
      this.#replaced.shift();
    }
    return true;
  }

  async #removeAll(made: Providers, names: ReadonlySet<string>, said: Said): Promise<void> {
    const left = new Set(names);
    while (left.size > 0) {
      const wave = [...left].filter((name) => ![...left].some((other) => this.#dependsOn(other, name)));
      const done = await Promise.all(
        wave.map((name) => {
          const recorded = this.state.get(name);
          left.delete(name);
          if (!recorded) return true;
          return attempt(said, async () => {
            await this.#remove(made, recorded);
            this.state.delete(name);
          });
        }),
      );
      if (done.includes(false)) return;
    }
  }

  async #removeWithDependents(made: Providers, recorded: Recorded): Promise<void> {
    for (const [name, other] of this.state) {
      if (this.#dependsOn(name, recorded.declared.name)) await this.#removeWithDependents(made, other);
    }
    await this.#remove(made, recorded);
    this.state.delete(recorded.declared.name);
  }

  async #remove(made: Providers, { declared, id, outs }: Recorded): Promise<void> {
    await made[declared.type].delete(id, outs);
  }

  #dependsOn(name: string, on: string): boolean {
    const args = this.state.get(name)?.declared.args ?? {};
    return Object.values(args).some((value) => isDeepStrictEqual(value, `$${on}.id`));
  }

  #resolve(args: Props): Props {
    const resolved = Object.entries(args).map(([key, value]) => {
      const match = typeof value === "string" ? /^\$(.+)\.id$/.exec(value) : null;
      return [key, match?.[1] === undefined ? value : this.state.get(match[1])?.id];
    });
    return Object.fromEntries(resolved.filter(([, value]) => value !== undefined));
  }
}

async function attempt(said: Said, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    said.errors.push(error instanceof Error ? error.message : String(error));
    return false;
  }
}
