/** Links between the pages lead to a file and a heading that exist. */
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { repositoryFiles } from "../setup/repository.ts";
import { allPages, headingsOf, page } from "./pages.ts";

/** The anchors of a page, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  return headingsOf(page(path).split("\n")).map(({ title }) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

test.each([...new Set([...allPages(), ...repositoryFiles("*.md", "bench/*.md")])])(
  "the links of %s",
  (path) => {
    const targets = [...page(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = targets.filter(([, file = "", anchor]) => {
      const target = file === "" ? path : relative(packageRoot, join(packageRoot, dirname(path), file));
      if (!existsSync(join(packageRoot, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  },
);
