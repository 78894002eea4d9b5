/** `orgseat adopt` where the service lists its members: random organizations, adopted without a write. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { readRoster } from "../../command/roster/read.ts";
import type { Organization } from "../../command/stacks/organization.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { upAll } from "../../command/verbs/up.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { mapConcurrently } from "../../provider/util/lists.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { checkedRun } from "./entry-properties.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { type Draw, person } from "./people.ts";

const suite: Suite = { name: "automation: adoption", level: "R", cases: 200 };
const ADMIN_ROLES = ["admin", "billing_manager"] as const;
const YEAR_MS = 365 * 86_400_000;

/** What the service has of one member. */
interface Found {
  readonly userId: string;
  readonly role: string;
  readonly seat: boolean;
  /** The number of tokens that are not revoked. */
  readonly tokens: number;
}

/** Makes a member with what is drawn: names, a seat, tokens, revoked ones too, and a role. */
async function makeMember(fixture: Fixture, draw: Draw, name: string): Promise<void> {
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const { management } = fixture.sandbox.service;
  const isManaged = draw(fc.integer, { min: 0, max: 9 }) === 0;
  const hasName = draw(fc.boolean);
  const user = isManaged
    ? { first_name: `Builds of ${name}` }
    : { email: `${name}@acme.example`, ...(hasName && { first_name: "Ada", last_name: `O'${name}, Ltd.` }) };
  const seat = draw(fc.boolean);
  const ends = draw(() =>
    fc.array(fc.constantFrom(subscriptionExpiresAt, new Date(Date.now() + YEAR_MS / 4).toISOString()), {
      maxLength: 3,
    }),
  );
  const userId = await fixture.behindOurBack(async (api, operation) => {
    const { id } = await api.createUser(user, operation);
    if (seat) await api.assignSeat(id, operation);
    for (const end of ends) await api.issueToken(id, end.replace(/\.\d+Z$/, "Z"), operation);
    if (ends.length > 1 && draw(fc.boolean)) {
      const [first] = requireList(await api.listTokens(id, operation));
      if (first) await api.revokeToken(id, operation, first.id);
    }
    return id;
  });
  if (draw(fc.integer, { min: 0, max: 4 }) > 0) return;
  await management.changeUser(userId, { role: draw(() => fc.constantFrom(...ADMIN_ROLES)) });
}

async function membersOf(fixture: Fixture): Promise<Map<string, Found>> {
  const { tokens } = await fixture.sandbox.service.management.snapshot();
  const { users } = requireList(await fixture.behindOurBack((api, operation) => api.listUsers(operation)));
  return new Map(
    users.map(({ id: userId, role, subscriptions }) => {
      const live = tokens.filter((token) => token.userId === userId && !token.revoked).length;
      return [userId, { userId, role: role ?? "unknown", seat: subscriptions?.length !== 0, tokens: live }];
    }),
  );
}

/** Adopts everybody, and checks the requests, the roster and the next preview. */
async function expectAdopted(fixture: Fixture): Promise<void> {
  const { management, seed } = fixture.sandbox.service;
  const found = await membersOf(fixture);
  const { tokens } = await management.snapshot();
  const { subscriptionExpiresAt } = seed;
  const organization = await fixture.open(fixture.rosterOf([], { subscriptionExpiresAt }));
  const adopt = (opened: Organization) => adoptAll(opened, { onDelete: "delete" });
  const { status, preview, applied, requests } = await checkedRun(fixture, organization, adopt);
  const problems = [...preview.violations, applied?.failure].flatMap((one) => one?.text ?? []);
  expect({ status, problems }).toEqual({ status: "succeeded", problems: [] });
  const sent = requests.filter(({ call }) => call !== "token");
  expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(sent.length, "one list of users, and one of tokens for each").toBe(found.size + 1);
  expect((await management.snapshot()).tokens).toEqual(tokens);
  expect(await membersOf(fixture)).toEqual(found);
  const { people } = await readRoster(organization.file);
  expect(people.map(({ userId }) => userId).toSorted()).toEqual([...found.keys()].toSorted());
  for (const { userId = "", seat, token, adoptToken = false, protected: isProtected } of people) {
    const member = found.get(userId);
    const hasToken = member?.seat === true && member.tokens === 1;
    expect({ seat, token, adoptToken, isProtected }).toEqual({
      ...{ seat: member?.seat, token: hasToken, adoptToken: hasToken },
      isProtected: member?.role !== "member",
    });
  }
}

test("adoption: whatever an organization has, it is adopted without a write, and the next preview is empty", async () => {
  await checkCases(suite, fc.gen(), async (draw) => {
    const fixture = await directFixture(50, "anaconda");
    const count = draw(fc.integer, { min: 0, max: 12 });
    for (let index = 0; index < count; index++) await makeMember(fixture, draw, `person${index}`);
    await expectAdopted(fixture);
    const preview = await fixture.preview(undefined, { refresh: true });
    expect(preview.plan.entries).toEqual([]);
    expect(preview.drift.members).toEqual({ findings: [], unmanaged: [] });
    await expectRemoved(fixture, draw);
  });
});

/** Without one row, exactly that person leaves. */
async function expectRemoved(fixture: Fixture, draw: Draw): Promise<void> {
  const { roster } = await fixture.open();
  const found = await membersOf(fixture);
  // Tokens that are not adopted keep the membership.
  const free = roster.people.filter(
    ({ userId = "", token, protected: isProtected }) =>
      !isProtected && (found.get(userId)?.tokens ?? 0) === (token ? 1 : 0),
  );
  if (free.length === 0) return;
  const leaver = draw(() => fc.constantFrom(...free));
  const people = roster.people.filter(({ key }) => key !== leaver.key);
  const organization = await fixture.open({ ...roster, people });
  const { status } = await checkedRun(fixture, organization, (opened) => upAll(opened, {}));
  expect(status).toBe("succeeded");
  const left = [...(await membersOf(fixture)).keys()];
  expect(left.toSorted()).toEqual([...found.keys()].filter((id) => id !== leaver.userId).toSorted());
}

test("adoption: 1,000 people", { tags: "ci" }, async () => {
  const fixture = await directFixture(1000, "anaconda");
  const names = Array.from({ length: 1000 }, (_, index) => `p${index}`);
  await mapConcurrently(names, 16, (key) => fixture.makeMember(person(key)));
  await expectAdopted(fixture);
  const organization = await fixture.open();
  const preview = await previewOf(organization, { refresh: true });
  expect({ hasChanges: preview.plan.hasChanges, drift: preview.drift.members }).toEqual({
    hasChanges: false,
    drift: { findings: [], unmanaged: [] },
  });
  const { roster } = organization;
  const people = roster.people.filter(({ key }) => key !== "p500@acme.example");
  const { status } = await fixture.up({ ...roster, people });
  expect(status).toBe("succeeded");
  const { users } = requireList(await fixture.behindOurBack((api, operation) => api.listUsers(operation)));
  expect(users).toHaveLength(1000);
  expect(users.map(({ email }) => email)).not.toContain("p500@acme.example");
});
