/** The end of a member's access: whether it has passed, with a warning before and a message after it. */
import * as pulumi from "@pulumi/pulumi";
import { INSTANT_FORM, parseInstant, shortInstant } from "../provider/api/instants.ts";
import { accessAt } from "../provider/resources/access-end.ts";

/** @throws RunError for a value that is no date */
export function hasAccessEnded(
  name: string,
  accessUntil: string | undefined,
  resource: pulumi.Resource,
): boolean {
  if (accessUntil === undefined) return false;
  const end = typeof accessUntil === "string" ? parseInstant(accessUntil) : undefined;
  if (end === undefined) {
    throw new pulumi.RunError(
      `OrgMember "${name}": accessUntil is not a valid date (expected ${INSTANT_FORM}).`,
    );
  }
  const status = accessAt(end, now());
  const about = `OrgMember "${name}": access`;
  const day = `${shortInstant(end)} (accessUntil)`;
  if (status === "endsSoon") {
    const text = `${about} ends on ${day}. The first run after that removes the member. To extend the access, write a later date.`;
    void pulumi.log.warn(text, resource);
  } else if (status === "ended") {
    void pulumi.log.info(
      `${about} ended on ${day}, so the program declares no user, seat, or token.`,
      resource,
    );
  }
  return status === "ended";
}

/** Milliseconds since 1970. The command `orgseat` sets the start of the command, so that its preview and its run agree. */
function now(): number {
  return Number(process.env.ORGSEAT_ACCESS_NOW) || Date.now();
}
