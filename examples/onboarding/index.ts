// One Onboarding for all newcomers: the service makes each a member with a seat and a token, and emails them. Edit
// newcomers.ts; `pulumi preview` shows the number of emails, and who stays a member after leaving the list.
import { Onboarding } from "orgseat";
import { attempt, newcomers } from "./newcomers.ts";

const team = new Onboarding("newcomers", { emails: [...newcomers], resend: attempt });

/** The onboarding status by email in lower case: inProcess, unavailable, refused, or unknown after a lost response. */
export const statuses = team.statuses;

/**
 * The emails that are not in process: no seat was available, or the email already has an account. Remove an email with an
 * account from the list, and add that person with an OrgUser.
 */
export const waiting = team.statuses.apply((statuses) =>
  newcomers.filter((email) => statuses[email.toLowerCase()] !== "inProcess"),
);

/** The seats available after the last response. */
export const availableSeats = team.availableSeats;
