/** The program of the roster that lies in a folder, for an engine that runs programs inline. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../sdk/automation/engine/engine.ts";
import { rosterProgram } from "../../sdk/automation/roster/program.ts";

export function inlineProgram(folder: string): Promise<void> {
  const program: Program = JSON.parse(readFileSync(join(folder, "roster.json"), "utf8"));
  if (program.kind !== "roster") throw new Error("a roster is expected");
  return rosterProgram(program.roster, { leavers: program.leavers })();
}
