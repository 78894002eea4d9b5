/**
 * `orgseat rotate`: new tokens for some people. A user has one token, so the old value stops before the new one exists.
 * The mark that asks for it stands in the roster, so a run that ends early is finished by the next `up`.
 */
import { formatInstant } from "../../provider/api/instants.ts";
import type { Organization } from "./organization.ts";
import { setField } from "./roster/edit.ts";
import { parseRoster } from "./roster/read.ts";
import type { Person } from "./roster/roster.ts";
import { readText, rewriteText } from "./roster/text-file.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";
import { findAll } from "./who.ts";

/** Emails or keys, one by one; or all managed users; or everybody who has a token. */
export type WhoRotates = readonly string[] | "managed" | "all";

export async function rotateTokens(
  organization: Organization,
  who: WhoRotates,
  options: UpOptions,
): Promise<UpResult> {
  const { roster, file, now } = organization;
  const people = chosen(organization, who);
  const mark = formatInstant(now());
  const keys = people.map(({ key }) => key);
  const before = await readText(file);
  const text = setField(before, file, keys, "rotation", mark);
  const marked = { ...organization, roster: { ...parseRoster(text, file), file: roster.file } };
  const meant = new Set(keys);
  const isNamed = typeof who !== "string";
  return upTo(
    marked,
    {
      ...options,
      onApply: async (preview) => {
        await rewriteText(file, before, text);
        await options.onApply?.(preview);
      },
    },
    {
      namedOneByOne: isNamed,
      // A token that is still to be made waits for `up`, with its user and seat.
      part: ({ type, action, member }) => type === "UserToken" && action === "replace" && meant.has(member),
    },
  );
}

function chosen({ roster }: Organization, who: WhoRotates): Person[] {
  const withToken = roster.people.filter(({ token }) => token);
  if (who === "all") return withToken;
  if (who === "managed") return withToken.filter(({ purpose }) => purpose !== undefined);
  const named = findAll(who, roster.people.map(labelled), roster.file).map(({ person }) => person);
  const without = named.filter(({ token }) => !token);
  if (without.length === 0) return named;
  const names = without.map(({ email, purpose }) => email ?? purpose).join(", ");
  throw new Error(
    `${names}: no token is managed, so there is none to rotate; write \`token\` yes in ${roster.file}`,
  );
}

function labelled(person: Person) {
  return { person, key: person.key, label: person.email ?? person.purpose ?? person.key };
}
