/** `orgseat resolve`. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import type { CreationDecision } from "../../stacks/undecided.ts";
import { type ResolveResult, resolveCreation } from "../../verbs/resolve.ts";
import type { ResolveFlags } from "../line/flags.ts";
import { organizationOptions } from "../line/options.ts";
import { openForOutput } from "../open.ts";
import { print, printJson } from "../output.ts";
import { stopOnInterrupt } from "../terminal.ts";

export async function resolveVerb(who: string, options: ResolveFlags): Promise<void> {
  const { json = false } = options;
  const decision = decisionOf(options);
  const organization = await openForOutput({
    ...organizationOptions(options),
    acceptEndedSubscription: true,
  });
  const interrupt = stopOnInterrupt(organization);
  try {
    const result = await resolveCreation(organization, who, decision, {
      ...{ signal: interrupt.signal, onRecord: interrupt.startsWriting },
    });
    if (json)
      printJson({
        status: "succeeded",
        ...result,
        stack: result.stack ?? null,
        userId: result.userId ?? null,
      });
    else print(textOf(result));
  } finally {
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
  const where = stack === undefined ? "in the audit log" : `in the state of stack ${stack}`;
  return userId === undefined
    ? `Recorded ${where}: ${who} does not exist. The next \`orgseat up\` creates this machine user.`
    : `Recorded ${where}: ${who} exists as user ${userId}. The next \`orgseat up\` manages it.`;
}
