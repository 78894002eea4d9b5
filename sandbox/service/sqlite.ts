/**
 * Node's own SQLite without the warning that Node 22 prints when the module is first loaded: a person who tries the
 * sandbox cannot act on it. Every other warning passes.
 */
type Sqlite = typeof import("node:sqlite");

export function loadSqlite(): Sqlite {
  const original = process.emitWarning;
  const filtered = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).includes("SQLite is an experimental feature")) return;
    Reflect.apply(original, process, [warning, ...rest]);
  };
  process.emitWarning = filtered;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = original;
  }
}
