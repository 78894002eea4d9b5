/** A roster of several files in one folder: the same people, whatever file has their rows. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import type { PreviewOptions } from "../../command/preview/options.ts";
import { previewOf } from "../../command/preview/preview.ts";
import { RosterError } from "../../command/roster/formats/validation.ts";
import { readRoster } from "../../command/roster/read.ts";
import { type NewPerson, newRoster } from "../../command/roster/write.ts";
import { type Organization, openOrganization } from "../../command/stacks/organization.ts";
import { addRows, removeRows } from "../../command/verbs/edit-rows.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { drawnPeople, person } from "./people.ts";

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

  /** @param name one of the files. Default: all */
  open(name = ""): Promise<Organization> {
    const { environment, engine } = this.#fixture;
    return openOrganization({ roster: join(this.path, name), environment }, { engine });
  }

  async preview(options: PreviewOptions = {}) {
    return previewOf(await this.open(), options);
  }

  /** The guards that stop the roster, with a part of what they say. */
  async expectStopped(...expected: readonly (readonly [guard: string, part: string])[]) {
    const { violations } = await this.preview();
    expect(violations.map(({ guard, text }) => [guard, text])).toEqual(
      expected.map(([guard, part]) => [guard, expect.stringContaining(part)]),
    );
    return violations;
  }

  async up() {
    const result = await upAll(await this.open(), {});
    expect(result.status, JSON.stringify(result.preview.violations)).toBe("succeeded");
    return result;
  }
}

/** A file without the settings of the whole roster. @param header lines of it */
function part(people: readonly NewPerson[], header = ""): string {
  const text = newRoster({ organizationId: "", people }, "csv");
  return header + text.replace(/^# organization: .*\n/, "");
}

function head({ organizationId, sandbox }: Fixture, people: readonly NewPerson[], header = ""): string {
  const { subscriptionExpiresAt } = sandbox.service.seed;
  const [first = "", ...rest] = newRoster({ organizationId, subscriptionExpiresAt, people }, "csv").split(
    "\n",
  );
  return [first, ...(header === "" ? [] : [header.trimEnd()]), ...rest].join("\n");
}

const ada = person("ada");
const bob = person("bob");
const others = [person("eve"), person("fay"), person("gil")];

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

describe("each file counts for itself", () => {
  /** Applied: ada and bob in data.csv, eve, fay, and gil in main.csv. */
  async function applied(data = "") {
    const fixture = await directFixture(100);
    const folder = new Folder(fixture);
    const main = head(fixture, others);
    folder.write({ "data.csv": part([ada, bob], data), "main.csv": main });
    await folder.up();
    return { fixture, folder, main };
  }

  test("the plan groups by file, also rows that are gone, and names the owner", async () => {
    const { folder, main } = await applied("# owner: data-leads\n");
    const next = part([bob, person("hal")], "# owner: data-leads\n");
    folder.write({ "data.csv": next, "main.csv": main.replace(/gil.*\n/, "") });
    const preview = await folder.preview();
    const file = (name: string) => join(folder.path, name);
    expect(previewToText(preview)).toContain(
      `Cannot be undone (2):
  ${file("data.csv")} (owner: data-leads):
    ada@acme.example  remove from the organization, revoke token, remove seat
  ${file("main.csv")}:
    gil@acme.example  remove from the organization, revoke token, remove seat

Changes (1):
  ${file("data.csv")} (owner: data-leads):
    hal@acme.example  add, assign seat, issue token`,
    );
  });

  test("max_removals limits a file, and --approve lifts it", async () => {
    const limit = "# max_removals: 0\n";
    const { folder, main } = await applied(limit);
    folder.write({ "data.csv": part([bob], limit), "main.csv": main });
    const file = join(folder.path, "data.csv");
    const [violation] = await folder.expectStopped([
      "removal-limit",
      `1 person of ${file} would lose a token, a seat, or the membership; its \`max_removals\` is 0.`,
    ]);
    expect(violation?.people).toEqual(["ada@acme.example"]);
    expect((await folder.preview({ approve: violation?.override })).violations).toEqual([]);
    folder.write({ "data.csv": part([ada, bob], limit), "main.csv": main.replace(/gil.*\n/, "") });
    expect((await folder.preview()).violations).toEqual([]);
  });

  test("max_removals of the file with the organization limits all files together", async () => {
    const { folder, main } = await applied();
    const limited = main.replace("\n", "\n# max_removals: 1\n");
    folder.write({ "data.csv": part([bob]), "main.csv": limited.replace(/gil.*\n/, "") });
    await folder.expectStopped(["removal-limit", "the limit for one run is 1 of 5 (`max_removals`)"]);
  });

  test("rows and an emptied file guard against truncation; a deleted file is a removal", async () => {
    const { folder, main } = await applied("# rows: 2\n");
    folder.write({ "data.csv": part([bob], "# rows: 2\n"), "main.csv": main });
    await folder.expectStopped(["short-roster", "data.csv declares 2"]);
    folder.write({ "data.csv": part([]), "main.csv": main });
    await folder.expectStopped([
      "short-roster",
      "lists no people, so 2 people of that file would lose access",
    ]);
    folder.write({ "main.csv": main });
    const [violation] = await folder.expectStopped([
      "removal-limit",
      "data.csv is missing, and 2 people of it would lose",
    ]);
    const { violations, plan } = await folder.preview({ approve: violation?.override });
    expect(violations).toEqual([]);
    expect(plan.losingAccess.map(({ key, file }) => [key, file?.file])).toEqual(
      ["ada", "bob"].map((key) => [key, join(folder.path, "data.csv")]),
    );
  });

  test("one of the files in place of the folder removes no one, and offboard refuses it", async () => {
    const { folder } = await applied();
    const { violations } = await previewOf(await folder.open("main.csv"), {});
    expect(violations).toMatchObject([{ guard: "short-roster" }]);
    expect(violations[0]?.text).toMatch(
      /main\.csv is one of several files .* \(data\.csv\), so 2 people would lose access/,
    );
    // The folder would not read its list.
    await expect(offboardPeople(await folder.open("main.csv"), ["eve"], {})).rejects.toThrow(
      /main\.csv is one of several files .* \(data\.csv\)\. No changes were made\. Pass their folder/,
    );
    expect(Object.keys(folder.read())).toEqual(["data.csv", "main.csv"]);
  });

  test("seats limits the seats of a file", async () => {
    const { folder, main } = await applied("# seats: 2\n");
    folder.write({ "data.csv": part([ada, bob, person("hal")], "# seats: 2\n"), "main.csv": main });
    await folder.expectStopped(["no-seats", "3 people would have one, and its `seats` is 2"]);
  });

  test("an edit changes the file of the row alone", async () => {
    const { folder } = await applied("# rows: 2\n");
    const before = folder.read();
    expect(before["main.csv"]).toMatch(/^# roster: /m);
    const added = await addRows(folder.path, { emails: ["hal@acme.example"], team: "data" });
    expect(added).toContain(join(folder.path, "data.csv"));
    expect(added).not.toContain("main.csv");
    const removed = await removeRows(folder.path, ["hal@acme.example"]);
    expect(removed).toContain("-,hal");
    expect(folder.read()).toEqual(before);
    await expect(addRows(folder.path, { emails: ["hal@acme.example"] })).rejects.toThrow(
      /Pass --team with the name of a file: data, main$/,
    );
    const { status, edit } = await rotateTokens(await folder.open(), ["ada", "gil"], {});
    expect({ status, files: edit.match(/^\+\+\+ .*/gm) }).toEqual({
      status: "succeeded",
      files: ["data.csv", "main.csv"].map((name) => expect.stringContaining(name)),
    });
  });

  test("an edit of several files writes none if one of them has changed meanwhile", async () => {
    const { folder } = await applied();
    const before = folder.read();
    const later = `${before["main.csv"]}hal@acme.example\n`;
    const confirm = async () => {
      writeFileSync(join(folder.path, "main.csv"), later);
      return true;
    };
    await expect(rotateTokens(await folder.open(), ["ada", "gil"], { confirm })).rejects.toThrow(
      /main\.csv changed while the command was running\. No changes were made/,
    );
    expect(folder.read()).toEqual({ ...before, "main.csv": later });
  });

  test("a row for another team than the only file keeps the team", async () => {
    const folder = new Folder(await directFixture(1));
    folder.write({ "data.csv": `${organization}${rows("ada@acme.example")}` });
    await addRows(folder.path, { emails: ["bob@acme.example"], team: "core" });
    await addRows(folder.path, { emails: ["eve@acme.example"], team: "data" });
    const { people } = await readRoster(folder.path);
    expect(people.map(({ team }) => team)).toEqual(["data", "core", "data"]);
  });
});

const organization = "# organization: 1b4e28ba-2fa1-11d2-883f-0016d3cca427\n";
const rows = (...emails: string[]) => `email\n${emails.map((email) => `${email}\n`).join("")}`;

describe("errors", () => {
  test.each<[string, Texts, string[]]>([
    [
      "an email in two files, with both places",
      {
        "a.csv": organization + rows("ada@acme.example"),
        "b.csv": rows("bob@acme.example", "Ada@acme.example"),
      },
      [
        'b.csv, line 3, column 1 (email): duplicate email "ada@acme.example" (first in a.csv, line 3): each person has one row',
      ],
    ],
    [
      "a key in two files",
      { "a.csv": `${organization}email,key\na@x.example,one\n`, "b.csv": "email,key\nb@x.example,one\n" },
      ['b.csv, line 2, column 13 (key): duplicate key "one" (first in a.csv, line 3): keys are unique'],
    ],
    [
      "no organization",
      { "a.csv": rows("ada@acme.example"), "b.csv": rows("bob@acme.example") },
      [
        "a.csv, line 1, column 1 (organization): missing organization. Write its id at the top: # organization: <id>",
      ],
    ],
    [
      "two organizations",
      { "a.csv": organization + rows("ada@acme.example"), "b.csv": organization + rows("bob@acme.example") },
      [
        "b.csv, line 1, column 17 (organization): is in a.csv too. One file of a roster names the organization, and has the settings of the whole roster",
      ],
    ],
    [
      "a setting of the whole roster elsewhere",
      {
        "a.csv": rows("ada@acme.example"),
        "b.csv": organization + rows(),
        "c.yaml": "on_delete: retain\npeople: []\n",
      },
      ["c.yaml, line 1, column 12 (on_delete): is a setting of the whole roster. Write it in b.csv"],
    ],
    [
      "an error in each of two files",
      { "a.csv": organization + rows("ada@"), "b.csv": rows("bob@") },
      [
        'a.csv, line 3, column 1 (email): "ada@": not a valid email address (expected, for example, ada@acme.example)',
        'b.csv, line 2, column 1 (email): "bob@": not a valid email address (expected, for example, ada@acme.example)',
      ],
    ],
  ])("%s", async (_, texts, expected) => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const error = await readRoster(folder).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(RosterError);
    const lines = String(error).split("\n").slice(1);
    expect(lines.map((line) => line.trim().replaceAll(`${folder}/`, ""))).toEqual(expected);
  });

  test("hidden files and files of other endings are no part of the roster", async () => {
    const folder = temporaryFolder();
    const texts = { "a.csv": organization + rows("ada@acme.example"), ".b.csv": "x", "README.md": "x" };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const { people, files } = await readRoster(folder);
    expect(people.map(({ key, team }) => [key, team])).toEqual([["ada@acme.example", "a"]]);
    expect(files).toEqual([{ file: join(folder, "a.csv"), isHead: true, owner: undefined, rows: undefined }]);
  });
});
