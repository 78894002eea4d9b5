/** The program of the roster that lies in a folder, for an engine that runs programs inline. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { requestSchema } from "../../sdk/automation/engine/messages.ts";
import { rosterProgram } from "../../sdk/automation/roster/program.ts";

const programSchema = requestSchema.shape.program;

export function inlineProgram(folder: string): Promise<void> {
  const program = programSchema.parse(JSON.parse(readFileSync(join(folder, "roster.json"), "utf8")));
  if (program.kind !== "roster") throw new Error("a roster is expected");
  return rosterProgram(program.roster, { leavers: program.leavers })();
}
