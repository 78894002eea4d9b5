/** `npm run release -- --out DIR`: makes all files of a release. The same commit makes the same bytes. */
import { parseArgs } from "node:util";
import { packageRoot } from "../sandbox/pulumi/package-root.ts";
import { makeRelease } from "./make.ts";

try {
  const { out } = parseArgs({ options: { out: { type: "string" } } }).values;
  if (out === undefined) throw new Error("no folder for the files: add --out DIR");
  for (const file of makeRelease(packageRoot, out)) process.stdout.write(`${file}\n`);
} catch (error) {
  process.stderr.write(`cannot make the release: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
