/** The source files in which a function ran, by the coverage that Node writes into the folder NODE_V8_COVERAGE. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const OWN = /\/dist\/((?:command|provider|sdk)\/.*)\.js$/;

const coverageSchema = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          functionName: z.string(),
          ranges: z.array(z.object({ startOffset: z.int(), count: z.int() })),
        }),
      ),
    }),
  ),
});

/** Loading a file does not count. */
export function enteredFiles(folder: string): string[] {
  const entered = readdirSync(folder).flatMap((name) => {
    const { result } = coverageSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    return result.flatMap(({ url, functions }) => {
      const file = OWN.exec(url)?.[1];
      const ran = functions.some(
        ({ functionName, ranges: [whole] }) =>
          (functionName !== "" || (whole?.startOffset ?? 0) > 0) && (whole?.count ?? 0) > 0,
      );
      return file !== undefined && ran ? [file] : [];
    });
  });
  return [...new Set(entered)].toSorted();
}
