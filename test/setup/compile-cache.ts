import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Node keeps the code that it has compiled, for the many short processes of the tests. */
export const compileCache = join(tmpdir(), "orgseat-compiled");
