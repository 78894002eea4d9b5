/** `orgseat adopt`. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { grouped, LISTED } from "../../../provider/util/text.ts";
import type { TextOptions } from "../../automation/plan/texts/text.ts";
import { readText } from "../../automation/roster/formats/text-file.ts";
import { readPeople } from "../../automation/roster/read.ts";
import type { Organization } from "../../automation/stacks/organization.ts";
import { type AdoptResult, adoptAll, createRoster } from "../../automation/verbs/adopt.ts";
import type { AdoptFlags } from "../flags.ts";
import { ROSTERS } from "../options.ts";
import { resultToText } from "../results.ts";
import { resultToJson } from "../results-json.ts";
import { runVerb } from "../session.ts";
import { canAsk, choose } from "../terminal.ts";

const REMOVALS = ["remove", "release"] as const;
type Removal = (typeof REMOVALS)[number];

export async function adoptVerb(file: string | undefined, options: AdoptFlags): Promise<void> {
  const roster = options.roster ?? ROSTERS.find((name) => existsSync(name)) ?? "people.csv";
  const begun = existsSync(roster)
    ? undefined
    : await createRoster(roster, {
        organizationId: options.organization ?? process.env.ORGSEAT_ORGANIZATION_ID,
        subscription: options.subscription,
      });
  try {
    await adoptInto(roster, file, options);
  } finally {
    // A run without adoptions leaves no new roster.
    if (begun !== undefined && (await readText(roster)) === begun) await rm(roster);
  }
}

async function adoptInto(roster: string, file: string | undefined, options: AdoptFlags): Promise<void> {
  let removal: Removal | undefined;
  await runVerb(
    "Adopting",
    { ...options, roster },
    async (organization, up) => {
      const people =
        file === undefined ? undefined : await readPeople(file, organization.roster.organizationId);
      return adoptAll(organization, { ...up, people, removal, onlyUnmanaged: options.onlyUnmanaged });
    },
    {
      // Nothing is sent.
      triesCredentials: false,
      text: (result, given) => resultToText(result, given) + notesInText(result, given),
      json: (result) => ({ ...resultToJson(result), notes: result.notes }),
      prepare: async (organization) => {
        removal = await removalOf(organization, options);
      },
    },
  );
}

function notesInText({ notes }: AdoptResult, { verbose = false }: TextOptions): string {
  if (notes.length === 0) return "";
  const shown = verbose ? notes : notes.slice(0, LISTED);
  const more = notes.length - shown.length;
  const lines = shown.map(({ who, text }) => `  ${who}: ${text}`);
  return `\n\nNot adopted:\n${[...lines, ...(more > 0 ? [`  and ${grouped(more)} more`] : [])].join("\n")}`;
}

/** Asks once: then the roster has the answer. */
async function removalOf(
  { roster }: Organization,
  { onRemoval, json }: AdoptFlags,
): Promise<Removal | undefined> {
  if (onRemoval !== undefined) {
    const removal = REMOVALS.find((one) => one === onRemoval);
    if (removal === undefined)
      throw new Error(`invalid --on-removal ${onRemoval}: expected ${REMOVALS.join(" or ")}`);
    return removal;
  }
  if (roster.removal !== undefined) return undefined;
  if (!canAsk({ json })) {
    throw new Error(
      "--on-removal must be passed in to proceed: remove (a person whose row is removed later leaves the organization) or release (the person stays a member, no longer managed)",
    );
  }
  const answer = await choose(
    "If you remove a row later, should orgseat remove the person from the organization, or release the person, who stays a member?",
    REMOVALS,
  );
  if (answer === undefined)
    throw new Error("invalid answer: expected remove or release. No changes were made");
  return REMOVALS.find((one) => one === answer);
}
