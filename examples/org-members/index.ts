// One OrgMember per person, from the roster in people.ts. Edit the roster; `pulumi preview` shows who is added and removed.
import * as pulumi from "@pulumi/pulumi";
import { OrgMember } from "orgseat";
import { people } from "./people.ts";

interface MemberOutputs {
  userId: pulumi.Output<string>;
  validUntil: pulumi.Output<string | undefined>;
}

/** The user id of each member, and the expiry of the token. */
export const members: Record<string, MemberOutputs> = {};
const values: Record<string, pulumi.Output<string | undefined>> = {};

for (const { name, email, seat } of people) {
  // Named by the person and not by the email: a new email then changes this member instead of adding another one.
  // Tokens expire with the subscription. When it is renewed (raise orgseat:subscriptionExpiresAt), orgseat renews them and
  // keeps their values, so no one needs a new token.
  const member = new OrgMember(name, { email, seat, token: seat ? {} : undefined });
  const validUntil = member.tokenState.apply((token) => token?.expiresAt);
  members[name] = { userId: member.userId, validUntil };
  if (seat) values[name] = member.tokenValue;
}

/** The tokens of those with a seat. The whole output is a secret, because each part is one. */
export const tokens = pulumi.all(values);
