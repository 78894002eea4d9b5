/** The chapters of the tour. Each prints what happens, and checks it. */
import type { PlatformName } from "../service/index.ts";
import { MANAGED_USER, type TourRoster } from "./program.ts";
import { expectThat, type Scene } from "./scene.ts";

export interface Chapter {
  readonly title: string;
  run(scene: Scene): Promise<void>;
}

const [ada, grace] = ["ada@acme.example", "grace@acme.example"];
const [katherine, radia] = ["katherine@acme.example", "radia@acme.example"];

/** The first number of seats: one for each member of the first program. */
export const SEATS = 4;

const first: TourRoster = { people: [ada, grace, katherine], rotation: 1 };
const withoutGrace: TourRoster = { people: [ada, katherine], rotation: 1 };
const rotated: TourRoster = { ...withoutGrace, rotation: 2 };
const withRadia: TourRoster = { people: [ada, katherine, radia], rotation: 2 };

const programChapters: readonly Chapter[] = [
  {
    title: "Three people and a machine user join",
    async run(scene) {
      scene.program(first);
      const { subscriptionExpiresAt } = scene.service.seed;
      const { operations } = await scene.up(
        "succeeds",
        "-c",
        `orgseat:subscriptionExpiresAt=${subscriptionExpiresAt}`,
      );
      for (const name of [...first.people, MANAGED_USER])
        expectOperations(operations, name, ["add user", "assign seat", "issue token"]);
      scene.print("  Pulumi also counts the stack.");
    },
  },
  {
    title: "Without changes `up` does nothing in the service",
    async run(scene) {
      const { operations } = await scene.up("succeeds", "--skip-preview");
      expectThat(operations.size === 0, "orgseat sent requests although nothing has changed");
    },
  },
  {
    title: "The subscription is renewed; the preview shows the token renewals",
    async run(scene) {
      const before = await scene.tokens();
      const { organizationId } = scene.service.seed;
      const expiresAt = renewedEnd(scene);
      await scene.service.management.changeSubscription(organizationId, { expiresAt });
      expectThat(sameTokens(before, await scene.tokens()), "a token changed");
      scene.print(`  The subscription now expires at ${expiresAt}. The tokens are unchanged.`);
      scene.print("  The stack gets the new date in its configuration:");
      const { output, operations } = await scene.preview("-c", `orgseat:subscriptionExpiresAt=${expiresAt}`);
      const renewals = output.messages.filter((line) => line.includes(": renew token ("));
      expectThat(renewals.length === before.size, `the preview shows ${renewals.length} renewals`);
      expectThat(operations.size === 0, "the preview sent requests");
    },
  },
  {
    title: "`up` renews the tokens and keeps their values",
    async run(scene) {
      const before = await scene.tokens();
      const { operations } = await scene.up("succeeds", "--skip-preview");
      const after = await scene.tokens();
      for (const [name, { hash }] of before) {
        expectOperations(operations, name, ["renew token"]);
        const { expiresAt } = after.get(name) ?? {};
        expectThat(expiresAt === renewedEnd(scene), `the token of ${name} expires at ${expiresAt}`);
        expectThat(after.get(name)?.hash === hash, `the token of ${name} has another value`);
        scene.print(`  ${name}: valid until ${expiresAt}, value unchanged`);
      }
    },
  },
  {
    title: "Grace leaves: `up` revokes her token, then removes her seat and her membership",
    async run(scene) {
      scene.program(withoutGrace);
      const { operations } = await scene.up("succeeds");
      expectOperations(operations, grace, ["revoke token", "remove seat", "remove user"]);
      // Requests without a person, such as "list users", have an empty name.
      const people = [...operations.keys()].filter((name) => name !== "");
      expectThat(people.length === 1, "orgseat sent requests for other members");
    },
  },
  {
    title: `\`up\` rotates the token of ${MANAGED_USER}`,
    async run(scene) {
      const before = await scene.tokens();
      scene.program(rotated);
      const { operations } = await scene.up("succeeds");
      const rotation = ["revoke token", "issue token"];
      // Where tokens have IDs, the old one goes after the new one is there.
      if (scene.service.platform === "anaconda") rotation.reverse();
      expectOperations(operations, MANAGED_USER, rotation);
      const after = await scene.tokens();
      for (const [name, { hash }] of before) {
        const same = after.get(name)?.hash === hash;
        expectThat(
          same !== (name === MANAGED_USER),
          `the token of ${name} has ${same ? "the same" : "another"} value`,
        );
        scene.print(`  ${name}: value ${same ? "unchanged" : "new"}`);
      }
    },
  },
  {
    title: "No seats are available",
    async run(scene) {
      await changeSeats(scene, SEATS - 1);
      scene.print(`  The organization now has ${SEATS - 1} seats, all of them assigned.`);
      scene.program(withRadia);
      const { output, operations } = await scene.up("fails", "--skip-preview");
      const explained = output.messages.some(
        (line) => line.includes("402") && line.includes(`No seat is available for ${radia}`),
      );
      expectThat(explained, `no message says that no seat is free for ${radia}`);
      expectOperations(operations, radia, ["add user", "assign seat"]);
      const member = (await scene.state()).members.find(({ name }) => name === radia);
      expectThat(member?.seat === false, `the state does not have ${radia} without a seat`);
      scene.print(`  ${radia} is in the state, without a seat.`);
    },
  },
  {
    title: "After a seat is bought, the next `up` continues",
    async run(scene) {
      await changeSeats(scene, SEATS);
      const { operations } = await scene.up("succeeds", "--skip-preview");
      expectOperations(operations, radia, ["assign seat", "issue token"]);
    },
  },
  {
    title: "`destroy` removes everything",
    async run(scene) {
      const members = (await scene.tokens()).keys();
      const { operations } = await scene.destroy();
      for (const name of members)
        expectOperations(operations, name, ["revoke token", "remove seat", "remove user"]);
      const { users, seats, tokens } = await scene.contents();
      const left = `${users} users, ${seats} seats, ${tokens} tokens`;
      expectThat(users + seats + tokens === 0, `left in the service: ${left}`);
      scene.print(`  The service is empty: ${left}.`);
    },
  },
];

const rosterChapters: readonly Chapter[] = [
  {
    title: "A roster: who joins doesn't wait for a disputed removal",
    async run(scene) {
      const subscription = `subscription: ${renewedEnd(scene).slice(0, 10)}`;
      scene.roster([ada, grace, katherine], subscription);
      await scene.orgseat(0, "up", "--yes");
      scene.roster([ada, katherine, radia], subscription);
      const operations = await scene.orgseat(0, "up", "--no-removals", "--yes");
      expectOperations(operations, radia, ["add user", "assign seat", "issue token"]);
      expectOperations(operations, grace, []);
    },
  },
  {
    title: "`report --due` says what ends soon, from the states alone",
    async run(scene) {
      const operations = await scene.orgseat(2, "report", "--due", "2000d");
      expectThat(operations.size === 0, "the report sent requests");
    },
  },
];

const directoryChapter: Chapter = {
  title: "A directory adds and removes the members; orgseat manages their seats and tokens",
  async run(scene) {
    const header = [`subscription: ${renewedEnd(scene).slice(0, 10)}`, "membership: directory"];
    const tim = "tim@acme.example";
    scene.roster([ada, katherine, tim], ...header);
    await changeSeats(scene, SEATS + 1);
    const before = await scene.orgseat(0, "up", "--yes");
    expectOperations(before, tim, []);
    for (const left of [grace, radia]) expectOperations(before, left, ["revoke token", "remove seat"]);
    scene.print(`  The directory adds ${tim}.`);
    await scene.behindOurBack("users", { email: tim });
    expectOperations(await scene.orgseat(0, "up", "--yes"), tim, ["assign seat", "issue token"]);
  },
};

/** Without a list of members, orgseat finds no one by email. */
export function chaptersOf(platform: PlatformName): readonly Chapter[] {
  return [...programChapters, ...rosterChapters, ...(platform === "anaconda" ? [directoryChapter] : [])];
}

/** A year after the first expiry of the subscription. */
function renewedEnd({ service: { seed } }: Scene): string {
  const end = new Date(seed.subscriptionExpiresAt);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return end.toISOString().replace(".000Z", "Z");
}

function changeSeats({ service }: Scene, seats: number): Promise<void> {
  return service.management.changeSubscription(service.seed.organizationId, { seats });
}

/** Compares the writes: in a platform that lists users and tokens, reads come before and after them. */
function expectOperations(
  operations: ReadonlyMap<string, readonly string[]>,
  name: string,
  expected: readonly string[],
): void {
  const sent = (operations.get(name) ?? []).filter((operation) => !operation.startsWith("list "));
  expectThat(
    sent.join() === expected.join(),
    `the operations for ${name} are ${sent.join(", ") || "none"}, not ${expected.join(", ")}`,
  );
}

type Tokens = Awaited<ReturnType<Scene["tokens"]>>;

function sameTokens(before: Tokens, after: Tokens): boolean {
  return JSON.stringify([...before]) === JSON.stringify([...after]);
}
