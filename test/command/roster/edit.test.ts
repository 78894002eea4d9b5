/** Edits of a roster's text: what they change, and that they change nothing else. */
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readText, writeText } from "../../../command/roster/formats/text-file.ts";
import { parseRoster } from "../../../command/roster/read.ts";
import type { NewPerson } from "../../../command/roster/write.ts";
import { temporaryFile } from "../../setup/temporary.ts";
import { addPeople, removePeople, setField, setHeader } from "./one-file.ts";
import { formats } from "./sample.ts";

type Format = (typeof formats)[number];

/** Files as people keep them: comments, odd spacing, several notations. */
const kept: Readonly<Record<Format, string>> = {
  csv: `\uFEFF# organization: 1b4e28ba-2fa1-11d2-883f-0016d3cca427;;
# rows: 3;;
Key;E-Mail;First name

# the engine room
ada;ada@acme.example;"Ada ""the first"""
bob; bob@acme.example ;
# later
cyd;cyd@acme.example;Cyd`,
  yaml: `# who we are
organization: "1b4e28ba-2fa1-11d2-883f-0016d3cca427" # prod
rows: 3
people:
# the engine room
- {key: ada, email: 'ada@acme.example'}
- key: bob   # on leave
  email: bob@acme.example
  team: |
    engines

# later
-
  email: cyd@acme.example
  key: cyd
  rotation:
`,
  json: `{ "organization": "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "rows": 3,
  "people": [
    {"key": "ada", "email": "ada@acme.example"},
    {
      "key": "bob",
      "email": "bob@acme.example"
    },
    {"key": "cyd", "email": "cyd@acme.example"} ]
}
`,
};

const dan: NewPerson = {
  key: "dan",
  email: "dan@acme.example",
  firstName: "Dan; the man",
  seat: true,
  token: true,
  protected: false,
};

interface Exact extends Readonly<Record<Format, readonly (readonly [string, string])[]>> {
  readonly what: string;
  readonly edit: (text: string, file: string) => { readonly text: string };
  /** The count of rows after it. */
  readonly rows: number;
}

/** What edits are expected to be: the count of rows, and each text once, replaced by the other. */
const exact: readonly Exact[] = [
  {
    what: "a person goes",
    edit: (text, file) => removePeople(text, file, ["bob", "nobody"]),
    rows: 2,
    csv: [["bob; bob@acme.example ;\n", ""]],
    yaml: [["- key: bob   # on leave\n  email: bob@acme.example\n  team: |\n    engines\n", ""]],
    json: [['    {\n      "key": "bob",\n      "email": "bob@acme.example"\n    },\n', ""]],
  },
  {
    what: "the last one goes",
    edit: (text, file) => removePeople(text, file, ["cyd"]),
    rows: 2,
    csv: [["\ncyd;cyd@acme.example;Cyd", "\n"]],
    yaml: [["-\n  email: cyd@acme.example\n  key: cyd\n  rotation:\n", ""]],
    json: [[',\n    {"key": "cyd", "email": "cyd@acme.example"}', ""]],
  },
  {
    what: "a person comes",
    edit: (text, file) => addPeople(text, file, [dan]),
    rows: 4,
    csv: [[";Cyd", ';Cyd\ndan;dan@acme.example;"Dan; the man"']],
    yaml: [
      ["rotation:\n", 'rotation:\n- key: dan\n  email: dan@acme.example\n  first_name: "Dan; the man"\n'],
    ],
    json: [["} ]", '},\n    {"key":"dan","email":"dan@acme.example","first_name":"Dan; the man"} ]']],
  },
  {
    what: "a person gets a field that nobody had",
    edit: (text, file) => setField(text, file, "bob", "rotation", "2"),
    rows: 3,
    csv: [
      ["First name", "First name;rotation"],
      ['first"""', 'first""";'],
      ["bob@acme.example ;", "bob@acme.example ;;2"],
      [";Cyd", ";Cyd;"],
    ],
    yaml: [["    engines\n", '    engines\n  rotation: "2"\n']],
    json: [['"bob@acme.example"', '"bob@acme.example",\n      "rotation": "2"']],
  },
  {
    what: "a field changes",
    edit: (text, file) => setField(text, file, "ada", "email", "ada@new.example"),
    rows: 3,
    csv: [[";ada@acme.example;", ";ada@new.example;"]],
    yaml: [["'ada@acme.example'", "ada@new.example"]],
    json: [['"ada@acme.example"', '"ada@new.example"']],
  },
  {
    what: "the header gets a field",
    edit: (text, file) => setHeader(text, file, "on_delete", "retain"),
    rows: 3,
    csv: [["# rows: 3;;\n", "# rows: 3;;\n# on_delete: retain\n"]],
    yaml: [["organization:", "on_delete: retain\norganization:"]],
    json: [['{ "org', '{ "on_delete": "retain", "org']],
  },
];

describe("an edit", () => {
  describe.each(exact)("leaves every other character as it is when $what", ({ edit, rows, ...expected }) => {
    test.each(formats)("%s", (format) => {
      let text = kept[format].replace(/(rows"?: )3/, `$1${rows}`);
      for (const [before, after] of expected[format]) {
        expect(text.split(before)).toHaveLength(2);
        text = text.replace(before, () => after);
      }
      expect(edit(kept[format], `p.${format}`).text).toBe(text);
    });
  });

  test("leaves an empty list when everybody goes", () => {
    const keys = ["ada", "bob", "cyd"];
    const yaml = removePeople(kept.yaml, "p.yaml", keys).text;
    expect(yaml.slice(yaml.indexOf("people:"))).toBe("people: []\n# the engine room\n\n# later\n");
    expect(removePeople(kept.json, "p.json", keys).text).toContain('"people": []\n}');
    for (const format of formats) {
      const text = addPeople(removePeople(kept[format], `p.${format}`, keys).text, `p.${format}`, [dan]).text;
      expect(parseRoster(text, `p.${format}`)).toMatchObject({ rows: 1, people: [dan] });
    }
  });

  test("fills an empty field of YAML, also in front of a comment, which stays one", () => {
    const filled = setField(kept.yaml, "p.yaml", "cyd", "rotation", "a: b").text;
    expect(filled).toBe(kept.yaml.replace("  rotation:\n", '  rotation: "a: b"\n'));
    const text = kept.yaml
      .replace("rows: 3", "roster: # filled by up")
      .replace("rotation:", "rotation:  # none");
    const header = setHeader(text, "p.yaml", "roster", "r1").text;
    expect(header).toMatch(/^roster: {1,2}r1 # filled by up$/m);
    const both = setField(header, "p.yaml", ["cyd"], "rotation", "2").text;
    expect(both).toMatch(/^ {2}rotation: +"2" # none$/m);
  });
});

describe("the refusal of an edit", () => {
  test("names each key that nobody has", () => {
    expect(() => setField(kept.csv, "p.csv", "eve", "rotation", "2").text).toThrow(
      "p.csv: no person has the key eve",
    );
    expect(() => setField(kept.csv, "p.csv", ["ada", "eve", "mallory"], "rotation", "2").text).toThrow(
      `p.csv is invalid (2 errors):
  the file: no person has the key eve
  the file: no person has the key mallory`,
    );
  });

  test("gives the issues of a text that cannot be read", () => {
    expect(() => removePeople('key,email\n"ada', "p.csv", ["ada"]).text).toThrow(
      "p.csv is invalid (1 error):\n  line 2, column 1: the quote opened here is never closed. Close it",
    );
  });

  test("spares an invalid value: a leaver can be offboarded", () => {
    const text = "key,email\nada,nobody\nbob,bob@acme.example\n";
    expect(removePeople(text, "p.csv", ["ada"]).text).toBe("key,email\nbob,bob@acme.example\n");
  });
});

describe("the edit to read", () => {
  test("shows the rows that go, and the count, with three lines around", () => {
    expect(removePeople(kept.yaml, "people.yaml", ["cyd"]).diff).toBe(`--- people.yaml
+++ people.yaml
@@ -1,6 +1,6 @@
 # who we are
 organization: "1b4e28ba-2fa1-11d2-883f-0016d3cca427" # prod
-rows: 3
+rows: 2
 people:
 # the engine room
 - {key: ada, email: 'ada@acme.example'}
@@ -10,7 +10,3 @@
     engines
 
 # later
--
-  email: cyd@acme.example
-  key: cyd
-  rotation:
`);
  });

  test("forms one hunk where rows are near", () => {
    expect(removePeople(kept.csv, "people.csv", ["ada", "cyd"]).diff).toBe(`--- people.csv
+++ people.csv
@@ -1,9 +1,7 @@
 # organization: 1b4e28ba-2fa1-11d2-883f-0016d3cca427;;
-# rows: 3;;
+# rows: 1;;
 Key;E-Mail;First name
 
 # the engine room
-ada;ada@acme.example;"Ada ""the first"""
 bob; bob@acme.example ;
 # later
-cyd;cyd@acme.example;Cyd
`);
  });

  test("stays empty where nobody goes", () => {
    expect(removePeople(kept.json, "people.json", ["eve"]).diff).toBe("");
    expect(setField(kept.csv, "people.csv", [], "rotation", "2")).toEqual({ text: kept.csv, diff: "" });
  });
});

describe("a file", () => {
  test("changes in place, with its mode and its links, and nothing is left beside it", async () => {
    const file = temporaryFile("people.csv", kept.csv);
    const folder = dirname(file);
    chmodSync(file, 0o640);
    symlinkSync(file, join(folder, "link.csv"));
    const link = join(folder, "link.csv");
    await writeText(link, removePeople(await readText(link), file, ["bob"]).text);
    expect(readFileSync(file, "utf8")).toBe(removePeople(kept.csv, file, ["bob"]).text);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).sort()).toEqual(["link.csv", "people.csv"]);
    expect(lstatSync(join(folder, "link.csv")).isSymbolicLink()).toBe(true);
  });
});
