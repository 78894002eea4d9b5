/**
 * What a 404 or 410 to a delete says (D15). A refused account gets the same status, so only an error that names what is
 * missing shows that there was nothing to delete. Pure.
 */

/** `object`: what the call deletes, such as the token. `user`: the user whose token or seat it is. */
export type Missing = "object" | "user";

/** What a message says about an error that names nothing. */
export const NOT_PROVED =
  "The error does not say that there is no such token, seat, or user: a service account without rights gets the same. Nothing leaves the state. Check orgseat:organizationId, orgseat:orgUrl, orgseat:platform, and the rights of the service account, then run again. If the object no longer exists, remove it from the state (`pulumi state delete`)";

const NOUNS = {
  token: ["token", "tokens"],
  seat: ["seat", "seats", "license", "licence"],
  user: ["user", "users", "member", "membership"],
} as const;

/** An error with one of these words is about the organization, the address, or the rights of the account. */
const OTHER_SUBJECTS =
  /\b(org|orgs|organi[sz]ations?|tenant|route|endpoint|path|url|page|method|permissions?|permitted|access|allowed|authori[sz]\w*|forbidden|denied|credentials?|scopes?|roles?|service accounts?)\b/;
/** `no such user in the organization` is about the user. */
const PLACE = /\b(in|of|from|to|within) (the |this |your )?organi[sz]ation\b/g;

/** What a call on a user deletes, by the end of its path. */
function objectOf(path: string): keyof typeof NOUNS {
  if (path.includes("/token")) return "token";
  return path.endsWith("/seats") ? "seat" : "user";
}

/**
 * What the error of a delete on a user names as missing; undefined if it names neither the object nor the user.
 * @param path of the call
 */
export function missingIn(
  path: string,
  { code = "", message }: { readonly code?: string | undefined; readonly message: string },
): Missing | undefined {
  if (!path.includes("{user_id}")) return undefined;
  const object = objectOf(path);
  for (const text of [plain(code), plain(message).replace(PLACE, "")]) {
    if (OTHER_SUBJECTS.test(text)) return undefined;
    const words = new Set<string>(text.split(" "));
    if (object !== "user" && NOUNS[object].some((noun) => words.has(noun))) return "object";
    if (NOUNS.user.some((noun) => words.has(noun))) return "user";
  }
  return undefined;
}

/** `USER_NOT_FOUND` and `userNotFound` as `user not found`. */
function plain(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim();
}
