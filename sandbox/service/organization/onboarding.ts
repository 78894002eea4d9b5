/** "onboard users": people without an account get a membership, a seat and a token, while seats are available. */
import { z } from "zod";
import { onboardingRequestSchema } from "../../../provider/api/schemas/schemas.ts";
import type { Database } from "../base/database.ts";
import type { Handler, Scope } from "../base/handler.ts";
import { addMember, giveSeat, isMember, requireSubscription } from "./members.ts";
import { freeSeats } from "./organizations.ts";
import { sendEmail } from "./outbox.ts";
import { makeToken } from "./tokens.ts";

const adminRow = z.object({ username: z.string() });

/** In the order of the list. A repeated email, without regard to case, counts once. */
export const onboardUsers: Handler = (scope, body) => {
  requireSubscription(scope);
  const { organization, switches } = scope;
  const accepted: string[] = [];
  const unavailable: string[] = [];
  let free = freeSeats(scope.database, organization);
  for (const email of new Set(onboardingRequestSchema.parse(body).user_emails)) {
    if (hasAccount(scope, email)) {
      if (switches.existingAccount === "unavailable") unavailable.push(email);
    } else if (free === 0) {
      unavailable.push(email);
    } else {
      free -= 1;
      accepted.push(email);
      if (!failsLater(scope, email)) onboard(scope, email);
    }
  }
  notifyAdmins(scope, accepted);
  const count = (seats: number) =>
    switches.seatCounts === "number" && !scope.platform.canListUsers ? seats : String(seats);
  return {
    users_in_onboarding_process: accepted,
    users_unavailable_for_onboarding: unavailable,
    total_organization_seats: count(organization.seats),
    available_organization_seats: count(free),
  };
};

/** Marks the email as one with an account (D20). */
export function addIndividualAccount(database: Database, email: string): void {
  database.run("INSERT OR IGNORE INTO individual_accounts (email) VALUES (?)", email);
}

/** Makes every onboarding of the email fail after the response, which does not show it (rule 4). */
export function failOnboarding(database: Database, email: string): void {
  database.run("INSERT OR IGNORE INTO onboarding_problems (email) VALUES (?)", email);
}

/** Members and admins always have accounts (D20). */
function hasAccount(scope: Scope, email: string): boolean {
  const account =
    "SELECT 1 FROM individual_accounts WHERE email = ?1 UNION ALL SELECT 1 FROM admins WHERE username = ?1";
  return isMember(scope, email) || scope.database.has(account, email);
}

function failsLater({ database }: Scope, email: string): boolean {
  return database.has("SELECT 1 FROM onboarding_problems WHERE email = ?", email);
}

/** Seat and token are as by "assign seat" and "issue token" (D42); the token expires with the subscription. */
function onboard(scope: Scope, email: string): void {
  const { id } = addMember(scope, { email, first_name: null, last_name: null });
  giveSeat(scope, id);
  const token = makeToken(scope, id, scope.organization.subscription_expires_at);
  sendEmail(scope, {
    recipient: email,
    kind: "welcome",
    text: "Welcome: you are a member of the organization now.",
  });
  sendEmail(scope, {
    recipient: email,
    kind: "token",
    text: `Your private access token for the package repository: ${token}`,
  });
}

/** Sends one email to each admin, if a member was added. */
function notifyAdmins(scope: Scope, added: readonly string[]): void {
  if (added.length === 0) return;
  const admins = scope.database.all(
    adminRow,
    `SELECT username FROM admins JOIN users USING (id)
     WHERE admins.organization_id = ? AND role = 'admin' ORDER BY admins.rowid`,
    scope.organization.id,
  );
  for (const { username } of admins) {
    sendEmail(scope, { recipient: username, kind: "users-added", text: `Added: ${added.join(", ")}` });
  }
}
