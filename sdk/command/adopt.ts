/** `orgseat adopt`. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { adoptPeople, beginRoster } from "../automation/adopt.ts";
import type { Organization } from "../automation/organization.ts";
import { readPeople } from "../automation/roster/read.ts";
import { readText } from "../automation/roster/text-file.ts";
import type { AdoptFlags } from "./flags.ts";
import { ROSTERS } from "./options.ts";
import { runVerb } from "./session.ts";
import { canAsk, choose } from "./terminal.ts";

const REMOVALS = ["remove", "release"] as const;
type Removal = (typeof REMOVALS)[number];

export async function adoptVerb(file: string | undefined, options: AdoptFlags): Promise<void> {
  const roster = options.roster ?? ROSTERS.find((name) => existsSync(name)) ?? "people.csv";
  const begun = existsSync(roster)
    ? undefined
    : await beginRoster(roster, {
        organizationId: options.organization ?? process.env.ORGSEAT_ORGANIZATION_ID,
        subscription: options.subscription,
      });
  try {
    await adoptInto(roster, file, options);
  } finally {
    // Of a run that adopted nobody no roster is left behind.
    if (begun !== undefined && (await readText(roster)) === begun) await rm(roster);
  }
}

async function adoptInto(roster: string, file: string | undefined, options: AdoptFlags): Promise<void> {
  let removal: Removal | undefined;
  await runVerb(
    "Taking over",
    { ...options, roster },
    async (organization, up) => {
      const people =
        file === undefined ? undefined : await readPeople(file, organization.roster.organizationId);
      return adoptPeople(organization, { ...up, people, removal });
    },
    {
      // Nothing is sent.
      triesCredentials: false,
      prepare: async (organization) => {
        removal = await removalOf(organization, options);
      },
    },
  );
}

/** Asked once: then the roster has the answer. */
async function removalOf(
  { roster }: Organization,
  { onRemoval, json }: AdoptFlags,
): Promise<Removal | undefined> {
  if (onRemoval !== undefined) {
    const said = REMOVALS.find((one) => one === onRemoval);
    if (said === undefined) throw new Error(`--on-removal is ${REMOVALS.join(" or ")}, and not ${onRemoval}`);
    return said;
  }
  if (roster.removal !== undefined) return undefined;
  if (!canAsk({ json })) {
    throw new Error(
      "say what it shall mean that a row is gone later on: --on-removal remove (the person leaves the organization) or --on-removal release (stays a member, no longer managed)",
    );
  }
  const answer = await choose(
    "When a row is gone later on, shall that person be removed from the organization, or released and stay a member?",
    REMOVALS,
  );
  if (answer === undefined) throw new Error("nothing was taken over: that was neither remove nor release");
  return REMOVALS.find((one) => one === answer);
}
