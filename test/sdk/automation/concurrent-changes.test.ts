/** Another run between the preview of an `up` and its writes: nothing is done to anyone that the preview did not show. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../../sandbox/service/index.ts";
import { isSettled } from "../../../sdk/automation/apply/member-results.ts";
import type { Organization } from "../../../sdk/automation/stacks/organization.ts";
import type { UpResult } from "../../../sdk/automation/verbs/up.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { checkCases, type Suite } from "../../setup/cases.ts";
import { expectEntries } from "./entry-properties.ts";
import { type CompletedCall, completedCallsIn, directFixture, type Fixture, type User } from "./fixture.ts";
import { type Draw, drawnPeople, type NewPerson, someOf, withLoss } from "./people.ts";

const suite: Suite = { name: "automation: another run in between", level: "R", cases: 1000, quick: 10 };
const NOT_SHOWN = "the preview did not show this change, and something has changed since";

const person = (key: string, more: Partial<NewPerson> = {}): NewPerson => ({
  ...{ key, email: `${key}@acme.example`, seat: true, token: true, protected: false },
  ...more,
});
const [ada, bob, eve, zoe] = ["ada", "bob", "eve", "zoe"].map((key) => person(key)) as [
  NewPerson,
  NewPerson,
  NewPerson,
  NewPerson,
];

interface Played {
  readonly result: UpResult;
  /** The URNs of what failed, once for each time. */
  readonly failed: readonly string[];
  readonly organization: Organization;
  /** What the run sent that had to wait, after the other one was over. */
  readonly requests: readonly LoggedRequest[];
  /** What was done of it. */
  readonly done: readonly CompletedCall[];
  readonly users: readonly User[];
  readonly before: readonly User[];
}

/** One `up` waits for its confirmation while the other one runs from beginning to end. */
async function play(
  fixture: Fixture,
  waiting: readonly NewPerson[],
  other: readonly NewPerson[],
): Promise<Played> {
  const { organizationId } = fixture;
  const rosterOf = (people: readonly NewPerson[]) => ({ organizationId, stacks: 1, people });
  let before: readonly User[] = [];
  const failed: string[] = [];
  const organization = await fixture.open(rosterOf(waiting));
  const result = await upAll(organization, {
    listener: ({ urn, state }) => void (state === "failed" && failed.push(urn)),
    confirm: async () => {
      await upAll(await fixture.open(rosterOf(other)), {});
      await fixture.done();
      before = await fixture.users();
      return true;
    },
  });
  const requests = await fixture.sandbox.requests();
  const users = await fixture.users();
  return { organization, result, failed, requests, done: completedCallsIn(requests), before, users };
}

async function groundOf(people: readonly NewPerson[]): Promise<Fixture> {
  const fixture = await directFixture(50);
  await fixture.bring({ organizationId: fixture.organizationId, stacks: 1, people });
  return fixture;
}

function statuses({ applied }: UpResult): string[] {
  return (applied?.results ?? []).map(({ who, status }) => `${who} ${status}`).toSorted();
}

function reasonFor(who: string, { applied }: UpResult): string | undefined {
  return applied?.results.find((one) => one.who === who)?.text;
}

describe("an up that waits for its confirmation", () => {
  test("adds nobody again whom another run removes, and the result says so", async () => {
    const fixture = await groundOf([ada, eve]);
    const { result, done, users } = await play(fixture, [ada, bob, eve], [ada]);
    expect(result.status).toBe("failed");
    expect(users.map(({ email }) => email).toSorted()).toEqual([ada.email, bob.email]);
    expect(done.map(({ call }) => call)).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual([`${bob.email} succeeded`, `${eve.email} failed`]);
    expect(reasonFor(eve.email ?? "", result)).toContain(
      `cannot create the membership of ${eve.email}: ${NOT_SHOWN}`,
    );
    expect(reasonFor(eve.email ?? "", result)).toContain("Run `orgseat up` again and check its preview");
  });

  test("removes nobody whom another run adds, by the older roster, and the result says so", async () => {
    const fixture = await groundOf([ada]);
    const { result, done, users } = await play(fixture, [ada, bob], [ada, zoe]);
    expect(result.status).toBe("failed");
    expect(users.map(({ email }) => email).toSorted()).toEqual([ada.email, bob.email, zoe.email]);
    expect(done.map(({ call }) => call)).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual([`${bob.email} succeeded`, `${zoe.email} failed`]);
    expect(reasonFor(zoe.email ?? "", result)).toMatch(
      /cannot delete the token of .*: the preview did not show/,
    );
  });

  test("reissues no token that another run extends, for the older, earlier expiry", async () => {
    const early = { ...ada, expires: "2027-01-01T00:00:00Z" };
    const fixture = await groundOf([early]);
    const { result, done } = await play(fixture, [early, bob], [ada]);
    expect(result.status).toBe("failed");
    expect(done.map(({ call }) => call)).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual([`${ada.email} failed`, `${bob.email} succeeded`]);
    expect(reasonFor(ada.email ?? "", result)).toContain(`cannot update the token of ${ada.email}`);
  });

  test("adds a person once whom both add, and the result is done", async () => {
    const fixture = await groundOf([ada]);
    const { result, done } = await play(fixture, [ada, bob], [ada, bob]);
    expect(result.status).toBe("succeeded");
    expect(done).toEqual([]);
    expect(statuses(result)).toEqual([`${bob.email} succeeded`]);
  });

  test("goes on with others, and tries a refused person once", async () => {
    const fixture = await groundOf([ada, eve]);
    const { management } = fixture.sandbox.service;
    await management.addFaults({ match: { call: 6 }, times: 2, fault: { kind: "refuse", status: 409 } });
    const { result, failed } = await play(fixture, [ada, bob, zoe, eve], [ada]);
    expect(statuses(result)).toEqual([
      `${bob.email} succeeded`,
      `${eve.email} failed`,
      `${zoe.email} succeeded`,
    ]);
    expect(failed.filter((urn) => urn.endsWith("::eve-user"))).toHaveLength(1);
  });
});

test("whatever another run does in between, each write of an up was in its preview, and the results are true", async () => {
  const fixture = await directFixture(500);
  let mark = 0;
  await checkCases(suite, fc.gen(), async (draw) => {
    mark += 1;
    const base = drawnPeople(draw, draw(fc.integer, { min: 1, max: 6 }), `p${mark}-`);
    await fixture.bring({ organizationId: fixture.organizationId, stacks: 1, people: base });
    const played = await play(fixture, changed(draw, base, `b${mark}`), changed(draw, base, `a${mark}`));
    const { status, preview, applied } = played.result;
    if (applied === undefined) return;
    const users = [...played.before, ...played.users];
    await expectEntries({ ...played, plan: preview.plan, results: applied.results, users });
    const isAllDone = applied.results.every(isSettled);
    expect(status === "succeeded").toBe(isAllDone && applied.failures.length === 0);
    const refused = applied.results.filter(({ text }) => text?.includes(NOT_SHOWN));
    expect(refused.every(({ status }) => status === "failed")).toBe(true);
  });
});

/** Up to three lose something, up to two are new. */
function changed(draw: Draw, people: readonly NewPerson[], mark: string): NewPerson[] {
  const count = draw(fc.integer, { min: 0, max: Math.min(3, people.length) });
  const chosen = new Set(someOf(draw, people, count));
  const left = people.flatMap((one): NewPerson[] => {
    if (!chosen.has(one)) return [one];
    const after = withLoss(draw, one, mark);
    return after === "dropped" ? [] : [after];
  });
  // Some join by both runs.
  const isShared = draw(fc.boolean);
  const prefix = isShared ? `both-${mark.slice(1)}-` : `${mark}-`;
  return [...left, ...drawnPeople(draw, draw(fc.integer, { min: 0, max: 2 }), prefix)];
}
