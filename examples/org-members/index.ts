// One OrgMember a person, from the roster in people.ts. Edit the roster; `pulumi preview` says who joins and who leaves.
import * as pulumi from "@pulumi/pulumi";
import { OrgMember } from "orgseat";
import { people } from "./people.ts";

interface MemberOutputs {
  id: pulumi.Output<string>;
  validUntil: pulumi.Output<string> | undefined;
}

/** The user id of each member, and until when the token works. */
export const members: Record<string, MemberOutputs> = {};
const values: Record<string, pulumi.Output<string>> = {};

for (const { name, email, seat } of people) {
  // Named after the person and not after the email: a new email then changes this member instead of adding another.
  // Tokens end with the subscription. When it is renewed (raise orgseat:subscriptionExpiresAt), they are extended and
  // keep their values, so nobody has to be told.
  const member = new OrgMember(name, seat ? { email, seat, token: {} } : { email, seat });
  members[name] = { id: member.userId, validUntil: member.token?.validUntil };
  if (member.token) values[name] = member.token.token;
}

/** The tokens. One secret in all, because each of its parts is one. */
export const tokens = pulumi.all(values);
