/** The lifecycles of the organization area in the platform `anaconda`, as programs that change step by step. */
import { expect } from "vitest";
import type { OrganizationApi } from "../../provider/api/calls/organization.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { formatInstant, type TimeLimit } from "../../provider/util/instants.ts";
import { member } from "../resources/listed.ts";
import type { DirectResource } from "../setup/direct.ts";
import type { Sandbox } from "../setup/sandbox.ts";

const DAY = 86_400_000;
const inDays = (days: number): string => formatInstant(Date.now() + days * DAY);

const ADA = "ada@acme.example";
const builds = { purpose: "builds" };
const ada = (token: Record<string, unknown> = {}) => member("ada", { email: ADA }, { token });

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
      const [machine] = member("builds", builds);
      for (const email of [ADA, "augusta@acme.example"])
        await stack.settle([member("ada", { email })[0], machine]);
      await stack.remove();
    },
  ],
  [
    "a member with seat and token, renewed, and under another email",
    async (stack) => {
      const one = (args: Record<string, unknown>): DirectResource[] => [
        { type: "OrgMember", name: "ada", args: { email: ADA, seat: true, ...args } },
      ];
      const token = { expiresAt: inDays(60) };
      await stack.settle(one({ token: { expiresAt: inDays(30) } }));
      const value = await stack.outputOf("ada", "tokenValue");
      await stack.settle(one({ token }));
      expect(await stack.outputOf("ada", "tokenValue")).toBe(value);
      await stack.settle(one({ token, email: "augusta@acme.example" }));
      expect(await stack.outputOf("ada", "tokenValue")).not.toBe(value);
      await stack.remove();
    },
  ],
  [
    "seats, one with an email",
    async (stack) => {
      const { organization } = stack;
      const [user, seat] = member("ada", { email: ADA }, { seat: { sendEmail: true } });
      const machine = member("builds", builds).slice(0, 2);
      await stack.settle([user, seat, ...machine]);
      const mails = await organization.service.management.outbox();
      expect(mails.filter(({ kind }) => kind === "seat")).toHaveLength(1);
      await stack.settle([user, ...machine]);
      await stack.remove();
    },
  ],
  [
    "a token that is renewed to the end of the subscription, and rotated",
    async (stack) => {
      const { organization } = stack;
      const { management } = organization.service;
      await stack.settle(ada());
      const value = await stack.outputOf("ada-token", "value");
      const later = inDays(800);
      await management.changeSubscription(organization.organizationId, { expiresAt: later });
      stack.configure("ORGSEAT_SUBSCRIPTION_EXPIRES_AT", later);
      await stack.settle(ada());
      expect(await stack.outputOf("ada-token", "validUntil")).toBe(later);
      expect(await stack.outputOf("ada-token", "value")).toBe(value);
      await stack.settle(ada({ rotation: 1 }));
      expect(await stack.outputOf("ada-token", "value")).not.toBe(value);
      await stack.remove();
    },
  ],
  [
    "a token with an explicit date, later and earlier, and a tolerance",
    async (stack) => {
      await stack.settle(ada({ expiresAt: inDays(30) }));
      const value = await stack.outputOf("ada-token", "value");
      await stack.settle(ada({ expiresAt: inDays(60) }));
      await stack.settle(ada({ expiresAt: inDays(40) }));
      await stack.settle(ada({ expiresAt: inDays(40), expirationToleranceMonths: 1 }));
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
      const token = { adopt: true, expiresAt: inDays(30) };
      await stack.settle(member("ada", { email: ADA, adopt: id }, { seat: { adopt: true }, token }));
      await stack.remove();
      expect(requireList(await org.listUsers(operation)).users.map((user) => user.id)).toContain(id);
    },
  ],
];
