import type { Output } from "@pulumi/pulumi";
import { OrgMember } from "orgseat";

/** The program of an organization: its members, and their tokens as outputs. @param people emails, by names that stay */
export function members(
  people: Readonly<Record<string, string>>,
): Record<string, Output<string | undefined>> {
  const tokens = Object.entries(people).map(([name, email]) => {
    const member = new OrgMember(name, { email, seat: true, token: {} });
    return [name, member.tokenValue] as const;
  });
  return Object.fromEntries(tokens);
}
