/** `orgseat token`: the value of one person's token, out of the state. */
import { z } from "zod";
import { entriesOf, readState } from "./engine/state.ts";
import { managedMembers } from "./members.ts";
import type { Organization } from "./organization.ts";
import { memberOf, TYPE_PREFIX } from "./plan/urns.ts";
import { resolveMembers } from "./resolve-members.ts";

/** How Pulumi marks a secret that it has opened: its JSON. */
const openedSchema = z.object({ plaintext: z.string() });

/** @throws where the person is not managed or has no token */
export async function tokenOf(organization: Organization, name: string): Promise<string> {
  const [member] = resolveMembers([name], await managedMembers(organization), "the state of any stack");
  if (member === undefined) throw new Error(`${name} is not managed`);
  const exported = await organization.engine.exportWithSecrets(member.stack);
  const entry = entriesOf(readState(member.stack, exported)).find(
    ({ urn, type, parent, ...entry }) =>
      type === `${TYPE_PREFIX}UserToken` && entry.delete !== true && memberOf(urn, parent) === member.key,
  );
  if (entry === undefined) throw new Error(`${member.label} has no managed token`);
  if (entry.pendingReplacement === true) {
    throw new Error(
      `the token of ${member.label} was revoked and not issued anew: run \`orgseat up\`, which issues it`,
    );
  }
  return z.string().parse(JSON.parse(openedSchema.parse(entry.outputs?.token).plaintext));
}
