/**
 * Text from files, states and the service as Markdown that shows it and does nothing else: no link, image, mention,
 * reference to an issue or commit, HTML or table cell comes out of it. GitHub looks for mentions, references and
 * addresses in the finished page, outside code alone, so escaping signs does not help: whatever is no plain word
 * becomes code.
 */

/** Characters of one name, at most. */
const NAME = 120;

/** A name as code. */
export function code(text: string): string {
  const shown = shortened(onOneLine(text), NAME);
  return shown === "" ? "(empty)" : fenced(shown);
}

/** The same in a row of a table, where a pipe ends the cell even in code. */
export function cell(text: string): string {
  // A backslash in front of a pipe would escape the one that escapes the pipe.
  return code(text)
    .replace(/\\(?=\|)/g, "\\ ")
    .replaceAll("|", "\\|");
}

/**
 * Sentences: plain words as they are, all else as code, what stands between two backticks too.
 * @param limit characters of the text, at most
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
    for (const word of part.split(" ").filter((one) => one !== "")) {
      if (!isPlain(word)) {
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

/** A word or a number with its punctuation, in no form that GitHub makes a link of. */
function isPlain(word: string): boolean {
  if (/^[("]?[0-9a-f]{7,}\W*$/i.test(word)) return false;
  return /^(?:[("]?(?:[a-z]+(?:['-][a-z]+)*|\d+(?:[.,]\d+)*%?)|%)[)"]?[.,;:!?]*$/i.test(word);
}

function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

/** Signs that nobody sees, or that turn the direction of what follows, could tell another story than the text. */
function onOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
