/** The lifecycles of the organization area in the platform `anaconda`, as programs that change step by step. */
import { expect } from "vitest";
import type { OrganizationApi } from "../../provider/api/calls/organization.ts";
import { formatInstant, type TimeLimit } from "../../provider/util/instants.ts";
import type { DirectResource } from "../setup/direct.ts";
import type { Sandbox } from "../setup/sandbox.ts";

const DAY = 86_400_000;
export const inDays = (days: number): string => formatInstant(Date.now() + days * DAY);

const ADA = "ada@acme.example";
const ada = (args: object = {}): DirectResource => ({
  type: "OrgUser",
  name: "ada",
  args: { email: ADA, ...args },
});
const builds: DirectResource = { type: "OrgUser", name: "builds", args: { purpose: "builds" } };
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

/** A stack that lives through programs, at level R or E. */
export interface LivingStack {
  readonly organization: Sandbox;
  /** The organization, without a resource. */
  readonly org: OrganizationApi;
  readonly operation: TimeLimit;
  /** Applies a program. The preview that follows, a refresh, and the preview after it change nothing. */
  settle(program: readonly DirectResource[]): Promise<void>;
  /** Destroys everything. */
  remove(): Promise<void>;
  /** Sets a variable of the configuration. */
  configure(variable: string, value: string): void;
  /** An output, a secret one in the clear. */
  outputOf(name: string, output: string): Promise<unknown>;
}

export type Lifecycle = readonly [name: string, live: (stack: LivingStack) => Promise<void>];

export const lifecycles: readonly Lifecycle[] = [
  [
    "a service account",
    async (stack) => {
      const account = (rotation: number): DirectResource[] => [
        { type: "ServiceAccount", name: "bot", args: { name: "build-bot", rotation } },
      ];
      await stack.settle(account(1));
      await stack.settle(account(2));
      await stack.remove();
    },
  ],
  [
    "a user and a machine user",
    async (stack) => {
      await stack.settle([ada(), builds]);
      await stack.settle([ada({ email: "augusta@acme.example" }), builds]);
      await stack.remove();
    },
  ],
  [
    "seats, one with an email",
    async (stack) => {
      const { organization } = stack;
      await stack.settle([ada(), seatOf("ada", { sendEmail: true }), builds, seatOf("builds")]);
      const mails = await organization.service.management.outbox();
      expect(mails.filter(({ kind }) => kind === "seat")).toHaveLength(1);
      await stack.settle([ada(), builds, seatOf("builds")]);
      await stack.remove();
    },
  ],
  [
    "a token that is renewed to the end of the subscription, and rotated",
    async (stack) => {
      const { organization } = stack;
      const { management } = organization.service;
      const program = (args: object = {}) => [ada(), seatOf("ada"), tokenOf("ada", args)];
      await stack.settle(program());
      const value = await stack.outputOf("ada-token", "value");
      const later = inDays(800);
      await management.changeSubscription(organization.organizationId, { expiresAt: later });
      stack.configure("ORGSEAT_SUBSCRIPTION_EXPIRES_AT", later);
      await stack.settle(program());
      expect(await stack.outputOf("ada-token", "validUntil")).toBe(later);
      expect(await stack.outputOf("ada-token", "value")).toBe(value);
      await stack.settle(program({ rotation: 1 }));
      expect(await stack.outputOf("ada-token", "value")).not.toBe(value);
      await stack.remove();
    },
  ],
  [
    "a token with an explicit date, later and earlier, and a tolerance",
    async (stack) => {
      const program = (args: object) => [ada(), seatOf("ada"), tokenOf("ada", args)];
      await stack.settle(program({ expiresAt: inDays(30) }));
      const value = await stack.outputOf("ada-token", "value");
      await stack.settle(program({ expiresAt: inDays(60) }));
      await stack.settle(program({ expiresAt: inDays(40) }));
      await stack.settle(program({ expiresAt: inDays(40), expirationToleranceMonths: 1 }));
      expect(await stack.outputOf("ada-token", "value")).toBe(value);
      await stack.remove();
    },
  ],
  [
    "an onboarding",
    async (stack) => {
      const team = (...emails: string[]): DirectResource[] => [
        { type: "Onboarding", name: "team", args: { emails } },
      ];
      await stack.settle(team(ADA, "eve@acme.example"));
      await stack.settle(team(ADA, "bob@acme.example"));
      await stack.remove();
    },
  ],
  [
    "members who exist already, adopted and released",
    async (stack) => {
      const { org, operation } = stack;
      const { id } = await org.createUser({ email: ADA }, operation);
      await org.assignSeat(id, operation);
      await org.issueToken(id, inDays(30), operation);
      const program = [
        ada({ adopt: id }),
        seatOf("ada", { adopt: true }),
        tokenOf("ada", { adopt: true, expiresAt: inDays(30) }),
      ];
      await stack.settle(program);
      await stack.remove();
      expect((await org.listUsers(operation)).map((user) => user.id)).toContain(id);
    },
  ],
];
