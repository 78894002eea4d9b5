/**
 * What an OrgUser does differently if the service lists its users: chosen once, by the capabilities of the platform.
 */
import type { User } from "../../api/schemas/schemas.ts";
import type { CallContext, PlanContext } from "../resource.ts";
import { adoptUnlisted, createUnlisted, readUnlisted } from "./basic.ts";
import { adoptListed, createListed, leftTokens, readListed } from "./listed.ts";
import type { Creation, Facts, OrgUserInputs, OrgUserOutputs } from "./schema.ts";

interface Strategy {
  /** Adds the user at most once. @throws Error if that is not certain */
  create(creation: Creation): Promise<Facts & Pick<User, "id">>;
  /** What the service says about an existing user. @throws Error if it is not the declared one */
  adopt(id: string, news: OrgUserInputs, context: CallContext): Promise<Facts>;
  /** The current outputs; undefined if the service confirms that there is no such user. */
  read(id: string, outs: OrgUserOutputs, context: CallContext): Promise<OrgUserOutputs | undefined>;
  /** The tokens that keep a user from being removed, as the end of a sentence; empty if none is known. */
  leftTokens(id: string, outs: OrgUserOutputs, context: CallContext): Promise<string>;
}

const listed: Strategy = { create: createListed, adopt: adoptListed, read: readListed, leftTokens };

const basic: Strategy = {
  create: createUnlisted,
  adopt: adoptUnlisted,
  read: readUnlisted,
  leftTokens: async () => "",
};

export function strategyOf({ can }: Pick<PlanContext, "can">): Strategy {
  return can.canListUsers ? listed : basic;
}
