/** What the preview showed against what the program then says, drawn: nobody loses what was not shown. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Removals, writeRemovals } from "../../provider/removals.ts";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";
import { temporaryFile } from "../setup/temporary.ts";

type Fate = "stays" | "rotates" | "leaves";
type Named = Removals["removals"][number];

const fate = fc.constantFrom<Fate>("stays", "rotates", "leaves");
/** Of each person, what the preview showed and what the run is told; mostly the same. */
const people = fc.array(
  fc.oneof(
    { arbitrary: fate.map((one) => ({ shown: one, told: one })), weight: 4 },
    { arbitrary: fc.record({ shown: fate, told: fate }), weight: 1 },
  ),
  { minLength: 1, maxLength: 5 },
);

function program(fates: readonly Fate[]): DirectResource[] {
  return fates.flatMap((one, index): DirectResource[] => {
    if (one === "leaves") return [];
    const rotation = one === "rotates" ? { rotation: "2" } : {};
    return [
      { type: "OrgUser", name: `user${index}`, args: { email: `p${index}@acme.example` } },
      { type: "SeatAssignment", name: `seat${index}`, args: { userId: `$user${index}.id` } },
      { type: "UserToken", name: `token${index}`, args: { userId: `$seat${index}.id`, ...rotation } },
    ];
  });
}

const LOSSES: Readonly<Record<Fate, readonly Named["type"][]>> = {
  stays: [],
  rotates: ["UserToken"],
  leaves: ["UserToken", "SeatAssignment", "OrgUser"],
};
const TYPE_OF: Readonly<Record<number, Named["type"]>> = {
  9: "UserToken",
  10: "SeatAssignment",
  11: "OrgUser",
};

test("exact removals: whatever the program says after its preview, no more goes than was shown", async () => {
  const organization = await sandbox({ seats: 10 });
  const configuration = configurationOf(organization, await makeServiceAccount(organization));
  const { organizationId } = organization;

  await checkCases({ name: "exact removals", level: "R", cases: 500 }, people, async (all) => {
    const stack = new DirectStack({ ...configuration });
    expect((await stack.up(program(all.map(() => "stays")))).errors).toEqual([]);
    const lossesOf = (fates: readonly Fate[]): Named[] =>
      fates.flatMap((one, index) =>
        LOSSES[one].map((type) => ({ type, id: stack.state.get(`user${index}`)?.id ?? "" })),
      );
    const shown = lossesOf(all.map((person) => person.shown));
    const told = lossesOf(all.map((person) => person.told));
    const ORGSEAT_REMOVALS = temporaryFile("removals.json");
    writeRemovals(ORGSEAT_REMOVALS, { organizationId, removals: shown });
    stack.configuration.ORGSEAT_REMOVALS = ORGSEAT_REMOVALS;
    await organization.requests();
    const { errors } = await stack.up(program(all.map((person) => person.told)));

    const gone = (await organization.requests())
      .filter(({ method }) => method === "DELETE")
      .map(({ call, userId }) => ({ type: TYPE_OF[Number(call)], id: userId }));
    for (const one of gone) expect(shown).toContainEqual(one);
    const unseen = told.filter(({ type, id }) => !shown.some((one) => one.type === type && one.id === id));
    if (unseen.length > 0) expect(errors.join()).toContain("The preview did not show this");
    else {
      expect(errors).toEqual([]);
      expect(gone).toHaveLength(told.length);
    }

    delete stack.configuration.ORGSEAT_REMOVALS;
    expect((await stack.destroy()).errors).toEqual([]);
  });
});
