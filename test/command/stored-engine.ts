/**
 * An engine for what is done to states: they lie in memory, previews compare people by their keys, and the process may
 * die before or after any change of a state.
 */
import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import type { Deployment, Engine, ListedStack, StackOutcome, StackRun } from "../../command/engine/engine.ts";
import { stackNames } from "../../command/engine/stack-names.ts";
import { memberOf, TYPE_PREFIX } from "../../command/plan/steps/steps.ts";
import { MARKER_TYPE, withoutOffboarded } from "../../command/roster/roster.ts";
import {
  type Organization,
  type OrganizationOptions,
  openOrganization,
} from "../../command/stacks/organization.ts";
import { shardOf } from "../../command/stacks/shards.ts";
import { entriesOf, membersIn, readState, type State } from "../../command/stacks/stack-state.ts";
import { declaredMarker, markerIn, markersOf, markerUrn } from "../setup/markers.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { member, ORGANIZATION, step } from "./plan/steps.ts";

/** The process dies at the so-and-so-many-th change of a state. */
export interface Cut {
  readonly at: number;
  readonly place: "before" | "after";
}

export class StoredEngine implements Engine {
  readonly states = new Map<string, State>();
  /** What the file of each stack says. */
  readonly configs = new Map<string, ReadonlyMap<string, string>>();
  /** The variables of each run. */
  readonly handed: { readonly stack: string; readonly environment: Readonly<Record<string, string>> }[] = [];
  cut: Cut | undefined;
  /** Says of a stack that its state cannot be read. */
  unreadable: string | undefined;
  /** Happens before the next state is written. */
  meanwhile: (() => void) | undefined;
  #changes = 0;

  async run({ operation, stack, program, environment = {} }: StackRun): Promise<StackOutcome> {
    this.handed.push({ stack, environment });
    if (operation !== "preview") throw new Error("only previews here");
    const markers = markersOf(
      (id) => markerUrn(stack, PROJECT, id),
      markerIn(entriesOf(this.#state(stack))),
      declaredMarker(program),
      false,
    );
    const outcome = { stack, states: new Map(), diagnostics: [], markers, undelivered: [], otherTypes: [] };
    if (stack === this.unreadable) {
      return { ...outcome, steps: [], failure: { code: "pulumi-failed", text: "the state cannot be read" } };
    }
    const people = withoutOffboarded(program.roster.people, program.offboarded);
    const keys = new Set(people.map(({ key }) => key));
    const there = membersIn([[stack, this.#state(stack)]]);
    const steps = there.flatMap(({ key, userId }) =>
      member(key, keys.has(key) ? "same" : "delete", { stack, id: userId }),
    );
    const missing = [...keys].filter((key) => there.every((one) => one.key !== key));
    const joining = missing.map((key) => step(key, "OrgUser", "create", { stack }));
    return { ...outcome, steps: [...steps, ...joining], failure: undefined };
  }

  async listStacks(): Promise<ListedStack[]> {
    if (this.unreadable !== undefined) throw new Error(`the stacks cannot be listed: ${this.unreadable}`);
    return [...this.states.keys()].map((name) => ({ name }));
  }

  async exportStack(stack: string): Promise<Deployment | undefined> {
    if (stack === this.unreadable) throw new Error(`the state of stack ${stack} cannot be read`);
    return structuredClone(this.states.get(stack));
  }

  exportWithSecrets(stack: string): Promise<Deployment | undefined> {
    return this.exportStack(stack);
  }

  async importStack(stack: string, deployment: Deployment): Promise<void> {
    this.meanwhile?.();
    this.#change(() => this.states.set(stack, readState(stack, structuredClone(deployment))));
  }

  async createStack(stack: string): Promise<void> {
    if (!this.states.has(stack)) this.#change(() => this.states.set(stack, emptyState()));
  }

  async removeStack(stack: string): Promise<void> {
    if (entriesOf(this.#state(stack)).length > 0) throw new Error(`stack ${stack} still has resources`);
    this.#change(() => {
      this.states.delete(stack);
      this.configs.delete(stack);
    });
  }

  async clearStack(stack: string): Promise<void> {
    this.#change(() => this.states.set(stack, emptyState()));
  }

  async configOf(stack: string): Promise<ReadonlyMap<string, string>> {
    return new Map(this.states.has(stack) ? this.configs.get(stack) : []);
  }

  async configuredStacks(): Promise<readonly string[]> {
    return [...this.configs.keys()];
  }

  async copyConfig(from: string, to: string): Promise<void> {
    this.#change(() =>
      this.configs.set(to, new Map([...(this.configs.get(to) ?? []), ...(this.configs.get(from) ?? [])])),
    );
  }

  #state(stack: string): State {
    const state = this.states.get(stack) ?? emptyState();
    this.states.set(stack, state);
    return state;
  }

  #change(change: () => void): void {
    const isCut = this.cut?.at === this.#changes++;
    if (isCut && this.cut?.place === "before") throw new Died();
    change();
    if (isCut) throw new Died();
  }

  /** A new process begins, which nothing cuts. */
  revive(): void {
    this.cut = undefined;
  }
}

/** The process is gone. */
export class Died extends Error {}

const PROJECT = "acme";
const PROVIDER = "pulumi:providers:pulumi-nodejs";

function emptyState(): State {
  return { version: 3, deployment: { resources: [] } };
}

/** The state of a stack with a user, a seat and a token for each key. */
export function stateOf(stack: string, keys: readonly string[]): State {
  const urn = (type: string, name: string): string => `urn:pulumi:${stack}::${PROJECT}::${type}::${name}`;
  const root = urn("pulumi:pulumi:Stack", `${PROJECT}-${stack}`);
  const provider = urn(PROVIDER, "default");
  const members = keys.flatMap((key) => {
    const component = {
      urn: urn("orgseat:index:RosterMember", key),
      type: "orgseat:index:RosterMember",
      parent: root,
    };
    const parts = ["OrgUser", "RosterSeat", "RosterToken"].map((part, index, all) => {
      const name = (type: string): string =>
        urn(`orgseat:index:RosterMember$${TYPE_PREFIX}${type}`, `${key}-${type}`);
      return {
        ...{ urn: name(part), type: `${TYPE_PREFIX}${part}`, id: `id-${key}`, custom: true },
        ...{ parent: component.urn, provider: `${provider}::provider-of-${stack}` },
        outputs: { organizationId: ORGANIZATION, email: `${key}@acme.example`, value: `token-of-${key}` },
        dependencies: all.slice(0, index).map(name),
      };
    });
    return [component, ...parts];
  });
  const own = [
    { urn: root, type: "pulumi:pulumi:Stack" },
    { urn: provider, type: PROVIDER, id: `provider-of-${stack}`, custom: true },
  ];
  return { version: 3, deployment: { resources: keys.length === 0 ? [] : [...own, ...members] } };
}

/** The state with the marker of a roster. */
export function withMarker(state: State, rosterId: string | undefined): State {
  if (rosterId === undefined) return state;
  const [, , stack = ""] = entriesOf(state)[0]?.urn.split(":") ?? [];
  const marker = { urn: markerUrn(stack, PROJECT, rosterId), type: MARKER_TYPE };
  return { ...state, deployment: { resources: [...entriesOf(state), marker] } };
}

/** The text of a roster of so many stacks. */
export function rosterOf(keys: readonly string[], stacks: number): string {
  const people = keys.map((key) => ({ key, email: `${key}@acme.example` }));
  return JSON.stringify({ organization: ORGANIZATION, stacks, people });
}

/** Opens the organization of an engine with rosters of one file. */
export function opener(engine: StoredEngine, environment: Readonly<Record<string, string>> = {}) {
  const file = temporaryFile("people.json", "");
  return (text: string, more: Partial<OrganizationOptions> = {}): Promise<Organization> => {
    writeFileSync(file, text);
    return openOrganization({ roster: file, environment, ...more }, { engine });
  };
}

/** Keys as a hash spreads them. */
export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `m${index}`);
}

/** With everybody in the stack that is theirs. */
export function engineWith(keys: readonly string[], stacks: number): StoredEngine {
  const engine = new StoredEngine();
  stackNames("people", stacks).forEach((stack, index) => {
    const mine = keys.filter((key) => shardOf(key, stacks) === index);
    engine.states.set(stack, stateOf(stack, mine));
  });
  return engine;
}

/** In how many states everybody of a key is, with user, seat and token. */
export function placesOf({ states }: StoredEngine): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const [stack, state] of states) {
    const resources = entriesOf(state).filter(({ type }) => type.startsWith(TYPE_PREFIX));
    const byMember = Map.groupBy(resources, ({ urn, parent }) => memberOf(urn, parent));
    for (const { key } of membersIn([[stack, state]])) {
      expect(byMember.get(key), `${key} in ${stack}`).toHaveLength(3);
      places.set(key, [...(places.get(key) ?? []), stack]);
    }
  }
  return places;
}
