import fc from "fast-check";
import { expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import { checkCases } from "../setup/cases.ts";
import { directFixture } from "./fixture.ts";
import { type Draw, type NewPerson, person } from "./people.ts";

/** Each person leaves, keeps the email, or takes a free one or that of another person who does not keep it. */
function drawnMoves(draw: Draw, people: readonly NewPerson[], mark: string): NewPerson[] {
  const drawn = people.map((one, index) => ({
    one,
    change: index === 0 ? "keeps" : draw(() => fc.constantFrom("keeps", "leaves", "free", "taken", "taken")),
  }));
  const left = drawn.filter(({ change }) => change !== "keeps").map(({ one }) => one.email);
  const pool = draw(() => fc.shuffledSubarray(left, { minLength: left.length }));
  return drawn.flatMap(({ one, change }) => {
    if (change === "leaves") return [];
    if (change === "keeps") return [one];
    return [{ ...one, email: change === "free" ? `${mark}-${one.key}@acme.example` : pool.pop() }];
  });
}

/** Whether someone waits for an email that only becomes free after that. */
function hasCycle(before: readonly NewPerson[], after: readonly NewPerson[]): boolean {
  const next = new Map(
    after.map(({ key, email }) => [key, before.find((one) => one.email === email && one.key !== key)?.key]),
  );
  return after.some(({ key }) => {
    let one = next.get(key);
    for (let steps = 0; one !== undefined && steps < before.length; steps++) {
      if (one === key) return true;
      one = next.get(one);
    }
    return false;
  });
}

test("emails move between people in one run, unless they are exchanged", async () => {
  const fixture = await directFixture(1000);
  const seen = { ordered: 0, blocked: 0 };
  let count = 0;
  const suite = {
    name: "moved emails",
    level: "R",
    cases: 400,
    quick: 25,
    siblings: 2,
  } as const;
  await checkCases(suite, fc.gen(), async (draw) => {
    const mark = `s${count++}`;
    const people = Array.from({ length: draw(fc.integer, { min: 3, max: 7 }) }, (_, index) => {
      const seat = draw(fc.boolean);
      return person(`${mark}-${index}`, { seat, token: seat && draw(fc.boolean) });
    });
    await fixture.bring(fixture.rosterOf(people));
    const after = drawnMoves(draw, people, mark);
    const emails = after.map(({ email }) => email);
    const organization = await fixture.open(fixture.rosterOf(after));
    const { violations } = await previewOf(organization, {});
    const approve = violations.find(({ override }) => override !== undefined)?.override;
    const { status, preview, applied } = await upAll(organization, { approve });
    const requests = await fixture.sandbox.requests();
    const guards = preview.violations.map(({ guard }) => guard);
    if (hasCycle(people, after)) {
      seen.blocked += 1;
      expect(guards).toContain("address-in-use");
      expect(requests).toEqual([]);
      return;
    }
    seen.ordered += preview.plan.members.filter(({ steps }) => steps.after.length > 0).length;
    expect({ status, guards }, applied?.results.map(({ text }) => text).join("; ")).toEqual({
      status: "succeeded",
      guards: [],
    });
    const users = (await fixture.users()).flatMap(({ email }) => (email?.startsWith(mark) ? email : []));
    expect(users.toSorted()).toEqual(emails.toSorted());
    expect(requests.filter((one) => one.status === 409)).toEqual([]);
  });
  expect(seen.ordered).toBeGreaterThan(0);
});
