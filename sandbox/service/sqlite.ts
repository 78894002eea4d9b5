/**
 * Node's own SQLite without the warning that Node 22 prints on the first load, on which a user of the sandbox cannot
 * act. Other warnings pass.
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
