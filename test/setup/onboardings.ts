/** Random organizations into which people are onboarded, what has to come of each run, and what is true after all. */
import fc from "fast-check";
import { expect } from "vitest";
import { z } from "zod";
import { type FaultRule, type OrganizationSeed, sandboxServiceAccount } from "../../sandbox/service/index.ts";
import type { InterceptingProxy } from "./intercepting-proxy.ts";
import { callService, type Sandbox } from "./sandbox.ts";

const PEOPLE = Array.from({ length: 8 }, (_, index) => `p${index}@acme.example`);

/** What becomes of a call 4: what a service refuses it never does; of the rest no one knows. */
const troubles = {
  "cut before": { kind: "cut-before" },
  "cut after": { kind: "cut-after" },
  "cut in the middle": { kind: "cut-middle" },
  failed: { kind: "refuse", status: 500 },
  refused: { kind: "refuse", status: 402 },
} as const satisfies Record<string, FaultRule["fault"]>;
type Trouble = keyof typeof troubles;

const stepArbitrary = fc.record({
  /** The people of the list, some of them twice, some in capitals. */
  list: fc.array(fc.record({ email: fc.constantFrom(...PEOPLE), capitals: fc.boolean() }), { maxLength: 10 }),
  resend: fc.constantFrom(undefined, 1, 2),
  trouble: fc.option(fc.constantFrom(...(Object.keys(troubles) as Trouble[])), { nil: undefined, freq: 2 }),
  moreSeats: fc.nat({ max: 2 }),
  /** How often the program is applied. */
  runs: fc.integer({ min: 1, max: 3 }),
  /** Whether the state of before is lost, as by a kill between the service's commit and the state's write. */
  forgotten: fc.option(fc.constant(true), { nil: false, freq: 4 }),
});
export type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

export const onboardingArbitrary = fc.record({
  seats: fc.nat({ max: 6 }),
  members: fc.subarray(PEOPLE, { maxLength: 2 }),
  accounts: fc.subarray(PEOPLE, { maxLength: 3 }),
  /** People whose onboarding goes wrong after the answer (call 4, rule 4). */
  unlucky: fc.subarray(PEOPLE, { maxLength: 2 }),
  existingAccount: fc.constantFrom("unavailable", "neither"),
  seatCounts: fc.constantFrom("number", "text"),
  steps: fc.array(stepArbitrary, { minLength: 1, maxLength: 4 }),
});
export type RandomOrganization = typeof onboardingArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** The seed of a sandbox for these: a reset keeps the service account. */
export const onboardingSeed = {
  seats: 0,
  serviceAccount: sandboxServiceAccount,
} satisfies Partial<OrganizationSeed>;

/** The inputs of an Onboarding. */
export function argsOf({ list, resend }: Step): Record<string, unknown> {
  const emails = list.map(({ email, capitals }) => (capitals ? email.toUpperCase() : email));
  return resend === undefined ? { emails } : { emails, resend };
}

/** One organization: what the service has, and what one Onboarding knows of it. */
export class Expectation {
  readonly #organization: RandomOrganization;
  readonly #sandbox: Sandbox;
  readonly #proxy: InterceptingProxy;
  readonly #members: Set<string>;
  readonly #onboarded = new Set<string>();
  #seats: number;
  #statuses = new Map<string, string>();
  /** Whoever was ever unknown. */
  #perhaps = new Set<string>();
  #resend: number | undefined;
  /** What still waits for the next call 4. */
  #trouble: Trouble | undefined;

  private constructor(organization: RandomOrganization, sandbox: Sandbox, proxy: InterceptingProxy) {
    this.#organization = organization;
    this.#sandbox = sandbox;
    this.#proxy = proxy;
    this.#members = new Set(organization.members);
    this.#seats = organization.seats;
  }

  /** Makes the sandbox so. @param proxy in front of it; its record begins now */
  static async prepare(
    organization: RandomOrganization,
    sandbox: Sandbox,
    proxy: InterceptingProxy,
  ): Promise<Expectation> {
    const { management } = sandbox.service;
    const { members, accounts, unlucky, existingAccount, seatCounts, seats } = organization;
    await management.reset();
    await management.setSwitches({ existingAccount, seatCounts });
    await management.changeSubscription(sandbox.organizationId, { seats });
    for (const email of accounts) await management.addAccount(email);
    for (const email of unlucky) await management.failOnboarding(email);
    if (members.length > 0) await addMembers(sandbox, members);
    proxy.passed.length = 0;
    return new Expectation(organization, sandbox, proxy);
  }

  /** What happens before a step: seats are bought, a fault waits, the state may be lost. */
  async begin({ moreSeats, trouble, forgotten }: Step): Promise<void> {
    const { management } = this.#sandbox.service;
    this.#seats += moreSeats;
    await management.changeSubscription(this.#sandbox.organizationId, { seats: this.#seats });
    await management.clearFaults();
    this.#trouble = trouble;
    if (trouble !== undefined) await management.addFaults({ match: { call: 4 }, fault: troubles[trouble] });
    if (!forgotten) return;
    this.#statuses = new Map();
    this.#perhaps = new Set();
    this.#resend = undefined;
  }

  /** Looks at everything after one run of a step. @param statuses those of the state. @returns the emails that were sent */
  async afterRun(step: Step, failed: boolean, statuses: unknown): Promise<string[]> {
    const list = [...new Set(step.list.map(({ email }) => email))];
    const sent = list.filter((email) => {
      const status = this.#statuses.get(email);
      return status === undefined || (step.resend !== this.#resend && status !== "inProcess");
    });
    const trouble = sent.length > 0 ? this.#trouble : undefined;
    if (sent.length > 0) this.#trouble = undefined;
    const answer =
      sent.length > 0 && !isBeforeEffect(trouble) ? this.#serve(sent) : new Map<string, string>();
    if (trouble !== "refused") {
      for (const email of sent) {
        this.#statuses.set(email, trouble === undefined ? (answer.get(email) ?? "refused") : "unknown");
        if (trouble !== undefined) this.#perhaps.add(email);
      }
      this.#resend = step.resend;
      for (const [email, status] of this.#statuses) {
        if (!list.includes(email) && status !== "inProcess" && !this.#perhaps.has(email))
          this.#statuses.delete(email);
      }
    }
    expect(this.#sentSince(), "what was sent").toEqual(sent.length === 0 ? [] : [sent]);
    expect(failed, "whether the run failed").toBe(trouble !== undefined);
    if (trouble !== "refused") {
      const expected = Object.fromEntries(list.map((email) => [email, this.#statuses.get(email)]));
      expect(statuses, "one status per email").toEqual(expected);
    }
    await this.#expectSoundService();
    return sent;
  }

  /** What call 4 does, by its rules 2, 3 and 4. */
  #serve(emails: readonly string[]): Map<string, string> {
    const { accounts, unlucky, existingAccount } = this.#organization;
    const answer = new Map<string, string>();
    let free = this.#seats - this.#onboarded.size;
    for (const email of emails) {
      if (this.#members.has(email) || accounts.includes(email)) {
        if (existingAccount === "unavailable") answer.set(email, "unavailable");
      } else if (free === 0) answer.set(email, "unavailable");
      else {
        free -= 1;
        answer.set(email, "inProcess");
        if (unlucky.includes(email)) continue;
        this.#members.add(email);
        this.#onboarded.add(email);
      }
    }
    return answer;
  }

  #sentSince(): unknown[] {
    const calls = this.#proxy.passed
      .splice(0)
      .filter(({ path }) => path.endsWith("/users_auto_registration"));
    return calls.map(({ body }) => bodySchema.parse(JSON.parse(body)).user_emails);
  }

  /** The right members, seats never above the total, no one two mails of a kind. */
  async #expectSoundService(): Promise<void> {
    const { management } = this.#sandbox.service;
    const { users, organizations, tokens } = await management.snapshot();
    expect(users.map(({ email }) => email).toSorted()).toEqual([...this.#members].toSorted());
    const [{ seats = 0, seatsHeld = 0 } = {}] = organizations;
    expect(seatsHeld).toBe(this.#onboarded.size);
    expect(seatsHeld).toBeLessThanOrEqual(seats);
    expect(tokens).toHaveLength(seatsHeld);
    const mails = (await management.outbox()).filter(({ kind }) => kind !== "users-added");
    const received = mails.map(({ recipient, kind }) => `${recipient}: ${kind}`).toSorted();
    const due = [...this.#onboarded].flatMap((email) => [`${email}: token`, `${email}: welcome`]);
    expect(received, "two mails to each new user, however often it is applied").toEqual(due.toSorted());
  }
}

const bodySchema = z.object({ user_emails: z.array(z.string()) });

function isBeforeEffect(trouble: Trouble | undefined): boolean {
  return trouble === "cut before" || trouble === "failed" || trouble === "refused";
}

async function addMembers(sandbox: Sandbox, emails: readonly string[]): Promise<void> {
  const { clientId, clientSecret } = sandboxServiceAccount;
  await callService(sandbox, { serviceAccount: { clientId, clientSecret } }, async (api, operation) => {
    for (const email of emails) await api.createUser({ email }, operation);
  });
}
