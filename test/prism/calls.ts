/** Every call of the organization area as it succeeds, and every error that the service has for it. */
import { expect } from "vitest";
import { inDays } from "../lifecycle/lifecycles.ts";
import type { Watched } from "./watched.ts";

const NOBODY = "0b5c9a2e-1d7f-4c3a-9e2b-7d1f0a6b4c8d";
const ADA = "ada@acme.example";

export async function everyCallOfOrganization({ client: { org, operation } }: Watched): Promise<void> {
  const { client_id } = await org.createServiceAccount("prism", operation);
  await org.listServiceAccounts(operation);
  expect(await org.deleteServiceAccount(client_id, operation)).toBe("deleted");
  await org.onboardUsers(["eve@acme.example", "bob@acme.example"], operation);
  const { id } = await org.createUser({ email: ADA, first_name: "Ada", last_name: null }, operation);
  const managed = await org.createUser({ first_name: "nightly", last_name: "builds" }, operation);
  await org.assignSeat(id, operation);
  await org.assignSeat(managed.id, operation, { sendEmail: true });
  await org.issueToken(id, inDays(30), operation);
  await org.issueToken(managed.id, inDays(30), operation, { sendEmail: true, toleranceMonths: 1 });
  expect((await org.listUsers(operation)).map(({ email }) => email)).toContain(ADA);
  await org.renewToken(id, operation);
  await org.renewToken(id, operation, { expiresAt: inDays(20), toleranceMonths: 2 });
  const [token] = await org.listTokens(id, operation);
  expect(await org.revokeToken(id, operation, token?.id)).toBe("deleted");
  expect(await org.listTokens(id, operation)).toMatchObject([{ id: token?.id, revoked: true }]);
  expect(await org.removeSeat(id, operation)).toBe("deleted");
  expect(await org.removeUser(id, operation)).toBe("deleted");
}

export type Failing = (watched: Watched) => Promise<unknown>;

/** What the service refuses in the organization area, with the status. */
export const organizationErrors: readonly (readonly [name: string, status: number, Failing])[] = [
  [
    "add user who is a member already",
    422,
    async (watched) => {
      await addAda(watched);
      return watched.client.org.createUser({ email: "ADA@acme.example" }, watched.client.operation);
    },
  ],
  [
    "assign seat to an unknown user",
    404,
    ({ client: { org, operation } }) => org.assignSeat(NOBODY, operation),
  ],
  [
    "assign seat to a user with a seat",
    409,
    async (watched) => watched.client.org.assignSeat(await addAda(watched, "seat"), watched.client.operation),
  ],
  [
    "assign seat without a free seat",
    402,
    async (watched) => {
      const { management } = watched.organization.service;
      await management.changeSubscription(watched.organization.organizationId, { seats: 0 });
      return watched.client.org.assignSeat(await addAda(watched), watched.client.operation);
    },
  ],
  [
    "assign seat after the subscription has ended",
    402,
    async (watched) => {
      const id = await addAda(watched);
      await endSubscription(watched);
      return watched.client.org.assignSeat(id, watched.client.operation);
    },
  ],
  [
    "add user after the subscription has ended",
    422,
    async (watched) => {
      await endSubscription(watched);
      return watched.client.org.createUser({ email: ADA }, watched.client.operation);
    },
  ],
  [
    "onboard users after the subscription has ended",
    422,
    async (watched) => {
      await endSubscription(watched);
      return watched.client.org.onboardUsers([ADA], watched.client.operation);
    },
  ],
  [
    "issue token after the subscription has ended",
    422,
    async (watched) => {
      const id = await addAda(watched, "seat");
      await endSubscription(watched);
      return watched.client.org.issueToken(id, inDays(30), watched.client.operation);
    },
  ],
  [
    "issue token to an unknown user",
    422,
    ({ client: { org, operation } }) => org.issueToken(NOBODY, inDays(30), operation),
  ],
  [
    "issue token that has expired",
    422,
    async (watched) =>
      watched.client.org.issueToken(await addAda(watched, "seat"), inDays(-1), watched.client.operation),
  ],
  [
    "renew token of an unknown user",
    422,
    ({ client: { org, operation } }) => org.renewToken(NOBODY, operation),
  ],
  [
    "renew token of a user without one",
    422,
    async (watched) => watched.client.org.renewToken(await addAda(watched), watched.client.operation),
  ],
  [
    "list tokens of an unknown user",
    422,
    ({ client: { org, operation } }) => org.listTokens(NOBODY, operation),
  ],
  [
    "remove user with a seat",
    409,
    async (watched) => watched.client.org.removeUser(await addAda(watched, "seat"), watched.client.operation),
  ],
  [
    "remove user with a token",
    409,
    async (watched) =>
      watched.client.org.removeUser(await addAda(watched, "token"), watched.client.operation),
  ],
];

/** What a removal finds gone: a 404. */
export const absent: readonly (readonly [name: string, Failing])[] = [
  ["delete service account", ({ client: { org, operation } }) => org.deleteServiceAccount(NOBODY, operation)],
  ["remove user", ({ client: { org, operation } }) => org.removeUser(NOBODY, operation)],
  [
    "remove seat",
    async (watched) => watched.client.org.removeSeat(await addAda(watched), watched.client.operation),
  ],
  [
    "revoke token",
    async (watched) =>
      watched.client.org.revokeToken(await addAda(watched), watched.client.operation, NOBODY),
  ],
  [
    "revoke token that is revoked",
    async (watched) => {
      const { org, operation } = watched.client;
      const user = await addAda(watched, "token");
      const [{ id } = { id: "" }] = await org.listTokens(user, operation);
      expect(await org.revokeToken(user, operation, id)).toBe("deleted");
      return org.revokeToken(user, operation, id);
    },
  ],
];

/** @returns the id of the user */
async function addAda({ client: { org, operation } }: Watched, ...more: ("seat" | "token")[]) {
  const { id } = await org.createUser({ email: ADA }, operation);
  if (more.includes("seat")) await org.assignSeat(id, operation);
  if (more.includes("token")) await org.issueToken(id, inDays(30), operation);
  return id;
}

async function endSubscription({ organization }: Watched): Promise<void> {
  const { management } = organization.service;
  await management.changeSubscription(organization.organizationId, { expiresAt: inDays(-1) });
}
