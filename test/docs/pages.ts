/** The pages of the documentation, and the parts of them that tests compare with the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { repositoryFiles } from "../setup/repository.ts";

/** The text of a page. @param path from the root of the package */
export function page(path: string): string {
  return readFileSync(join(packageRoot, path), "utf8");
}

/** The paths of README.md and of all pages below docs/ and examples/. */
export function allPages(): string[] {
  return ["README.md", ...repositoryFiles("docs/**/*.md", "examples/**/*.md").toSorted()];
}

/** The text below a heading, up to the next heading. */
export function section(text: string, title: string): string {
  const lines = text.split("\n");
  const headings = headingsOf(lines);
  const found = headings.findIndex((heading) => heading.title === title);
  if (found < 0) throw new Error(`no heading "${title}"`);
  return lines.slice((headings[found]?.line ?? 0) + 1, headings[found + 1]?.line).join("\n");
}

/** The headings and the numbers of their lines. A comment in a code block is no heading. */
export function headingsOf(lines: readonly string[]): { readonly line: number; readonly title: string }[] {
  let isCode = false;
  return lines.flatMap((text, line) => {
    if (/^ *```/.test(text)) isCode = !isCode;
    const title = isCode ? undefined : /^#+ (.*)$/.exec(text)?.[1];
    return title === undefined ? [] : [{ line, title }];
  });
}

export interface ListItem {
  /** In code, before the colon. */
  readonly names: readonly string[];
  readonly text: string;
}

/** The items of a list that begin with code: `- \`name\` (note): text`. */
export function listItems(text: string): ListItem[] {
  return [...text.matchAll(/^- (`[^:]*): (.*)$/gm)].map(([, head = "", rest = ""]) => ({
    names: codeIn(head.replaceAll(/\(.*?\)/g, "")),
    text: rest,
  }));
}

/** The keys of docs/configuration.md: key, variable, the source that wins, default, and description. */
export function settingRows(): string[][] {
  const list = section(page("docs/configuration.md"), "Keys");
  return [...list.matchAll(/^- (`\w+`), (`\w+`) \((\w+)(?:; default: (.*?))?\): (.*)$/gm)].map(
    ([, key = "", variable = "", wins = "", value = "none", text = ""]) => [key, variable, wins, value, text],
  );
}

/** The cells of a table, without the line below its head. */
export function tableRows(text: string): string[][] {
  const lines = [...text.matchAll(/^\|(.*)\|$/gm)].map(([, row = ""]) => row);
  return lines.filter((row) => !/^[-|]+$/.test(row)).map((row) => row.split("|").map((cell) => cell.trim()));
}

/** All names in backticks. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

export interface CodeBlock {
  readonly page: string;
  readonly language: string;
  /** What stands behind the language. */
  readonly note: string;
  readonly text: string;
}

/** The fenced blocks of a page, including those inside a list. */
export function codeBlocks(path: string): CodeBlock[] {
  return [...page(path).matchAll(/^( *)```(\w*) ?(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = "", language = "", note = "", text = ""]) => ({
      ...{ page: path, language, note },
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}
