/** The lifecycles of the resources of the organization area at level R, as programs that change step by step. */
import { expect } from "vitest";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import { inDays } from "./calls.ts";
import type { Watched } from "./watched.ts";

const ADA = "ada@acme.example";
const ada = (args: object = {}): DirectResource => ({
  type: "OrgUser",
  name: "ada",
  args: { email: ADA, ...args },
});
const builds: DirectResource = { type: "OrgUser", name: "builds", args: { firstName: "builds" } };
const seatOf = (name: string, args: object = {}): DirectResource => ({
  type: "SeatAssignment",
  name: `${name}-seat`,
  args: { userId: `$${name}.id`, ...args },
});
const tokenOf = (name: string, args: object = {}): DirectResource => ({
  type: "UserToken",
  name: `${name}-token`,
  args: { userId: `$${name}-seat.id`, ...args },
});

/** Applies the program; the preview that follows and a refresh change nothing. */
export async function settled(stack: DirectStack, program: readonly DirectResource[]): Promise<void> {
  expect((await stack.up(program)).errors).toEqual([]);
  expect(await stack.preview(program)).toEqual([]);
  expect((await stack.refresh()).errors).toEqual([]);
  expect(stack.state.size, "a refresh finds everything").toBe(program.length);
  expect(await stack.preview(program), "after a refresh").toEqual([]);
}

export async function removed(stack: DirectStack): Promise<void> {
  expect((await stack.destroy()).errors).toEqual([]);
  expect(stack.state.size).toBe(0);
}

export type Lifecycle = readonly [name: string, live: (watched: Watched) => Promise<void>];

export const lifecycles: readonly Lifecycle[] = [
  [
    "a service account",
    async ({ stack }) => {
      const account = (rotation: number): DirectResource[] => [
        { type: "ServiceAccount", name: "bot", args: { name: "build-bot", rotation } },
      ];
      await settled(stack, account(1));
      await settled(stack, account(2));
      await removed(stack);
    },
  ],
  [
    "a user and a managed user",
    async ({ stack }) => {
      await settled(stack, [ada(), builds]);
      await settled(stack, [ada({ email: "augusta@acme.example" }), builds]);
      await removed(stack);
    },
  ],
  [
    "seats, one with an email",
    async ({ stack, organization }) => {
      await settled(stack, [ada(), seatOf("ada", { sendEmail: true }), builds, seatOf("builds")]);
      const mails = await organization.service.management.outbox();
      expect(mails.filter(({ kind }) => kind === "seat")).toHaveLength(1);
      await settled(stack, [ada(), builds, seatOf("builds")]);
      await removed(stack);
    },
  ],
  [
    "a token that is renewed to the end of the subscription, and rotated",
    async ({ stack, organization }) => {
      const { management } = organization.service;
      const program = (args: object = {}) => [ada(), seatOf("ada"), tokenOf("ada", args)];
      await settled(stack, program());
      const value = stack.state.get("ada-token")?.outs.token;
      const later = inDays(800);
      await management.changeSubscription(organization.organizationId, { expiresAt: later });
      stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = later;
      await settled(stack, program());
      expect(stack.state.get("ada-token")?.outs).toMatchObject({ token: value, validUntil: later });
      await settled(stack, program({ rotation: 1 }));
      expect(stack.state.get("ada-token")?.outs.token).not.toBe(value);
      await removed(stack);
    },
  ],
  [
    "a token with an explicit date, later and earlier, and a tolerance",
    async ({ stack }) => {
      const program = (args: object) => [ada(), seatOf("ada"), tokenOf("ada", args)];
      await settled(stack, program({ expiresAt: inDays(30) }));
      const value = stack.state.get("ada-token")?.outs.token;
      await settled(stack, program({ expiresAt: inDays(60) }));
      await settled(stack, program({ expiresAt: inDays(40) }));
      await settled(stack, program({ expiresAt: inDays(40), expirationToleranceMonths: 1 }));
      expect(stack.state.get("ada-token")?.outs.token).toBe(value);
      await removed(stack);
    },
  ],
  [
    "an onboarding",
    async ({ stack }) => {
      const team = (...emails: string[]): DirectResource[] => [
        { type: "Onboarding", name: "team", args: { emails } },
      ];
      await settled(stack, team(ADA, "eve@acme.example"));
      await settled(stack, team(ADA, "bob@acme.example"));
      await removed(stack);
    },
  ],
  [
    "members who exist already, adopted and released",
    async ({ stack, client: { org, operation } }) => {
      const { id } = await org.createUser({ email: ADA }, operation);
      await org.assignSeat(id, operation);
      await org.issueToken(id, inDays(30), operation);
      const program = [
        ada({ adopt: id }),
        seatOf("ada", { adopt: true }),
        tokenOf("ada", { adopt: true, expiresAt: inDays(30) }),
      ];
      await settled(stack, program);
      await removed(stack);
      expect((await org.listUsers(operation)).map((user) => user.id)).toContain(id);
    },
  ],
];
