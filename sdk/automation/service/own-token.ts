/** What the states know about the token of a member. */
import { z } from "zod";
import type { OwnToken } from "../../../provider/resources/members/token-list.ts";
import type { StateMember } from "../stacks/stack-state.ts";

/** A value of another form counts as missing. */
const tokenSchema = z.object({
  tokenId: z.string().optional().catch(undefined),
  otherTokenIds: z.array(z.string()).optional().catch(undefined),
  validUntil: z.string().catch(""),
  isLost: z.literal(true).optional().catch(undefined),
});

/** Undefined where the states have no token of the member, or one of which nothing tells whether it exists. `validUntil` is empty where it is unknown. */
export function ownTokenOf({ resources }: StateMember): OwnToken | undefined {
  const token = resources.find(({ type }) => type === "UserToken");
  const known = token && tokenSchema.parse(token.outputs);
  return known?.isLost ? undefined : known;
}
