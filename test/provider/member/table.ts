/** A row of a table of steps: what is given, and the steps in short on basic and on anaconda. */
export interface Row<Given> {
  readonly title: string;
  readonly given: Given;
  readonly basic: string;
  readonly anaconda: string;
}

/**
 * Reads a table: of each row the title and a colon, what is given, and the steps, or `nothing`; a bar stands between those of
 * basic and of anaconda, if they differ. A line that begins with `//` is a comment.
 */
export function rowsIn<Given>(
  texts: TemplateStringsArray,
  ...given: readonly Given[]
): readonly Row<Given>[] {
  const parts = texts.map((text) => {
    const lines = text.split("\n").map((line) => line.trim());
    return lines.filter((line) => line !== "" && !line.startsWith("//"));
  });
  return given.map((one, index) => {
    const title = parts[index]?.at(-1) ?? "";
    const after = parts[index + 1] ?? [];
    const steps = index + 1 < given.length ? after.slice(0, -1) : after;
    const [basic = "", anaconda = basic] = steps
      .join(" ")
      .split(" | ")
      .map((text) => (text === "nothing" ? "" : text));
    if (!title.endsWith(":") || steps.length === 0) throw new Error(`not a row: ${title}`);
    return { title: title.slice(0, -1), given: one, basic, anaconda };
  });
}
