/** The organization area: the messages of its calls. */

import { callsOf, supported } from "./area-calls.ts";
import type { Dialect } from "./calls/dialect.ts";
import type { OrganizationApi, ServiceAccountCalls, TokenCalls, UserCalls } from "./calls/organization.ts";
import type { Credentials } from "./client/credentials.ts";
import type { Sender } from "./client/sender.ts";

/** Every message has the fields of all dialects: paths and schemas use those that theirs has. */
export function organizationApi(
  sender: Sender,
  dialect: Dialect,
  organizationId: string,
  credentials: Credentials,
): OrganizationApi {
  const area: Area = { ...callsOf(sender, credentials), dialect, org: { org_id: organizationId } };
  return { ...serviceAccountCalls(area), ...userCalls(area), ...tokenCalls(area) };
}

interface Area extends ReturnType<typeof callsOf> {
  readonly dialect: Dialect;
  readonly org: { readonly org_id: string };
}

function serviceAccountCalls({ ask, remove, dialect: { calls }, org }: Area): ServiceAccountCalls {
  return {
    createServiceAccount: (name, operation) =>
      ask(calls.createServiceAccount, { variables: org, body: { name } }, operation),
    listServiceAccounts: (operation) => ask(calls.listServiceAccounts, { variables: org }, operation),
    deleteServiceAccount: (clientId, operation) =>
      remove(calls.deleteServiceAccount, { ...org, client_id: clientId }, operation),
  };
}

function userCalls({ ask, remove, dialect, org }: Area): UserCalls {
  const { calls } = dialect;
  return {
    onboardUsers: (emails, operation) =>
      ask(calls.onboardUsers, { variables: org, body: { user_emails: [...emails] } }, operation),
    createUser: (user, operation) => ask(calls.createUser, { variables: org, body: user }, operation),
    listUsers: async (operation) => {
      const query = { include_groups: false };
      return (await ask(supported(dialect, "listUsers"), { variables: org, query }, operation)).items;
    },
    removeUser: (userId, operation) => remove(calls.removeUser, { ...org, user_id: userId }, operation),
    assignSeat: async (userId, operation, { sendEmail = false } = {}) => {
      const query = { send_seat_assigned_email: sendEmail };
      await ask(calls.assignSeat, { variables: { ...org, user_id: userId }, query }, operation);
    },
    removeSeat: (userId, operation) => remove(calls.removeSeat, { ...org, user_id: userId }, operation),
  };
}

function tokenCalls({ ask, remove, dialect, org }: Area): TokenCalls {
  const { calls } = dialect;
  return {
    issueToken: (userId, expiresAt, operation, { sendEmail = false, toleranceMonths } = {}) => {
      const body = {
        expires_at: expiresAt,
        expiration_tolerance_months: toleranceMonths,
        send_token_email: sendEmail,
      };
      return ask(calls.issueToken, { variables: { ...org, user_id: userId }, body }, operation);
    },
    renewToken: (userId, operation, { expiresAt, toleranceMonths } = {}) => {
      const body = {
        is_renewal: expiresAt === undefined,
        expires_at: expiresAt,
        expiration_tolerance_months: toleranceMonths,
      };
      return ask(calls.renewToken, { variables: { ...org, user_id: userId }, body }, operation);
    },
    listTokens: async (userId, operation) => {
      const variables = { ...org, user_id: userId };
      return (await ask(supported(dialect, "listTokens"), { variables }, operation)).items;
    },
    revokeToken: (userId, operation, tokenId) =>
      remove(calls.revokeToken, { ...org, user_id: userId, token_id: tokenId }, operation),
  };
}
