/**
 * Formats text from files, states and the service as Markdown without effects: no link, image, mention, reference to an
 * issue or commit, HTML or table cell. GitHub looks for mentions, references and addresses in the rendered page, outside
 * code only, so escaping does not help: everything except plain words becomes code.
 */

import { visible } from "../../../provider/util/text.ts";

/** The maximum number of characters of a name. */
const NAME = 120;

/** A name as code. */
export function code(text: string): string {
  const shown = shortened(onOneLine(text), NAME);
  return shown === "" ? "(empty)" : fenced(shown);
}

/** A name as code in a table row, where a pipe ends the cell even in code. */
export function cell(text: string): string {
  return inCell(code(text));
}

/** A backslash in front of a pipe would escape the one that escapes the pipe. */
function inCell(markdown: string): string {
  return markdown.replace(/\\(?=\|)/g, "\\ ").replaceAll("|", "\\|");
}

/**
 * Sentences: plain words unchanged, everything else as code, including text in backticks.
 * @param limit the maximum number of characters
 */
export function prose(text: string, limit: number): string {
  const found: string[] = [];
  let signs: string[] = [];
  const endCode = () => {
    if (signs.length > 0) found.push(fenced(signs.join(" ")));
    signs = [];
  };
  for (const part of shortened(onOneLine(text), limit).split(/(`[^`]+`\S*)/)) {
    const marked = /^`([^`]+)`([.,;:!?)]*)$/.exec(part);
    if (marked !== null) {
      endCode();
      found.push(`${fenced(marked[1]?.trim() || " ")}${marked[2]}`);
      continue;
    }
    const words = part.split(" ").filter((one) => one !== "");
    for (const [index, word] of words.entries()) {
      // Both values of a change are one name.
      const isChanged = [words[index - 1], words[index + 1]].includes("->");
      if (isChanged || !isPlain(word)) {
        signs.push(word);
        continue;
      }
      endCode();
      found.push(word);
    }
  }
  endCode();
  return found.join(" ");
}

/** Sentences in a table row. */
export function proseCell(text: string, limit: number): string {
  return inCell(prose(text, limit));
}

/** Whether it is a word or a number with punctuation that GitHub does not turn into a link. */
function isPlain(word: string): boolean {
  if (/^[("]?[0-9a-f]{7,}\W*$/i.test(word)) return false;
  return /^(?:[("]?(?:[a-z]+(?:['-][a-z]+)*|\d+(?:[.,]\d+)*%?)|%)[)"]?[.,;:!?]*$/i.test(word);
}

function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

/** On one line, with invisible characters and changes of direction as numbers: they could make the text misleading. Joiners become spaces. */
function onOneLine(text: string): string {
  const line = text.toWellFormed().replace(/[\s\p{Cc}]+/gu, " ");
  return visible(line)
    .replace(/\p{Cf}+/gu, " ")
    .trim();
}

function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
