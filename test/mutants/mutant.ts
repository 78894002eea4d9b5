/** A mutant: one named break of the code, which at least one test has to notice. */
export interface Mutant {
  /** What is wrong then, as a sentence without an end. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Where a test turns red, the quickest ones. */
  readonly tests: readonly string[];
  /** Of those files only the tests whose name holds this. */
  readonly only?: string;
  /** The rows of the interface that it breaks, by their ids: a test that names the row turns red for each. */
  readonly rows?: readonly string[];
}

/** The file's text with the break in it. @throws if `find` does not stand in it exactly once */
export function broken({ name, file, find, replace }: Mutant, text: string): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0 || find === replace) {
    throw new Error(`mutant "${name}": its text stands ${text.split(find).length - 1} times in ${file}`);
  }
  return before + replace + after;
}

/**
 * A text has four lines for each mutant: its name; file, tests, the part of their titles and rows between bars; and as in a
 * diff what it finds and what it puts there, in which `\\n` is the end of a line.
 */
export function mutantsIn(text: string): Mutant[] {
  const lines = text.trim().split("\n");
  const starts = lines.flatMap((line, index) => (/^(?: {2}|[-+](?: |$))/.test(line) ? [] : [index]));
  return starts.map((start) => {
    const [name = "", where = "", find = "", replace = ""] = lines.slice(start, start + 4);
    const [file = "", tests = "", only = "-", rows = ""] = where.trim().split(" | ");
    return {
      ...{ name, file, find: codeIn(find), replace: codeIn(replace) },
      ...{ tests: tests.split(" "), rows: rows.split("; "), ...(only !== "-" && { only }) },
    };
  });
}

function codeIn(line: string): string {
  return line.slice(2).replaceAll("\\n", "\n").replaceAll("\\`", "`");
}
