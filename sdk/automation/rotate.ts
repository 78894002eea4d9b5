/**
 * `orgseat rotate`: new tokens for some people. A user has one token, so the old value stops before the new one exists.
 * The mark that asks for it stands in the roster, so a run that ends early is finished by the next `up`.
 */
import { formatInstant, instantMs, parseInstant } from "../../provider/api/instants.ts";
import { exportsOf } from "./members.ts";
import type { Organization } from "./organization.ts";
import { resolveMembers } from "./resolve-members.ts";
import { fieldEdit, setField } from "./roster/edit.ts";
import { parseRoster } from "./roster/read.ts";
import type { RosterPerson } from "./roster/roster.ts";
import { readText, rewriteText } from "./roster/text-file.ts";
import { type RotationMarks, rotationMarksOf } from "./rotation.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

/** Emails or keys, one by one; or all managed users; or everybody who has a token. */
export type WhoRotates = readonly string[] | "managed" | "all";

export interface RotateResult extends UpResult {
  /** What was changed in the roster, as a diff; empty where nothing was applied. */
  readonly edit: string;
}

export async function rotateTokens(
  organization: Organization,
  who: WhoRotates,
  options: UpOptions,
): Promise<RotateResult> {
  const { roster, file, now } = organization;
  const keys = chosen(organization, who).map(({ key }) => key);
  const mark = laterThan(rotationMarksOf(await exportsOf(organization)), keys, now());
  const before = await readText(file);
  const text = setField(before, file, keys, "rotation", mark);
  const marked = { ...organization, roster: { ...parseRoster(text, file), file: roster.file } };
  const meant = new Set(keys);
  const isNamed = typeof who !== "string";
  let edit = "";
  const result = await upTo(
    marked,
    {
      ...options,
      onApply: async (preview) => {
        await rewriteText(file, before, text);
        edit = fieldEdit(before, roster.file, keys, "rotation", mark);
        await options.onApply?.(preview);
      },
    },
    {
      namedOneByOne: isNamed,
      // A token of another user, or of none yet, waits for `up`, with that user and seat.
      part: ({ type, action, member, id, news }) =>
        type === "UserToken" && action === "replace" && meant.has(member) && news?.userId === id,
    },
  );
  return { ...result, edit };
}

/** This moment, but later than the last mark of each: another machine's clock may have been ahead. */
function laterThan(marks: RotationMarks, keys: readonly string[], now: number): string {
  const last = keys.flatMap((key) => parseInstant(marks.get(key) ?? "") ?? []).map(instantMs);
  return formatInstant(Math.max(now, ...last.map((at) => at + 1000)));
}

function chosen({ roster }: Organization, who: WhoRotates): RosterPerson[] {
  const withToken = roster.people.filter(({ token }) => token);
  if (who === "all") return withToken;
  if (who === "managed") return withToken.filter(({ purpose }) => purpose !== undefined);
  const named = resolveMembers(who, roster.people.map(labelled), roster.file).map(({ person }) => person);
  const without = named.filter(({ token }) => !token);
  if (without.length === 0) return named;
  const names = without.map(({ email, purpose }) => email ?? purpose).join(", ");
  throw new Error(
    `${names}: no token is managed, so there is none to rotate; write \`token\` yes in ${roster.file}`,
  );
}

function labelled(person: RosterPerson) {
  return { person, key: person.key, label: person.email ?? person.purpose ?? person.key };
}
