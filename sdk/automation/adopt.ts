/**
 * `orgseat adopt`: takes existing members under management, and writes nothing at the service. Their ids come from the
 * roster or from a file, because the documented calls list no users.
 */
import type { Organization } from "./organization.ts";
import { addPeople, setHeader } from "./roster/edit.ts";
import { formatOf, parseRoster } from "./roster/read.ts";
import type { Roster, RosterPerson } from "./roster/roster.ts";
import { createText, readText, rewriteText } from "./roster/text-file.ts";
import { newRoster } from "./roster/write.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

export interface AdoptOptions extends UpOptions {
  /** People to add to the roster, each with a user id. Default: the people of the roster with a user id. */
  readonly people?: readonly RosterPerson[] | undefined;
  /** The value of `removal` to write into the roster. Default: unchanged. */
  readonly removal?: Roster["removal"] | undefined;
}

export async function adoptPeople(organization: Organization, options: AdoptOptions): Promise<UpResult> {
  const { file, roster } = organization;
  const before = await readText(file);
  const text = editedText(before, organization, options);
  const adopted = { ...parseRoster(text, file), file: roster.file };
  const keys = new Set(adopted.people.filter(({ userId }) => userId !== undefined).map(({ key }) => key));
  const write = (): Promise<void> => rewriteText(file, before, text);
  const result = await upTo(
    { ...organization, roster: adopted },
    {
      ...options,
      onApply: async (preview) => {
        await write();
        await options.onApply?.(preview);
      },
    },
    {
      environment: { ORGSEAT_ADOPT_ONLY: "1" },
      part: (step) => keys.has(step.member) && step.action === "create" && step.type !== "UserToken",
    },
  );
  // Without people to adopt there is nothing to apply, but the roster may change.
  if (result.status === "succeeded" && result.applied === undefined) await write();
  return result;
}

interface NewRosterOptions {
  readonly organizationId: string | undefined;
  /** A date or an instant. */
  readonly subscription: string | undefined;
}

/** Writes a roster without people. @returns its text @throws without the id of an organization */
export async function createRoster(
  file: string,
  { organizationId, subscription }: NewRosterOptions,
): Promise<string> {
  if (organizationId === undefined || organizationId === "") {
    throw new Error(`${file} does not exist. To create it, pass --organization <id>`);
  }
  const empty = { organizationId, subscriptionExpiresAt: subscription, people: [] };
  const text = newRoster(empty, formatOf(file));
  parseRoster(text, file);
  if (!(await createText(file, text)))
    throw new Error(`another process created ${file}. Run the command again`);
  return text;
}

function editedText(
  text: string,
  { file, roster }: Organization,
  { people = [], removal }: AdoptOptions,
): string {
  refuseIncomplete(people);
  const known = new Set(roster.people.map(({ key }) => key));
  // The value of an existing token cannot be read, so it is not adopted.
  const fresh = people.filter(({ key }) => !known.has(key)).map((person) => ({ ...person, token: false }));
  const withThem = fresh.length === 0 ? text : addPeople(text, file, fresh).text;
  return removal === undefined ? withThem : setHeader(withThem, file, "removal", removal).text;
}

function refuseIncomplete(people: readonly RosterPerson[]): void {
  const without = people.filter(({ userId }) => userId === undefined);
  if (without.length === 0) return;
  const places = without.map(({ place }) => place).join("; ");
  throw new Error(
    `cannot adopt people without a user id: ${places}. This API cannot list users. Copy the ids from the service into user_id, then run the command again`,
  );
}
