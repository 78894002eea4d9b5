/** The model area's tables in the service's database. Vector tables are in a database of their own. */
export const MODEL_TABLES_SQL = `
CREATE TABLE api_keys (
  hash TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE models (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL
) STRICT;
CREATE TABLE model_files (
  id TEXT PRIMARY KEY,
  model_id TEXT NOT NULL REFERENCES models(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  quantization TEXT NOT NULL,
  format TEXT NOT NULL,
  max_ram_usage INTEGER NOT NULL,
  -- The received bytes and the elapsed time of the download at \`resumed_at\`, which is null while it is stopped.
  received_bytes INTEGER NOT NULL,
  spent_ms INTEGER NOT NULL,
  bytes_per_second INTEGER NOT NULL,
  resumed_at INTEGER,
  paused INTEGER NOT NULL
) STRICT;
CREATE TABLE servers (
  id TEXT PRIMARY KEY,
  tag TEXT NOT NULL,
  file_id TEXT NOT NULL REFERENCES model_files(id),
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  process_id INTEGER NOT NULL,
  config TEXT NOT NULL,
  status TEXT NOT NULL,
  -- The start of the current status, by the service's clock.
  since INTEGER NOT NULL
) STRICT;
`;

/** In an order that breaks no foreign key. */
export const MODEL_TABLES = ["servers", "model_files", "models", "api_keys"];
