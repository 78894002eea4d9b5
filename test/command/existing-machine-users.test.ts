/** Machine users that a plan would create beside one of the same purpose, which no state has. */
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { type Preview, previewOf } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { broughtFixture, directFixture, type Fixture } from "./fixture.ts";
import { managed, person } from "./people.ts";

const builds = managed("builds", "Nightly builds");

/** The state is lost with the audit log: another machine, or another roster. */
async function lost() {
  const { fixture, idOf } = await broughtFixture([builds, person("ada")], {}, "anaconda");
  const { auditFile } = await fixture.open();
  rmSync(auditFile, { force: true });
  const engine = new DirectEngine(fixture.environment);
  const open = (people = [builds, person("bob")], more = {}) => fixture.open(people, { engine, ...more });
  return { fixture, id: idOf("builds"), open };
}

const buildsIn = async (fixture: Fixture) =>
  (await fixture.users()).filter(({ firstName }) => firstName === "Nightly builds");
const guardOf = ({ violations }: Preview) => violations.map(({ guard }) => guard);

describe("a machine user whose purpose a listed user has, whom no state knows", () => {
  test("stops the run, which says how to adopt the user, or that it is another one", async () => {
    const { fixture, id, open } = await lost();
    const options = { newStack: true };
    const blocked = await upAll(await open(), options);
    expect(blocked.status).toBe("blocked");
    expect(guardOf(blocked.preview)).toEqual(["machine-user-exists"]);
    const text = previewToText(blocked.preview);
    expect(text).toContain(
      "the plan adds 1 machine user whose purpose a user in the service has, and no state knows that user: a lost state or another roster may have added it. To adopt it, write its id into `user_id` of the row. If it is another machine user, run again with --approve ",
    );
    expect(text).toContain(`Nightly builds: user ${id}`);
    expect(await buildsIn(fixture)).toHaveLength(1);

    const approve = blocked.preview.violations[0]?.override;
    const other = await upAll(await open(), {
      ...options,
      approve: `0000000000000000@${approve?.split("@")[1]}`,
    });
    expect(other.preview.violations[0]?.text).toContain("The value of --approve is not valid");
    const approved = await upAll(await open(), { ...options, approve });
    expect(approved.status, JSON.stringify(approved.preview.violations)).toBe("succeeded");
    expect(await buildsIn(fixture)).toHaveLength(2);
    // The next run has nothing to add.
    expect((await upAll(await open(), {})).preview).toMatchObject({
      violations: [],
      plan: { hasChanges: false },
    });
  });

  test("gets no second one if the row has its id", async () => {
    const { fixture, id, open } = await lost();
    const adopted = await upAll(await open([{ ...builds, userId: id, token: false }, person("bob")]), {
      newStack: true,
    });
    expect(adopted.status, JSON.stringify(adopted.preview.violations)).toBe("succeeded");
    expect((await buildsIn(fixture)).map(({ userId }) => userId)).toEqual([id]);
  });

  test("stops a second roster of the organization, and none of its other commands", async () => {
    const { fixture } = await broughtFixture([builds, person("ada")], {}, "anaconda");
    const second = fixture.beside(fixture.file.replace("people", "others"));
    const others = [managed("nightly", "nightly  BUILDS"), person("bob")];
    const opened = await second.open(others, { stack: "others" });
    expect(guardOf(await previewOf(opened, {}))).toEqual(["machine-user-exists"]);
    const without = await second.open([person("bob")], { stack: "others" });
    expect(guardOf(await previewOf(without, {}))).toEqual([]);
  });
});

test("a second machine user of the same purpose is added to the first one of the same states", async () => {
  const { fixture } = await broughtFixture([builds, person("ada")], {}, "anaconda");
  const twin = managed("builds2", "Nightly builds");
  const { status, preview } = await fixture.up([builds, twin, person("ada")]);
  expect(status, JSON.stringify(preview.violations)).toBe("succeeded");
  expect(await buildsIn(fixture)).toHaveLength(2);
});

test("nothing stops where the service cannot list users", async () => {
  const fixture = await directFixture(10);
  await fixture.makeMember(managed("other", "Nightly builds"));
  const { status } = await fixture.up([builds]);
  expect(status).toBe("succeeded");
});
