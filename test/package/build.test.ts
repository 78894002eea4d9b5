/** What the build does about sources that are gone. */
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../setup/temporary.ts";

type OfRoot<Answer> = (root: string) => Answer;
const build: { readonly isStale: OfRoot<boolean>; readonly removeOrphans: OfRoot<void> } = createRequire(
  import.meta.url,
)("../../build.cjs");

const SOURCES = ["provider/util/text.ts", "provider/util/old.ts", "sdk/index.ts", "command/index.ts"];
const OTHERS = ["sandbox/index.ts", "tsconfig.json", "tsconfig.build.json", "package.json", "build.cjs"];

/** A checkout that was built after all its sources were written. */
function checkout(): string {
  const root = temporaryFolder();
  const built = SOURCES.map((name) => join("dist", name.replace(".ts", ".js")));
  for (const name of [...SOURCES, ...OTHERS, ...built, "dist/provider/index.d.ts", "dist/.built"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
  }
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(root, "dist/.built"), later, later);
  return root;
}

test("the modules of sources that are gone are removed, and nothing else", () => {
  const root = checkout();
  rmSync(join(root, "provider/util/old.ts"));
  build.removeOrphans(root);
  const left = readdirSync(join(root, "dist"), { recursive: true, withFileTypes: true });
  const files = left.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(files.toSorted()).toEqual([".built", "index.d.ts", "index.js", "index.js", "text.js"]);
});

test("a source that is gone makes the build stale", () => {
  const root = checkout();
  expect(build.isStale(root)).toBe(false);
  rmSync(join(root, "provider/util/old.ts"));
  const evenLater = new Date(Date.now() + 120_000);
  utimesSync(join(root, "provider/util"), evenLater, evenLater);
  expect(build.isStale(root)).toBe(true);
});
