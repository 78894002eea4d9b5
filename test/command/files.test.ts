/** A roster of several files in one folder: the same people, whatever file has their rows. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewOf } from "../../command/preview/preview.ts";
import { type NewPerson, newRoster } from "../../command/roster/write.ts";
import { type Organization, openOrganization } from "../../command/stacks/organization.ts";
import { upAll } from "../../command/verbs/up.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { drawnPeople } from "./people.ts";

const suite: Suite = { name: "rosters of several files", level: "R", cases: 100, quick: 8 };

/** Files of a folder by their names. */
type Texts = Readonly<Record<string, string>>;

class Folder {
  readonly path = join(temporaryFolder(), "people");
  readonly #fixture: Fixture;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    mkdirSync(this.path);
  }

  /** Writes these files, and no others. The id of the roster stays. */
  write(texts: Texts): void {
    const id = Object.values(this.read()).flatMap((text) => /^# roster: .*\n/m.exec(text) ?? [])[0] ?? "";
    rmSync(this.path, { recursive: true });
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(join(this.path, name, ".."), { recursive: true });
      writeFileSync(
        join(this.path, name),
        text.replace(/^# organization: .*\n/, (line) => line + id),
      );
    }
  }

  read(): Record<string, string> {
    return Object.fromEntries(
      readdirSync(this.path)
        .filter((name) => name.endsWith(".csv"))
        .map((name) => [name, readFileSync(join(this.path, name), "utf8")]),
    );
  }

  open(): Promise<Organization> {
    const { environment, engine } = this.#fixture;
    return openOrganization({ roster: this.path, environment }, { engine });
  }

  async preview() {
    return previewOf(await this.open(), {});
  }

  async up() {
    const result = await upAll(await this.open(), {});
    expect(result.status, JSON.stringify(result.preview.violations)).toBe("succeeded");
    return result;
  }
}

/** A file without the settings of the whole roster. */
function part(people: readonly NewPerson[]): string {
  return newRoster({ organizationId: "", people }, "csv").replace(/^# organization: .*\n/, "");
}

function head({ organizationId, sandbox }: Fixture, people: readonly NewPerson[]): string {
  const { subscriptionExpiresAt } = sandbox.service.seed;
  return newRoster({ organizationId, subscriptionExpiresAt, people }, "csv");
}

test("people in whatever files: the plan is that of one file, and rows that move between files change nothing", async () => {
  await checkCases(suite, fc.gen(), async (draw) => {
    const fixture = await directFixture(100);
    const folder = new Folder(fixture);
    const names = ["a.csv", "b.csv", "sub/c.csv"] as const;
    const spread = (people: readonly NewPerson[]): Texts => {
      const files = Map.groupBy(people, () => draw(() => fc.constantFrom(...names)));
      const texts = names.map((name) => [name, part(files.get(name) ?? [])] as const);
      return {
        ...Object.fromEntries(texts),
        "main.csv": head(fixture, []),
      };
    };
    const people = drawnPeople(draw, 6, "p");
    folder.write(spread(people));
    const { preview } = await folder.up();
    const keys = people.map(({ key }) => key).toSorted();
    expect(preview.plan.members.map(({ key }) => key).toSorted()).toEqual(keys);
    await fixture.sandbox.requests();

    folder.write(spread(people));
    const moved = await folder.preview();
    expect(moved.plan.hasChanges, previewToText(moved)).toBe(false);
    await folder.up();
    expect(await fixture.done()).toEqual([]);

    const left = draw(() => fc.subarray([...people], { minLength: 5 }));
    folder.write(spread(left));
    const { plan } = await folder.preview();
    const gone = keys.filter((key) => left.every((one) => one.key !== key));
    expect(plan.losingAccess.map(({ key }) => key)).toEqual(gone);
  });
});
