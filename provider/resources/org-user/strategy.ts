/**
 * What an OrgUser does differently if the service lists its users: chosen once, by the capabilities of the platform.
 */
import type { User } from "../../api/schemas/schemas.ts";
import type { CallContext, PlanContext } from "../resource.ts";
import { adoptUnlisted, createUnlisted, readUnlisted } from "./basic.ts";
import { adoptListed, createListed, leftover, readListed } from "./listed.ts";
import type { Creation, Facts, OrgUserInputs, OrgUserOutputs } from "./schema.ts";

interface Strategy {
  /** Adds the user at most once. @throws Error if that is not certain */
  create(creation: Creation): Promise<Facts & Pick<User, "id">>;
  /** What the service says about an existing user. @throws Error if it is not the declared one */
  adopt(id: string, news: OrgUserInputs, context: CallContext): Promise<Facts>;
  /** The current outputs; undefined if the service confirms that there is no such user. */
  read(id: string, outs: OrgUserOutputs, context: CallContext): Promise<OrgUserOutputs | undefined>;
  /** What a user still has whose removal is refused: a seat or a token; undefined if the lists show neither. */
  leftover(id: string, outs: OrgUserOutputs, context: CallContext): Promise<string | undefined>;
}

const listed: Strategy = { create: createListed, adopt: adoptListed, read: readListed, leftover };

const basic: Strategy = {
  create: createUnlisted,
  adopt: adoptUnlisted,
  read: readUnlisted,
  // Without lists, it is the only reason that the contract has.
  leftover: async () => "a seat or a token",
};

export function strategyOf({ can }: Pick<PlanContext, "can">): Strategy {
  return can.canListUsers ? listed : basic;
}
