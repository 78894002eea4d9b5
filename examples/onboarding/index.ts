// One Onboarding for all newcomers: the service makes each a member with a seat and a token, and mails them both. Edit
// newcomers.ts; `pulumi preview` says how many mails go out, and who stays a member although they leave the list.
import { Onboarding } from "orgseat";
import { attempt, newcomers } from "./newcomers.ts";

const team = new Onboarding("newcomers", { emails: [...newcomers], retry: attempt });

/** What the service said of each, by the email in lower case: inProcess, unavailable, refused, or unknown where its answer was lost. */
export const statuses = team.statuses;

/**
 * Who is not in process: no seat was left, or the email has an account already. Take who has one off the list: an OrgUser
 * adds such a person.
 */
export const waiting = team.statuses.apply((said) =>
  newcomers.filter((email) => said[email.toLowerCase()] !== "inProcess"),
);

/** The seats that were free after the last answer. */
export const availableSeats = team.availableSeats;
