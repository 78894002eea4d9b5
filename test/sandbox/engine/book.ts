/** What the test provider has been asked to make and take away, and what the state says of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { DeploymentJson } from "../../../sandbox/engine/deployment/checkpoint.ts";
import type { ResourceJson } from "../../../sandbox/engine/deployment/state.ts";

/** A call of the provider that changes what exists. */
export interface Change {
  readonly verb: string;
  readonly name: string;
  readonly id: string;
}

/** What the service was asked to change, and what exists by that: the provider's own book. */
export class Book {
  readonly changes: Change[] = [];
  readonly ids = new Set<string>();

  constructor(folder: string) {
    const counts = new Map<string, number>();
    const lines = readFileSync(join(folder, "calls.jsonl"), "utf8").split("\n");
    for (const line of lines.filter((text) => text !== "")) {
      const words = String(JSON.parse(line)[0]).split(" ");
      if (words[0] === "refused") this.#takeBack(words[1], words[3] ?? "");
      const [verb = "", name = "", given = ""] = words;
      const count = (counts.get(name) ?? 0) + (verb === "create" ? 1 : 0);
      counts.set(name, count);
      const id = verb === "create" ? `${name}-${count}` : given;
      if (verb === "create") this.ids.add(id);
      if (verb === "delete" || verb === "taken") this.ids.delete(id);
      if (/^(create|update|delete)$/.test(verb)) this.changes.push({ verb, name, id });
    }
  }

  /** What was refused was not done. */
  #takeBack(verb: string | undefined, id: string): void {
    if (verb === "create") this.ids.delete(id);
    if (verb === "delete") this.ids.add(id);
  }
}

export const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";
const isThing = ({ type }: ResourceJson) => type.startsWith("pulumi-nodejs:test:");

export interface Known {
  readonly things: ResourceJson[];
  readonly pending: string[];
}

/** What the state holds, which must be valid. */
export function known(deployment: DeploymentJson | undefined): Known {
  const resources = deployment?.resources ?? [];
  const seen = new Set<string>();
  for (const state of resources) {
    const { urn, parent, provider, dependencies, propertyDependencies, deletedWith } = state;
    const needed = [
      ...[parent, deletedWith, provider?.split("::").slice(0, -1).join("::")].filter(Boolean),
      ...(dependencies ?? []),
      ...Object.values(propertyDependencies ?? {}).flatMap((urns) => urns ?? []),
    ];
    expect(
      needed.filter((one) => one !== undefined && !seen.has(one)),
      `what ${urn} needs stands before it`,
    ).toEqual([]);
    seen.add(urn);
  }
  const current = resources.filter((state) => !state.delete).map(({ urn }) => urn);
  expect(new Set(current).size, "each resource stands there once").toBe(current.length);
  const operations = deployment?.pending_operations ?? [];
  return {
    things: resources.filter(isThing),
    pending: operations.map(({ resource, type }) => `${type} ${nameOf(resource.urn)}`),
  };
}

/** All that exists is in the state or pending, and the other way round. */
export function expectAllKnown({ things, pending }: Known, { ids }: Book): void {
  const inState = new Set(things.filter((state) => !state.pendingReplacement).map(({ id }) => id ?? ""));
  const orphans = [...ids].filter(
    (id) => !inState.has(id) && !pending.includes(`creating ${id.slice(0, id.lastIndexOf("-"))}`),
  );
  expect(orphans, "exists and is not known").toEqual([]);
  const ghosts = things.filter(
    ({ id = "", urn, pendingReplacement }) =>
      !pendingReplacement && !ids.has(id) && !pending.includes(`deleting ${nameOf(urn)}`),
  );
  expect(ghosts, "is known and does not exist").toEqual([]);
}
