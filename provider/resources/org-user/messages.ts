/** The messages of an OrgUser: its name, refusals, warnings, and the next steps of failed calls. */

import type { ApiError } from "../../api/calls/errors.ts";
import { folded } from "../../util/text.ts";
import { IF_FORCED, isRefused, mayHaveSucceeded, RENEW_SUBSCRIPTION, withNextStep } from "../failures.ts";
import type { PlanContext } from "../resource.ts";
import { type Knowable, known, unknown } from "../unknown.ts";
import type { OrgUserInputs, OrgUserOutputs } from "./schema.ts";

export const names = ["purpose", "firstName", "lastName"] as const;

/** Whether the program now has the email that the service has for this user: the same person. */
export function isServiceEmail(
  { serviceEmail }: OrgUserOutputs,
  { email }: Knowable<OrgUserInputs>,
): boolean {
  return typeof email === "string" && folded(serviceEmail ?? "") === email;
}

/** `adopt` names one membership, for the whole life of the resource. @returns what is wrong */
export function adoptionIssue(
  id: string,
  news: Knowable<OrgUserInputs>,
  isReplaced: boolean,
): string | undefined {
  const adopt = known(news.adopt);
  if (adopt === undefined || (adopt === id) !== isReplaced) return undefined;
  if (isReplaced)
    return `OrgUser ${labelOf(news)}: \`adopt\` (in a roster, \`user_id\`) is still user ${id}, the previous person. Remove it to add ${labelOf(news)} as a new member, or set it to the user id of the new person.`;
  return `OrgUser ${labelOf(news)} is user ${id}, and \`adopt\` (in a roster, \`user_id\`) is user ${adopt}. Remove it; to manage the other membership, declare a second OrgUser.`;
}

export function isTaken(news: OrgUserInputs, context: PlanContext): string {
  return `cannot adopt ${context.people.nameOf(news.adopt ?? "")} as ${labelOf(news)}: another OrgUser of this program manages that user. Set \`adopt\` to the user id of ${labelOf(news)}, or remove one of the two OrgUsers.`;
}

/** The email, otherwise the names. */
export function labelOf(user: Knowable<Partial<OrgUserInputs>>): string {
  const label = known(user.email) ?? names.flatMap((key) => known(user[key]) ?? []).join(" ");
  return label === "" ? "(not known yet)" : label;
}

export function warnAboutRename(
  news: Knowable<OrgUserInputs>,
  olds: Partial<OrgUserInputs> | undefined,
  context: PlanContext,
): void {
  if (olds?.email === undefined || olds.email !== news.email) return;
  const renamed = names.filter((key) => news[key] !== unknown && news[key] !== olds[key]);
  if (renamed.length === 0) return;
  context.warn(
    `OrgUser ${olds.email}: orgseat sends ${renamed.join(" and ")} only when it adds the user. The service keeps the old name, because orgseat does not replace a person to change a name.`,
  );
}

/** @param adoption what to set, to adopt the membership */
export function alreadyMember(refusal: ApiError, who: string, adoption: string): Error {
  return withNextStep(
    refusal,
    `${who} is already a member of the organization. If this OrgUser was renamed or moved in the program, use \`aliases\`. ${IF_FORCED} If another stack or resource manages ${who}, remove one of the two. To adopt the membership, set ${adoption}.`,
    "user-exists",
  );
}

/** For a removal that the service refuses. @param left a seat or a token */
export function whatIsLeft(outs: OrgUserOutputs, left: string): string {
  return `${labelOf(outs)} still has ${left}. If a SeatAssignment and a UserToken of this program manage them, set \`userId: user.id\` on the seat and \`userId: seat.id\` on the token, both without \`deletedWith\`, so that Pulumi removes them first; otherwise remove them in the service.`;
}

export function withAdvice(error: unknown, news: OrgUserInputs): unknown {
  const who = labelOf(news);
  if (isRefused(error, 409))
    return alreadyMember(error, who, "`adopt` to the user id that the service shows");
  if (isRefused(error, 402))
    return withNextStep(error, `${who} was not added. ${RENEW_SUBSCRIPTION}`, "subscription-ended");
  if (!mayHaveSucceeded(error)) return error;
  return withNextStep(
    error,
    `${who} may have been added. Run \`pulumi up\` again: if the service returns 409, adopt the membership: set \`adopt\` to the user id that the service shows for ${who}.`,
    "user-unknown",
  );
}
