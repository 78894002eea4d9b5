/** `orgseat preview --offline`. */
import { CodedError } from "../../../../provider/util/error-codes.ts";
import { countedPeople } from "../../../../provider/util/text.ts";
import { truncatedFiles } from "../../../plan/guards/file-guards.ts";
import { readRoster } from "../../../roster/read.ts";
import { sharedNamesIn } from "../../../roster/roster.ts";
import type { CommonOptions } from "../../line/options.ts";
import { organizationOptions } from "../../line/options.ts";
import { printResult } from "../../output.ts";

/** @throws RosterError with all issues of the roster */
export async function checkRoster(options: CommonOptions): Promise<void> {
  const { roster: file } = organizationOptions(options);
  const roster = await readRoster(file, Date.now());
  const { people, organizationId } = roster;
  const truncated = truncatedFiles(roster).map(({ text }) => text);
  if (truncated.length > 0) throw new CodedError("short-roster", truncated.join("\n"));
  const warnings = sharedNamesIn(people);
  printResult(options, { file, organizationId, people: people.length, warnings }, () =>
    [`${file} is valid: ${countedPeople(people.length)}`, ...warnings.map((text) => `warning: ${text}`)].join(
      "\n",
    ),
  );
}
