/** The selected stack of a project, one per backend, in Pulumi's own file. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../errors.ts";
import { pulumiHome, writeAtomically } from "./backend.ts";
import type { Project } from "./project.ts";

const selectionSchema = z.looseObject({ stacks: z.record(z.string(), z.string()).optional() });

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
    return this.#read().stacks?.[this.#backend];
  }

  set(qualifiedName: string | undefined): void {
    const content = this.#read();
    const { [this.#backend]: _, ...others } = content.stacks ?? {};
    const stacks = qualifiedName === undefined ? others : { ...others, [this.#backend]: qualifiedName };
    writeAtomically(this.#file, JSON.stringify({ ...content, stacks }, null, 4));
  }
}
