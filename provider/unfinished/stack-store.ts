/** What orgseat reads and writes of a stack while Pulumi runs it, through the Pulumi CLI: its tags, and the users of its state. */
import { z } from "zod";

export interface StackStore {
  /** The tags by name. */
  tags(stack: string): Promise<ReadonlyMap<string, string>>;
  setTag(stack: string, name: string, value: string): Promise<void>;
  removeTag(stack: string, name: string): Promise<void>;
  /** The user ids of all OrgUsers in the state. */
  userIdsIn(stack: string): Promise<ReadonlySet<string>>;
}

/** Runs a command of the Pulumi CLI. @returns its standard output */
export type Pulumi = (...args: readonly string[]) => Promise<string>;

/** Does the work while no other process of the run does its own. */
type InTurn = (work: () => Promise<string>) => Promise<string>;

const tagsSchema = z.record(z.string(), z.string());
const stateSchema = z.object({
  deployment: z.object({
    resources: z.array(z.object({ type: z.string(), id: z.string().optional() })).nullish(),
  }),
});
/** Of the dynamic resource, and of the packaged plugin. */
const USER_TYPES: readonly string[] = ["pulumi-nodejs:orgseat:OrgUser", "orgseat:index:OrgUser"];

export class PulumiStackStore implements StackStore {
  readonly #pulumi: Pulumi;
  readonly #inTurn: InTurn;
  #writes: Promise<unknown> = Promise.resolve();

  /** @param inTurn given where other provider processes of the run may write tags too */
  constructor(pulumi: Pulumi, inTurn: InTurn = (work) => work()) {
    this.#pulumi = pulumi;
    this.#inTurn = inTurn;
  }

  async tags(stack: string): Promise<ReadonlyMap<string, string>> {
    const text = await this.#pulumi("stack", "tag", "ls", "--json", "--stack", stack);
    return new Map(Object.entries(tagsSchema.parse(JSON.parse(text))));
  }

  setTag(stack: string, name: string, value: string): Promise<void> {
    return this.#write(() => this.#pulumi("stack", "tag", "set", name, value, "--stack", stack));
  }

  removeTag(stack: string, name: string): Promise<void> {
    return this.#write(() => this.#pulumi("stack", "tag", "rm", name, "--stack", stack));
  }

  async userIdsIn(stack: string): Promise<ReadonlySet<string>> {
    const text = await this.#pulumi("stack", "export", "--stack", stack);
    const { resources } = stateSchema.parse(JSON.parse(text)).deployment;
    const users = (resources ?? []).filter(({ type }) => USER_TYPES.includes(type));
    return new Set(users.flatMap(({ id }) => id ?? []));
  }

  /** One at a time: Pulumi rewrites all tags of a stack for each change. */
  #write(work: () => Promise<string>): Promise<void> {
    const alone = async (): Promise<void> => {
      await this.#inTurn(work);
    };
    const turn = this.#writes.then(alone, alone);
    this.#writes = turn;
    return turn;
  }
}
