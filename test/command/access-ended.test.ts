/** Machine users whose access has ended, and who stay members. */
import { expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { directFixture } from "./fixture.ts";
import { managed, person } from "./people.ts";

test.each([
  ["of a directory", true, false],
  ["of a directory, after a run that failed for another person", true, true],
  ["that are retained", false, false],
  ["that are retained, after a run that failed for another person", false, true],
])(
  "leaves machine users as they are whose access has ended: those %s",
  async (_, isDirectory, hasFailure) => {
    const fixture = await directFixture(10, "anaconda");
    const builds = managed("builds", "Nightly builds");
    const ada = person("ada");
    const ids = await fixture.bring([builds, ada]);
    const more = isDirectory ? ({ membership: "directory" } as const) : ({ onDelete: "retain" } as const);
    const named = { ...builds, ...(isDirectory && { userId: ids.get("builds") ?? "" }) };
    await fixture.up(fixture.rosterOf([named, ada], more));
    const ended = fixture.rosterOf(
      [
        { ...named, accessUntil: "2026-01-01T00:00:00Z" },
        { ...ada, rotation: "again" },
      ],
      more,
    );
    if (hasFailure) await fixture.refuse(7, 422, 1);
    expect(await fixture.up(ended)).toMatchObject({ status: hasFailure ? "failed" : "succeeded" });
    expect(await fixture.up(ended)).toMatchObject({ status: "succeeded" });
    expect(await fixture.heldBy(builds)).toEqual({ who: "Nightly builds", seat: !isDirectory, tokens: [] });
    await fixture.sandbox.requests();
    expect((await previewOf(await fixture.reopen(), {})).plan.hasChanges).toBe(false);
    await fixture.up(ended);
    expect((await fixture.calls()).filter((call) => call >= 5 && call <= 11)).toEqual([]);
  },
);
