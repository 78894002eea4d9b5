/** The journal of creations, over several provider processes that share a folder. */
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CreationJournal } from "../../provider/creation-journal.ts";
import type { CreationSubject } from "../../provider/resources/journal.ts";
import { temporaryFolder } from "../setup/temporary.ts";

const ada: CreationSubject = { kind: "user", organizationId: "o1", key: "ada@acme.example" };
const token: CreationSubject = { kind: "token", organizationId: "o1", key: "u1" };

/** Journals of processes that ran one after another. */
function journals(folder = temporaryFolder()) {
  const open: CreationJournal[] = [];
  return {
    folder,
    start: (stack?: string) => {
      for (const journal of open) journal.close();
      const journal = new CreationJournal({ folder, stack, now: () => Date.parse("2027-01-01T12:00:00Z") });
      open.push(journal);
      return journal;
    },
    files: () => readdirSync(folder),
    text: () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join(""),
  };
}

test("an attempt: the next process finds it with its ids and its time, and its own process does not", () => {
  const { start, folder, files } = journals();
  const first = start();
  first.begin(ada, ["u0"]).succeeded("u1");
  expect(first.earlier(ada)).toBeUndefined();
  expect(first.created(ada)).toEqual(["u1"]);
  expect(statSync(join(folder, files()[0] ?? "")).mode & 0o777).toBe(0o600);
  const found = start().earlier(ada);
  expect(found).toMatchObject({ before: ["u0"], id: "u1", time: "2027-01-01T12:00:00.000Z" });
});

test("attempts that are closed or settled: the last one removes the file", () => {
  const { start, files } = journals();
  const first = start();
  first.begin(ada, []).close();
  expect(files()).toEqual([]);
  first.begin(ada, []).succeeded("u1");
  first.begin(token, []).succeeded("t1");
  const second = start();
  second.settle("user", "o2", "u1");
  second.settle("user", "o1", "u1");
  expect(second.earlier(ada)).toBeUndefined();
  expect(start().earlier(ada), "the file says so").toBeUndefined();
  start().settle("token", "o1", "u1");
  expect(files()).toEqual([]);
});

test("an attempt that is taken: the file of this process has it until the state does", () => {
  const { start, files } = journals();
  start().begin(ada, ["u0"]);
  start().earlier(ada)?.take("u1");
  expect(files()).toHaveLength(1);
  expect(start().earlier(ada)).toMatchObject({ before: ["u0"], id: "u1" });
});

test("another stack, and a process that runs: their attempts are not found", () => {
  const { start, folder } = journals();
  start("one").begin(ada, []);
  expect(start("two").earlier(ada)).toBeUndefined();
  expect(start("one").earlier(ada)).toBeDefined();

  const running = new CreationJournal({ folder, stack: undefined, now: Date.now });
  running.begin(token, []);
  expect(start().earlier(token)).toBeUndefined();
  running.close();
  expect(start().earlier(token)).toBeDefined();
});

test("a partial line of a killed process: is left out, also before further lines", () => {
  const { start, folder, files } = journals();
  const first = start();
  first.begin(ada, []).succeeded("u1");
  first.begin(token, []);
  appendFileSync(join(folder, files()[0] ?? ""), '{"begin":"9","ki');
  start().settle("user", "o1", "u1");
  const last = start();
  expect(last.earlier(ada)).toBeUndefined();
  expect(last.earlier(token)).toBeDefined();
});

test("a line of another release: the creation fails before it is sent, and settling does not", () => {
  const { start, folder } = journals();
  writeFileSync(join(folder, "other.jsonl"), '{"version":2}\n');
  const journal = start();
  journal.settle("user", "o1", "u1");
  expect(() => journal.earlier(ada)).toThrow("a journal of earlier creations");
});

test("a folder that cannot be written: the creation fails before it is sent", () => {
  const { start, folder } = journals();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  expect(() => start().begin(ada, [])).toThrow("Make it writable, or set ORGSEAT_CREATIONS");
});

test("the file: has no value of a token", () => {
  const { start, text } = journals();
  start().begin(token, ["t0"]).succeeded("t1");
  expect(text().split("\n").filter(Boolean)).toHaveLength(3);
});
