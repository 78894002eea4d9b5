/** The members in the state of a roster: what each of them holds. */
import { z } from "zod";
import { type Held, heldSchema, isEmptied } from "../../provider/member/held.ts";
import { STATE_VERSION } from "../../provider/resources/resource-types.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../provider/util/text.ts";
import { personName } from "../roster/roster.ts";
import { entriesOf, isLive, nameOf, type State, type StateEntry } from "./state.ts";

/** Pulumi's type of a member. */
export const MEMBER_TYPE = "pulumi-nodejs:orgseat:OrgMember";

const outputsSchema = z.object({
  stateVersion: z.number(),
  email: z.string().optional(),
  purpose: z.string().optional(),
  lastName: z.string().optional(),
  organizationId: z.string(),
  sealedValue: z.string().optional(),
  held: heldSchema,
});

/** One member in the state. */
export interface StateMember {
  /** The key of the row; of a member without one, the name of the resource. */
  readonly key: string;
  /** The email, otherwise the purpose, otherwise the key. */
  readonly label: string;
  readonly stack: string;
  /** The logical name of the resource, which never changes. */
  readonly name: string;
  readonly urn: string;
  /** Of the current user; undefined of a member who holds none. */
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly purpose: string | undefined;
  readonly lastName: string | undefined;
  readonly organizationId: string;
  readonly held: Held;
  /** Not a secret. */
  readonly sealedValue: string | undefined;
  /** When the state got it, a timestamp. */
  readonly created: string | undefined;
}

/** The members of the state, without those who have left. @throws CodedError if this release cannot read one */
export function membersIn(stack: string, state: State | undefined): StateMember[] {
  return allIn(stack, state).filter(({ held }) => !isEmptied(held));
}

/** Those who have left, and whose resource the next run deletes without a call. */
export function emptiedIn(stack: string, state: State | undefined): StateMember[] {
  return allIn(stack, state).filter(({ held }) => isEmptied(held));
}

function allIn(stack: string, state: State | undefined): StateMember[] {
  if (state === undefined) return [];
  return entriesOf(state)
    .filter((entry) => entry.type === MEMBER_TYPE && isLive(entry))
    .map((entry) => memberOf(stack, entry));
}

function memberOf(stack: string, { urn, outputs = {}, created }: StateEntry): StateMember {
  const { email, purpose, lastName, organizationId, sealedValue, held } = readOutputs(stack, urn, outputs);
  const key = held.key ?? nameOf(urn);
  return {
    ...{ key, stack, urn, email, purpose, lastName, organizationId, held, sealedValue, created },
    label: personName({ email, purpose, lastName: purpose === undefined ? undefined : lastName }) ?? key,
    name: nameOf(urn),
    userId: held.users[0]?.id,
  };
}

function readOutputs(stack: string, urn: string, outputs: Readonly<Record<string, unknown>>) {
  const who = `member ${nameOf(urn)} in the state of stack ${stack}`;
  const { stateVersion } = outputs;
  if (typeof stateVersion === "number" && stateVersion > STATE_VERSION)
    throw new CodedError(
      "newer-state",
      `cannot read ${who}: a newer release of orgseat wrote it. Upgrade orgseat, ${THEN_RUN_AGAIN}`,
    );
  // Pulumi stores an absent value as null at times.
  const present = Object.entries(outputs).filter(([, value]) => value !== null);
  const parsed = outputsSchema.safeParse(Object.fromEntries(present));
  if (parsed.success) return parsed.data;
  throw new CodedError(
    "invalid-state",
    `cannot read ${who}: ${z.prettifyError(parsed.error)}. Restore the state from a backup (\`pulumi stack import\`), ${THEN_RUN_AGAIN}`,
  );
}
