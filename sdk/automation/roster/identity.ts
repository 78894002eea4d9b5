/** Who is who across lists: two entries are one person where they share the key, the email or the user id. */

export interface Identity {
  readonly key?: string | undefined;
  /** In any letter case. */
  readonly email?: string | undefined;
  /** In any letter case. */
  readonly userId?: string | undefined;
}

/** @returns whether somebody is one of `people` */
export function among(people: Iterable<Identity>): (somebody: Identity) => boolean {
  const known = new Set([...people].flatMap(traits));
  return (somebody) => traits(somebody).some((trait) => known.has(trait));
}

/** An empty value is none: two people without an email are two people. */
function traits({ key, email, userId }: Identity): string[] {
  return [
    ...(key ? [`key ${key}`] : []),
    ...(email ? [`email ${email.toLowerCase()}`] : []),
    ...(userId ? [`id ${userId.toLowerCase()}`] : []),
  ];
}
