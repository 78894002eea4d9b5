/** The chapters of the tour. Each prints what happens, and checks it. */
import { MACHINE, type Roster } from "./program.ts";
import { expectThat, type Scene } from "./scene.ts";

export interface Chapter {
  readonly title: string;
  tell(scene: Scene): Promise<void>;
}

const [ada, grace, katherine, radia] = ["ada", "grace", "katherine", "radia"].map(
  (name) => `${name}@acme.example`,
) as [string, string, string, string];

/** The first number of seats: one for each member of the first program. */
export const SEATS = 4;

const first: Roster = { people: [ada, grace, katherine], rotation: 1 };
const withoutGrace: Roster = { people: [ada, katherine], rotation: 1 };
const rotated: Roster = { ...withoutGrace, rotation: 2 };
const withRadia: Roster = { people: [ada, katherine, radia], rotation: 2 };

export const chapters: readonly Chapter[] = [
  {
    title: "Three people and a machine join",
    async tell(scene) {
      scene.program(first);
      const { subscriptionExpiresAt } = scene.service.seed;
      const { calls } = await scene.up(
        "succeeds",
        "-c",
        `orgseat:subscriptionExpiresAt=${subscriptionExpiresAt}`,
      );
      for (const who of [...first.people, MACHINE]) expectCalls(calls, who, [5, 6, 7]);
      scene.say("  Among the resources that Pulumi counts are the stack and one component for each member.");
    },
  },
  {
    title: "Nothing has changed, so nothing happens",
    async tell(scene) {
      const { calls } = await scene.up("succeeds", "--skip-preview");
      expectThat(calls.size === 0, "calls were made although nothing has changed");
    },
  },
  {
    title: "The subscription is renewed at the service; the preview shows the renewals",
    async tell(scene) {
      const before = await scene.tokens();
      const { organizationId } = scene.service.seed;
      const expiresAt = renewedEnd(scene);
      await scene.service.management.changeSubscription(organizationId, { expiresAt });
      expectThat(sameTokens(before, await scene.tokens()), "a token moved by itself");
      scene.say(`  The subscription now runs to ${expiresAt}. No token has moved by that.`);
      scene.say("  The configuration of the stack is told so, too:");
      const { words, calls } = await scene.preview("-c", `orgseat:subscriptionExpiresAt=${expiresAt}`);
      const renewals = words.messages.filter((line) => line.includes("call 8 renews it, same value"));
      expectThat(renewals.length === before.size, `the preview shows ${renewals.length} renewals`);
      expectThat(calls.size === 0, "the preview made calls");
    },
  },
  {
    title: "`up` renews the tokens, and their values stay",
    async tell(scene) {
      const before = await scene.tokens();
      const { calls } = await scene.up("succeeds", "--skip-preview");
      const after = await scene.tokens();
      for (const [who, { hash }] of before) {
        expectCalls(calls, who, [8]);
        const { expiresAt } = after.get(who) ?? {};
        expectThat(expiresAt === renewedEnd(scene), `the token of ${who} ends ${expiresAt}`);
        expectThat(after.get(who)?.hash === hash, `the token of ${who} has another value`);
        scene.say(`  ${who}: valid until ${expiresAt}, value unchanged`);
      }
    },
  },
  {
    title: "Grace leaves: her token, her seat, her membership, in this order",
    async tell(scene) {
      scene.program(withoutGrace);
      const { calls } = await scene.up("succeeds");
      expectCalls(calls, grace, [9, 10, 11]);
      expectThat(calls.size === 1, "calls were made about others");
    },
  },
  {
    title: `The token of ${MACHINE} is rotated`,
    async tell(scene) {
      const before = await scene.tokens();
      scene.program(rotated);
      const { calls } = await scene.up("succeeds");
      expectCalls(calls, MACHINE, [9, 7]);
      const after = await scene.tokens();
      for (const [who, { hash }] of before) {
        const same = after.get(who)?.hash === hash;
        expectThat(
          same !== (who === MACHINE),
          `the token of ${who} has ${same ? "the same" : "another"} value`,
        );
        scene.say(`  ${who}: value ${same ? "unchanged" : "new"}`);
      }
    },
  },
  {
    title: "Seats run out",
    async tell(scene) {
      await changeSeats(scene, SEATS - 1);
      scene.say(`  The organization now has ${SEATS - 1} seats, and all are taken.`);
      scene.program(withRadia);
      const { words, calls } = await scene.up("fails", "--skip-preview");
      const clear = words.messages.some(
        (line) => line.includes("402") && line.includes(`No seat is free for ${radia}`),
      );
      expectThat(clear, `no message says that no seat is free for ${radia}`);
      expectCalls(calls, radia, [5, 6]);
      const member = (await scene.state()).members.find(({ name }) => name === radia);
      expectThat(member?.seat === false, `the state does not have ${radia} without a seat`);
      scene.say(`  ${radia} is in the state, without a seat.`);
    },
  },
  {
    title: "A seat is bought, and the next `up` goes on from there",
    async tell(scene) {
      await changeSeats(scene, SEATS);
      const { calls } = await scene.up("succeeds", "--skip-preview");
      expectCalls(calls, radia, [6, 7]);
    },
  },
  {
    title: "The end: destroy",
    async tell(scene) {
      const members = (await scene.tokens()).keys();
      const { calls } = await scene.destroy();
      for (const who of members) expectCalls(calls, who, [9, 10, 11]);
      const { users, seats, tokens } = await scene.left();
      const left = `${users} users, ${seats} seats, ${tokens} tokens`;
      expectThat(users + seats + tokens === 0, `left at the service: ${left}`);
      scene.say(`  Nothing is left: ${left}.`);
    },
  },
];

/** A year after the first end of the subscription. */
function renewedEnd({ service: { seed } }: Scene): string {
  const end = new Date(seed.subscriptionExpiresAt);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return end.toISOString().replace(".000Z", "Z");
}

function changeSeats({ service }: Scene, seats: number): Promise<void> {
  return service.management.changeSubscription(service.seed.organizationId, { seats });
}

function expectCalls(
  calls: ReadonlyMap<string, readonly number[]>,
  who: string,
  wanted: readonly number[],
): void {
  const made = calls.get(who) ?? [];
  const right = made.join() === wanted.join();
  expectThat(right, `the calls about ${who} are ${made.join(", ") || "none"} and not ${wanted.join(", ")}`);
}

type Tokens = Awaited<ReturnType<Scene["tokens"]>>;

function sameTokens(before: Tokens, after: Tokens): boolean {
  return JSON.stringify([...before]) === JSON.stringify([...after]);
}
