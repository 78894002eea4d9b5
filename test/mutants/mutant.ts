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

/** The file's text with the break in it. @throws where `find` does not stand in it exactly once */
export function broken({ name, file, find, replace }: Mutant, text: string): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0 || find === replace) {
    throw new Error(`mutant "${name}": its text stands ${text.split(find).length - 1} times in ${file}`);
  }
  return before + replace + after;
}
