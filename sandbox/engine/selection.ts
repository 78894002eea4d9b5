/** The stack last selected for a project on this machine, one for each backend, in Pulumi's own file. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { pulumiHome, writeAtomically } from "./backend.ts";
import { UserError } from "./errors.ts";
import type { Project } from "./project.ts";

/** `stack` is what older releases wrote: one selection for all backends. */
const selectionSchema = z.looseObject({
  stack: z.string().optional(),
  stacks: z.record(z.string(), z.string()).optional(),
});

export class Selection {
  readonly #file: string;
  readonly #backend: string;

  constructor(env: NodeJS.ProcessEnv, project: Project, backendUrl: string) {
    const hash = createHash("sha1").update(project.file).digest("hex");
    this.#file = join(pulumiHome(env), "workspaces", `${project.name}-${hash}-workspace.json`);
    this.#backend = backendUrl;
  }

  #read(): z.infer<typeof selectionSchema> {
    if (!existsSync(this.#file)) return {};
    try {
      return selectionSchema.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      throw new UserError(`could not parse file ${this.#file}; remove it and select the stack again`);
    }
  }

  get(): string | undefined {
    const { stack, stacks } = this.#read();
    return stacks?.[this.#backend] ?? stack;
  }

  set(qualifiedName: string | undefined): void {
    const { stack, stacks = {}, ...rest } = this.#read();
    const others = Object.entries(stacks).filter(([backend]) => backend !== this.#backend);
    const all = Object.fromEntries(
      qualifiedName === undefined ? others : [...others, [this.#backend, qualifiedName]],
    );
    const kept = {
      ...rest,
      ...(qualifiedName !== undefined && stack !== undefined && { stack }),
      ...(Object.keys(all).length > 0 && { stacks: all }),
    };
    writeAtomically(this.#file, JSON.stringify(kept, null, 4));
  }
}
