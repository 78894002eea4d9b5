/** A process that reads rosters, whose time and memory are its own. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import { hangMs } from "../../../setup/limits.ts";

const text = z.string().optional();
const outcomeSchema = z.object({
  read: z
    .object({
      organizationId: z.string(),
      count: z.number(),
      people: z.array(
        z.object({
          ...{ key: z.string(), email: text, purpose: text, firstName: text, lastName: text },
          ...{ team: text, seat: z.boolean(), rotation: text },
        }),
      ),
    })
    .optional(),
  refused: z
    .object({
      message: z.string(),
      issues: z.array(z.object({ line: z.number(), column: z.number(), text: z.string() })),
    })
    .optional(),
  crashed: text,
  /** Of its processors. */
  seconds: z.number(),
  /** The most memory that the process has had so far. */
  megabytes: z.number(),
});
export type Outcome = z.output<typeof outcomeSchema>;

export class Reader {
  readonly #process: ChildProcess = fork(join(import.meta.dirname, "worker.ts"), {
    execArgv: ["--no-warnings"],
    // Lone surrogates go as they are.
    serialization: "advanced",
  });

  async read(file: string): Promise<Outcome> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(hangMs)]);
    const ended = once(this.#process, "exit", { signal }).then(([code, name]) => {
      throw new Error(`the reader of ${file} ended (${code ?? name})`);
    });
    const answer = once(this.#process, "message", { signal });
    this.#process.send(file);
    try {
      const [message] = await Promise.race([answer, ended]);
      return outcomeSchema.parse(message);
    } finally {
      over.abort();
      await Promise.allSettled([answer, ended]);
    }
  }

  end(): void {
    this.#process.kill("SIGKILL");
  }
}
