/** A stack without an engine that lives through the lifecycles. */
import { expect } from "vitest";
import type { OrganizationApi } from "../../provider/api/calls/organization.ts";
import type { TimeLimit } from "../../provider/util/instants.ts";
import type { DirectStack } from "../setup/direct.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import type { LivingStack } from "./lifecycles.ts";

interface Parts {
  readonly stack: DirectStack;
  readonly organization: Sandbox;
  readonly client: { readonly org: OrganizationApi; readonly operation: TimeLimit };
}

export function directLiving({ stack, organization, client: { org, operation } }: Parts): LivingStack {
  return {
    ...{ organization, org, operation },
    settle: async (program) => {
      expect((await stack.up(program)).errors).toEqual([]);
      expect(await stack.preview(program)).toEqual([]);
      expect((await stack.refresh()).errors).toEqual([]);
      expect(stack.state.size, "a refresh finds everything").toBe(program.length);
      expect(await stack.preview(program), "after a refresh").toEqual([]);
    },
    remove: async () => {
      expect((await stack.destroy()).errors).toEqual([]);
      expect(stack.state.size).toBe(0);
    },
    configure: (variable, value) => {
      stack.configuration[variable] = value;
    },
    outputOf: async (name, output) => stack.state.get(name)?.outs[output],
  };
}
