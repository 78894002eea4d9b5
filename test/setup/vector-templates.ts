import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const pglite = readFileSync(join(packageRoot, "node_modules/@electric-sql/pglite/package.json"));

/** Where tests find a fresh vector database to copy, one for each version of PostgreSQL: making one takes seconds. */
export const vectorTemplates = join(
  packageRoot,
  ".orgseat",
  `vector-templates-${createHash("sha256").update(pglite).digest("hex").slice(0, 8)}`,
);
