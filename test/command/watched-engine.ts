/** An engine that remembers its runs, and has the configuration of stacks. */
import type { StackRun } from "../../command/engine/engine.ts";
import { DirectEngine } from "../setup/direct-engine.ts";

export class WatchedEngine extends DirectEngine {
  readonly runs: StackRun[] = [];
  /** Of each stack with its own file. */
  readonly config = new Map<string, ReadonlyMap<string, string>>();

  override run(...[run, listener, signal]: Parameters<DirectEngine["run"]>): ReturnType<DirectEngine["run"]> {
    this.runs.push(run);
    return super.run(run, listener, signal);
  }

  override async configOf(stack = ""): Promise<ReadonlyMap<string, string>> {
    return this.config.get(stack) ?? new Map();
  }
}
