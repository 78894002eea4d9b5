import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LOG_FOLDERS, Log } from "../../../sandbox/engine/cli/log.ts";

const logFolders = (): Set<string> => {
  const temporary = dirname(join(tmpdir(), "any-"));
  const names = readdirSync(temporary).filter((name) => name.startsWith(basename(LOG_FOLDERS)));
  return new Set(names.map((name) => join(temporary, name)));
};

test("a log of the stand-in lies in a folder of its own, which nobody else can read or make beforehand", () => {
  const before = logFolders();
  const log = new Log(1, undefined);
  expect(logFolders(), "nothing to log, no folder").toEqual(before);
  log.write(2, "too much detail");
  log.write(1, "first");
  log.write(1, "second");
  const made = [...logFolders().difference(before)].filter((folder) =>
    readdirSync(folder).includes(`pulumi.${process.pid}.log`),
  );
  onTestFinished(() => {
    for (const folder of made) rmSync(folder, { recursive: true });
  });
  expect(made).toHaveLength(1);
  const [folder = ""] = made;
  const file = join(folder, `pulumi.${process.pid}.log`);
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readFileSync(file, "utf8")).toMatch(/^\S+Z first\n\S+Z second\n$/);
});
