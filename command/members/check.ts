/** Checks the inputs of members by the provider's own code, so that a plan has what the run will have. */

import { z } from "zod";
import { orgMemberDefinition } from "../../provider/member/resource/org-member.ts";
import { inputs, type OrgMemberInputs } from "../../provider/member/resource/schema.ts";
import { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { ProviderProcess } from "../../provider/runtime/process.ts";
import { splitCode } from "../../provider/util/error-codes.ts";
import { systemClock } from "../../provider/util/instants.ts";
import type { MemberArgs } from "./rows.ts";

const inputsSchema = z.object(inputs);

/** The inputs as the run has them; or why a run would refuse them. */
export type CheckedInputs = { readonly inputs: OrgMemberInputs } | { readonly issues: readonly string[] };

export type CheckInputs = (args: MemberArgs) => Promise<CheckedInputs>;

interface CheckSettings {
  readonly config: (key: string) => string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

/** @returns a check that sends nothing */
export function inputCheck({ config, environment, now }: CheckSettings): CheckInputs {
  const process = new ProviderProcess({
    environment,
    clock: { ...systemClock, now },
    log: () => ({ write: () => undefined, flush: async () => undefined }),
  });
  process.configure(config);
  const provider = new DynamicProvider(orgMemberDefinition, process);
  return async (args) => {
    // With old inputs it explains no creation: the plan of the roster says what one needs.
    const { inputs: checked, failures = [] } = await provider.check(args, args);
    if (failures.length > 0)
      return {
        issues: failures.map(
          ({ property, reason }) => `${property === "" ? "" : `${property}: `}${splitCode(reason).text}`,
        ),
      };
    return { inputs: inputsSchema.parse(checked) };
  };
}
