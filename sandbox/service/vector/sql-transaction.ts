/**
 * A transaction of the vector database, with the methods that the service uses. It hides the database's own types, so
 * that code that compiles against this package does not need them.
 */
export interface Transaction {
  /** Runs one statement and parses its rows with a schema. */
  query(statement: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}
