/** The commands in the shell blocks of the pages. */
import { codeBlocks } from "./pages.ts";

export interface CommandLine {
  readonly page: string;
  /** As it is written, without its comment. */
  readonly text: string;
  readonly words: readonly string[];
}

/** A block that begins with ```sh real-service needs a service, a backend, or a cloud that no test has. */
const REAL = "real-service";

/** All commands of a page that a test can run. A line with `&&` has several. */
export function commandLines(page: string): CommandLine[] {
  return codeBlocks(page)
    .filter(({ language, note }) => language === "sh" && note !== REAL)
    .flatMap(({ text }) => text.split("\n"))
    .flatMap((line) => line.split(" && "))
    .map((line) => line.replace(/(^|\s+)#.*$/, "").trim())
    .filter((text) => text !== "")
    .map((text) => ({ page, text, words: wordsOf(text) }));
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
