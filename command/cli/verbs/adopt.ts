/** `orgseat adopt`. */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { cut, limitOf } from "../../../provider/util/text.ts";
import type { TextOptions } from "../../plan/texts/text.ts";
import { refuseOtherSettings } from "../../roster/edit/settings.ts";
import { readText } from "../../roster/formats/text-file.ts";
import type { Organization } from "../../stacks/organization.ts";
import { type AdoptResult, adoptAll, peopleToAdopt } from "../../verbs/adopt.ts";
import { createRoster, ignoreFiles } from "../../verbs/init.ts";
import type { AdoptFlags } from "../line/flags.ts";
import { defaultRoster, onDeletes } from "../line/options.ts";
import { printNote } from "../output.ts";
import { resultToText } from "../results.ts";
import { resultToJson } from "../results-json.ts";
import { runVerb } from "../session.ts";
import { canAsk, choose } from "../terminal.ts";

export async function adoptVerb(file: string | undefined, options: AdoptFlags): Promise<void> {
  if (file !== undefined && options.onlyUnmanaged)
    throw new CodedError(
      "invalid-flag",
      "--only-unmanaged selects members without a file: omit one of the two",
    );
  const roster = options.roster ?? defaultRoster() ?? "people.csv";
  const begun = existsSync(roster)
    ? undefined
    : await createRoster(roster, {
        organizationId: options.organization ?? process.env.ORGSEAT_ORGANIZATION_ID,
        subscription: options.subscription,
      });
  try {
    await adoptInto(roster, file, options);
  } finally {
    if (begun !== undefined) await settleRoster(roster, begun);
  }
}

/** A run without adoptions leaves no new roster. */
async function settleRoster(roster: string, begun: string): Promise<void> {
  if ((await readText(roster)) === begun) return rm(roster);
  const ignored = await ignoreFiles(dirname(roster));
  if (ignored.length > 0) printNote(`Added ${ignored.join(", ")} to .gitignore.`);
}

async function adoptInto(roster: string, file: string | undefined, options: AdoptFlags): Promise<void> {
  let onDelete: AdoptFlags["onDelete"];
  await runVerb(
    "Adopting",
    { ...options, roster },
    async (organization, up) => {
      const people = file === undefined ? undefined : await peopleToAdopt(organization, file);
      return adoptAll(organization, { ...up, people, onDelete, onlyUnmanaged: options.onlyUnmanaged });
    },
    {
      // Nothing is sent.
      triesCredentials: false,
      text: (result, given) => resultToText(result, given) + notesInText(result, given),
      json: (result) => ({ ...resultToJson(result), notes: result.notes }),
      prepare: async (organization) => {
        const { organization: given, subscription } = options;
        refuseOtherSettings(organization.roster, { organization: given, subscription });
        onDelete = await onDeleteOf(organization, options);
      },
    },
  );
}

function notesInText({ notes }: AdoptResult, options: TextOptions): string {
  if (notes.length === 0) return "";
  const lines = notes.map(({ who, text }) => `  ${who}: ${text}`);
  const shown = cut(lines, limitOf(options));
  return `\n\nNot adopted, or only in part:\n${shown.join("\n")}`;
}

/** Asks once: then the roster has the answer. */
async function onDeleteOf(
  { roster }: Organization,
  { onDelete, json }: AdoptFlags,
): Promise<AdoptFlags["onDelete"]> {
  if (onDelete !== undefined) return onDelete;
  if (roster.onDelete !== undefined || roster.membership !== undefined) return undefined;
  if (!canAsk({ json })) {
    throw new CodedError(
      "invalid-flag",
      "--on-delete must be passed in to proceed: delete (a person whose row is removed later leaves the organization) or retain (the person stays a member, no longer managed)",
    );
  }
  const answer = await choose(
    "If you remove a row later, should orgseat remove the person from the organization (delete), or does the person stay a member (retain)?",
    onDeletes,
  );
  if (answer === undefined)
    throw new CodedError("invalid-flag", "invalid answer: expected delete or retain. No changes were made");
  return answer;
}
