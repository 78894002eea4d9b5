/** Guards through the whole of Pulumi: engine, provider process, service. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { upAll } from "../../sdk/automation/up.ts";
import { usersLosingAccessIn } from "../sdk/automation/fixture.ts";
import { countsOfClasses, GuardedOrganization } from "../sdk/automation/guarded-organization.ts";
import { OneMissingEngine } from "../sdk/automation/one-missing-engine.ts";
import { checkCases } from "../setup/cases.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineFixture } from "./fixture.ts";

/** Each stack is three processes a run. Of four people almost every number is at the edge. */
const small = { people: 4, stacks: 1 };
const larger = { people: 9, stacks: 2 };

onEachEngine("guards", (engine) => {
  test("random changes of rosters take from nobody but whom the preview showed, and write nothing once stopped", async () => {
    const classes = countsOfClasses();
    const organizations = new Map<object, GuardedOrganization>();
    await checkCases(
      { name: `automation: guards on the ${engine.name}`, level: "E", cases: 20 },
      fc.gen(),
      async (draw) => {
        const aim = classes.next();
        const size = aim === "tripped" ? larger : draw(() => fc.constantFrom(small, small, small, larger));
        const made = async () => GuardedOrganization.make(await engineFixture(engine, 100), draw, size);
        const organization = organizations.get(size) ?? (await made());
        organizations.set(size, organization);
        classes.add(await organization.holds(draw, aim));
      },
    );
    classes.expectFifths();
  });

  test("a program that drops one more person between preview and run is refused, and only those who were shown lose anything", async () => {
    const fixture = await engineFixture(engine, 100);
    const people = ["ada", "bob", "eve"].map((key) => ({
      ...{ key, email: `${key}@acme.example`, seat: true, token: true, protected: false },
    }));
    const roster = { organizationId: fixture.organizationId, stacks: 1, people };
    const before = await fixture.bring(roster);
    const without = { ...roster, people: people.slice(1) };
    const dropping = await fixture.open(without, { engine: new OneMissingEngine(fixture.engine, "eve") });
    const { status, applied } = await upAll(dropping, {});

    expect(status).toBe("failed");
    expect([...usersLosingAccessIn(await fixture.done())]).toEqual([before.get("ada")]);
    const texts = applied?.results.map(({ who, status, text = "" }) => `${who} ${status}: ${text}`);
    expect(texts).toContainEqual(
      expect.stringContaining(
        `eve@acme.example failed: cannot delete the token of eve@acme.example (user ${before.get("eve")}): the preview did not show this change`,
      ),
    );
  });
});
