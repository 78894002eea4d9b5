/** The person at an operation: what they are asked, and what the history keeps of how they asked for it. */
import { engineVersion } from "../deployment/checkpoint.ts";
import type { OperationOptions } from "./operation-flags.ts";
import type { Kind } from "./operation-options.ts";
import type { Session } from "./session.ts";

/** Asks until the answer is yes; ends the command where it is no. `details` shows the preview property by property. */
export async function agreed(session: Session, kind: Kind, details: () => string): Promise<void> {
  const { paint } = session;
  const note =
    kind === "refresh"
      ? "\nNo resources will be modified as part of this refresh; just your stack's state will be."
      : "";
  const question = `${paint("bold", `Do you want to perform this ${kind}?`)}${note} (yes/no/details) `;
  for (;;) {
    const answer = (await session.ask(question, "non-interactive mode requires --yes flag"))
      .trim()
      .toLowerCase();
    if (answer === "yes" || answer === "y") return;
    if (answer === "no" || answer === "n" || answer === "")
      session.decline(`confirmation declined, not proceeding with the ${kind}`);
    if (answer === "details" || answer === "d") session.line(details());
  }
}

const kinds = ["cli", "auto.local", "auto.inline"];
const architectures: Record<string, string> = { x64: "amd64", ia32: "386" };

/** What the history says of how the operation was run: names of flags and variables, none of their values. */
export function environmentOf(session: Session, options: OperationOptions): Record<string, string> {
  const variables = Object.keys(session.env).filter((name) => name.startsWith("PULUMI_"));
  const { execKind = "cli", execAgent } = options;
  return {
    ...Object.fromEntries(variables.map((name) => [`pulumi.env.${name}`, "set"])),
    ...Object.fromEntries([...session.flags].map(([name, value]) => [`pulumi.flag.${name}`, value])),
    "pulumi.version": engineVersion,
    "pulumi.os": process.platform,
    "pulumi.arch": architectures[process.arch] ?? process.arch,
    "exec.kind": kinds.includes(execKind) ? execKind : "cli",
    ...(execAgent && { "exec.agent": execAgent }),
    updatePlan: "false",
    "stack.environments": "[]",
  };
}
