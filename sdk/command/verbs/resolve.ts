/** `orgseat resolve`. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import type { CreationDecision } from "../../automation/preview/decide-creation.ts";
import { type ResolveResult, resolveCreation } from "../../automation/verbs/resolve.ts";
import type { ResolveFlags } from "../line/flags.ts";
import { organizationOptions } from "../line/options.ts";
import { openForOutput } from "../open.ts";
import { print, printJson } from "../output.ts";
import { ProgressLine, stopOnInterrupt } from "../terminal.ts";

export async function resolveVerb(who: string, options: ResolveFlags): Promise<void> {
  const { color, json = false, quiet = false } = options;
  const decision = decisionOf(options);
  const organization = await openForOutput({
    ...organizationOptions(options),
    acceptEndedSubscription: true,
  });
  const line = new ProgressLine("Previewing", {
    ...{ color, quiet: quiet || json, stacks: organization.stacks.length },
  });
  const interrupt = stopOnInterrupt(organization);
  try {
    const result = await resolveCreation(organization, who, decision, {
      ...{ listener: line.onStep, onPreviewed: line.onPreviewed, signal: interrupt.signal },
      onRecord: interrupt.startsWriting,
    });
    line.end();
    if (json) printJson({ status: "succeeded", ...result, userId: result.userId ?? null });
    else print(textOf(result));
  } finally {
    line.end();
    interrupt.end();
  }
}

function decisionOf({ exists, missing = false }: ResolveFlags): CreationDecision {
  if ((exists === undefined) !== missing) {
    throw new CodedError(
      "invalid-flag",
      "cannot tell whether the machine user exists: pass either --exists ID, with the user id, or --missing",
    );
  }
  return exists === undefined ? { missing: true } : { exists };
}

function textOf({ who, stack, userId }: ResolveResult): string {
  return userId === undefined
    ? `Recorded in stack ${stack}: ${who} does not exist. The next \`orgseat up\` creates this machine user.`
    : `Recorded in stack ${stack}: ${who} exists as user ${userId}. The next \`orgseat up\` adds it to the state.`;
}
