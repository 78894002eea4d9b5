/**
 * A transaction of the vector database, as far as the service uses one. The database's own types stay behind it:
 * whoever compiles against this package need not have what they need.
 */
export interface Transaction {
  /** One statement. Its rows are read by a schema. */
  query(statement: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}
