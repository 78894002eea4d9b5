/** Users, seats and tokens: any sequence of calls against a model of the contract, in both platforms. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { platformNames } from "../../../provider/api/calls/platform.ts";
import { issuedTokenSchema, onboardingResultSchema } from "../../../provider/api/schemas/schemas.ts";
import { formatInstant } from "../../../provider/util/instants.ts";
import { checkCases } from "../../setup/cases.ts";
import { run } from "../../setup/runs.ts";
import { DocumentedCalls } from "./documented-calls.ts";
import { type Answer, codeOf, DAY_MS, fieldsOf, type Sandbox, START, startSandbox } from "./harness.ts";
import { type ModelCall, OrganizationModel, type Outcome } from "./organization-model.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const SEATS = 2;
/** Of a case. CI and the full run have longer ones. */
const STEPS = run === "quick" ? 25 : 50;
const END = START + 6 * DAY_MS;

/** Few of each, so that they meet. */
const email = fc.constantFrom("ada@acme.example", "Ada@ACME.example", "eve@acme.example", "max@acme.example");
const user = fc.nat(2);
const time = fc.integer({ min: -1, max: 12 }).map((days) => START + days * DAY_MS);
const kind = <const Kind extends string>(...names: Kind[]) => fc.constantFrom(...names);
const often = 4;
const step = fc.oneof(
  { weight: often, arbitrary: fc.record({ kind: kind("createUser"), email: fc.option(email, { freq: 2 }) }) },
  { weight: 2 * often, arbitrary: fc.record({ kind: kind("assignSeat", "removeSeat"), user }) },
  {
    weight: often,
    arbitrary: fc.record({ kind: kind("onboardUsers"), emails: fc.array(email, { maxLength: 4 }) }),
  },
  { weight: often, arbitrary: fc.record({ kind: kind("issueToken"), user, until: time }) },
  { weight: often, arbitrary: fc.record({ kind: kind("revokeToken"), user, token: user }) },
  {
    weight: often,
    arbitrary: fc.record({ kind: kind("renewToken"), user, until: fc.option(time, { nil: undefined }) }),
  },
  fc.record({ kind: kind("removeUser"), user }),
  fc.record({ kind: kind("days"), count: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: kind("subscription"), until: time }),
  fc.record({ kind: kind("seats"), count: fc.nat(4) }),
  fc.record({ kind: kind("account", "problem"), email }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The service and its model. */
class Twins {
  readonly sandbox: Sandbox;
  readonly calls: DocumentedCalls;
  readonly model: OrganizationModel;
  /** By their values. */
  readonly #issued = new Map<string, OrganizationModel["tokens"][number]>();

  constructor(sandbox: Sandbox, calls: DocumentedCalls) {
    this.sandbox = sandbox;
    this.calls = calls;
    const { platform, seed } = sandbox.service;
    this.model = new OrganizationModel(platform, {
      now: START,
      seats: SEATS,
      end: END,
      admin: seed.username,
    });
  }

  /** Takes a step on both sides, and compares the answers. */
  async take(step: Step): Promise<void> {
    const { model } = this;
    switch (step.kind) {
      case "createUser":
        return this.#call(step.kind, model.createUser(step.email), {
          ...(step.email && { email: step.email }),
        });
      case "onboardUsers":
        return this.#call(step.kind, model.onboardUsers(step.emails), { user_emails: step.emails });
      case "assignSeat":
      case "removeSeat":
      case "removeUser":
        return this.#callOn(step, (user) => model[step.kind](user));
      case "issueToken":
        return this.#callOn(step, (user) => model.issueToken(user, step.until), {
          expires_at: formatInstant(step.until),
        });
      case "renewToken":
        return this.#callOn(step, (user) => model.renewToken(user, step.until), {
          ...(step.until === undefined ? { is_renewal: true } : { expires_at: formatInstant(step.until) }),
        });
      case "revokeToken":
        return this.#callOn(step, (user) => model.revokeToken(user, model.tokens[step.token]));
      default:
        return this.#change(step);
    }
  }

  /** What the management side does. */
  async #change(step: Exclude<Step, { kind: ModelCall }>): Promise<void> {
    const { management, organizationId } = this.sandbox;
    switch (step.kind) {
      case "days":
        await management.advance(step.count * DAY_MS);
        this.model.now += step.count * DAY_MS;
        // Access tokens live for 15 minutes.
        return this.sandbox.signInAccount();
      case "subscription":
        this.model.renewSubscription(step.until);
        return management.changeSubscription(organizationId, { expiresAt: formatInstant(step.until) });
      case "seats":
        this.model.seats = step.count;
        return management.changeSubscription(organizationId, { seats: step.count });
      case "account":
        this.model.accounts.add(step.email.toLowerCase());
        return management.addAccount(step.email);
      case "problem":
        this.model.problems.add(step.email.toLowerCase());
        return management.failOnboarding(step.email);
    }
  }

  async #callOn(
    { kind, ...step }: Extract<Step, { kind: ModelCall; user: number }>,
    play: (user: OrganizationModel["users"][number] | undefined) => Outcome,
    body?: object,
  ): Promise<void> {
    const { users, tokens } = await this.sandbox.management.snapshot();
    const user_id = users[step.user]?.userId ?? NOBODY;
    const token_id = ("token" in step ? tokens[step.token]?.tokenId : undefined) ?? NOBODY;
    return this.#call(kind, play(this.model.users[step.user]), body, { user_id, token_id });
  }

  async #call(name: ModelCall, [status, says]: Outcome, body?: object, variables = {}): Promise<void> {
    const answer = await this.calls.send(name, variables, { body });
    expect([name, answer.status, saidBy(name, answer)]).toEqual([name, status, says]);
    const token = this.model.tokens.at(-1);
    if (name === "issueToken" && answer.status === 200 && token)
      this.#issued.set(issuedTokenSchema.parse(answer.body).token, token);
  }

  /** Compares what both have. */
  async compare(): Promise<void> {
    const { model } = this;
    const { users, tokens, organizations } = await this.sandbox.management.snapshot();
    expect(users.map(({ email, seat, managed }) => ({ email, seat, managed }))).toEqual(
      model.users.map(({ email, seat }) => ({ email, seat, managed: email === null })),
    );
    expect(organizations[0]?.seatsHeld).toBe(model.users.filter(({ seat }) => seat).length);
    expect(tokens.map(({ userId, expiresAt, revoked }) => [userId, expiresAt, revoked])).toEqual(
      model.tokens.map(({ user, expires, revoked }) => [
        users[model.users.indexOf(user)]?.userId,
        formatInstant(expires),
        revoked,
      ]),
    );
    const sent = (await this.sandbox.management.outbox()).map(
      ({ recipient, kind }) => `${kind} ${recipient}`,
    );
    expect(sent).toEqual(model.emails);
  }

  /** Compares which values the package repository accepts. */
  async compareValues(): Promise<void> {
    for (const [value, token] of this.#issued)
      expect(await this.sandbox.management.probe(value)).toMatchObject({ live: this.model.isLive(token) });
  }

  /** The same of what the platform `anaconda` lists. */
  async compareLists(): Promise<void> {
    const { model } = this;
    const { items } = listedUsersSchema.parse((await this.calls.send("listUsers")).body);
    const members = items.filter(({ role }) => role === "member");
    expect(members.map(({ email, subscriptions }) => [email, subscriptions.length > 0])).toEqual(
      model.users.map(({ email, seat }, index) => [
        email ?? `${members[index]?.id}@managed.acme.example`,
        seat,
      ]),
    );
    for (const [index, { id }] of members.entries()) {
      const listed = listedTokensSchema.parse(
        (await this.calls.send("listTokens", { user_id: id })).body,
      ).items;
      const own = model.tokens.filter(({ user }) => user === model.users[index]);
      expect(listed).toMatchObject(
        own.map(({ expires, revoked }) => ({ expires_at: formatInstant(expires), revoked })),
      );
      expect(listed).toHaveLength(own.length);
    }
  }
}

const listedUsersSchema = z.object({
  items: z.array(
    z.object({ id: z.string(), email: z.string(), role: z.string(), subscriptions: z.array(z.string()) }),
  ),
});
const listedTokensSchema = z.object({ items: z.array(z.looseObject({})) });
const expirySchema = z.object({ expires_at: z.string() });

/** The code or the field of a refusal; of a success the date, or whom an onboarding accepts. */
function saidBy(name: ModelCall, answer: Answer): unknown {
  if (answer.status === 422) return fieldsOf(answer).join();
  if (answer.status >= 400) return codeOf(answer);
  if (name === "issueToken" || name === "renewToken")
    return expirySchema.safeParse(answer.body).data?.expires_at;
  const { body } = answer;
  if (name === "createUser") return { ...z.looseObject({}).parse(body), id: "made" };
  if (name !== "onboardUsers") return undefined;
  const { users_in_onboarding_process: accepted, users_unavailable_for_onboarding: unavailable } =
    onboardingResultSchema.parse(body);
  const counts = z.looseObject({}).parse(body);
  return {
    ...{ accepted, unavailable, total: counts.total_organization_seats },
    left: counts.available_organization_seats,
  };
}

describe("users, seats and tokens", () => {
  it.each(platformNames)(
    "call 4, rule 2, call 4, rule 3, call 4, rule 4, call 4, rule 5, call 5, rule 6, rule 9, limit 3, transition: membership POST users, transition: membership POST users_auto_registration, transition: membership DELETE, transition: seat POST, transition: seat DELETE, transition: token POST, transition: token PATCH, transition: token DELETE, transition: subscription renewed, D6, D13, D14, D15, D16, D17, D18, D20, D35, D36, D38, D39, D40, D41, D42, D44: answer and change as the model does in the platform %s",
    async (platform) => {
      const seed = { seats: SEATS, subscriptionExpiresAt: formatInstant(END) };
      const sandbox = await startSandbox({ platform, seed });
      const calls = await DocumentedCalls.open(sandbox);
      await checkCases(
        { name: `the sandbox and its model, ${platform}`, level: "R", cases: 500 },
        fc.array(step, { minLength: STEPS - 10, maxLength: STEPS }),
        async (steps) => {
          await sandbox.management.reset();
          await sandbox.signIn();
          await sandbox.makeAccount();
          const twins = new Twins(sandbox, calls);
          for (const [index, one] of steps.entries()) {
            await twins.take(one);
            if (index % 5 === 4) await twins.compare();
          }
          await twins.compare();
          await twins.compareValues();
          if (platform === "anaconda") await twins.compareLists();
        },
      );
    },
  );

  it("limit 2: machine users can be any number, with one name, whatever the seats", async () => {
    const sandbox = await startSandbox({ seed: { seats: 1 } });
    const names = { first_name: "nightly", last_name: "build" };
    for (let count = 0; count < 120; count++) await sandbox.addUser(names);
    const { users } = await sandbox.management.snapshot();
    const { first_name: firstName, last_name: lastName } = names;
    expect(users).toMatchObject(Array(120).fill({ managed: true, email: null, firstName, lastName }));
  });
});
