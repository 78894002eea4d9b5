/** What happens to a person or an object at the service: each deed with the calls that do it, and how it is told. */

/** What a deed costs whom it is about. */
type Cost =
  /** Nothing is taken away. */
  | "none"
  /** Something is taken away that can be given back as it was. */
  | "takes"
  /** Something is taken away for good: a value, an invitation, an account. */
  | "final";

interface DeedFacts {
  /** The writes behind it, by their numbers, in their order. */
  readonly calls: readonly number[];
  readonly cost: Cost;
  /** What it is called beside a name. */
  readonly words: string;
  /** The same where what it takes away was not there. */
  readonly gone?: string;
}

/** In the order in which a person should read them: what cannot be taken back comes first. */
export const deeds = {
  changeEmail: {
    calls: [5, 11],
    cost: "final",
    words: "joins under the new email, and the old membership ends",
    gone: "joins under the new email; the old membership was gone already",
  },
  changePurpose: {
    calls: [5, 11],
    cost: "final",
    words: "added again with the new purpose, and the old membership ends",
    gone: "added again with the new purpose; the old membership was gone already",
  },
  changeOrganization: {
    calls: [5, 11],
    cost: "final",
    words: "joins the other organization, and leaves the one before",
    gone: "joins the other organization; was no member of the one before any more",
  },
  /** A person becomes a managed user, or a managed user a person. */
  changeKind: {
    calls: [5, 11],
    cost: "final",
    words: "added as a new member, and the old membership ends",
    gone: "added as a new member; the old membership was gone already",
  },
  /** Replaced although nothing that tells who it is has changed, for example by `pulumi up --replace`. */
  replaceMember: {
    calls: [5, 11],
    cost: "final",
    words: "added again as a new member, and the old membership ends",
    gone: "added again as a new member; the old membership was gone already",
  },
  leave: {
    calls: [11],
    cost: "final",
    words: "leaves the organization",
    gone: "was no member under this user id any more",
  },
  revokeToken: { calls: [9], cost: "final", words: "token revoked", gone: "had no token any more" },
  reissueToken: {
    calls: [9, 7],
    cost: "final",
    words: "token replaced: the old value stops before the new one exists",
    gone: "new token issued; the old one was gone already",
  },
  /** Of somebody who was a member before: whether there is a token no call tells. */
  replaceToken: {
    calls: [9, 7],
    cost: "final",
    words: "token issued: one that the person has already stops",
  },
  deleteAccount: {
    calls: [3],
    cost: "final",
    words: "service account deleted",
    gone: "service account was gone already",
  },
  deleteServer: {
    calls: [14],
    cost: "final",
    words: "model server deleted",
    gone: "model server was gone already",
  },
  returnSeat: { calls: [10], cost: "takes", words: "seat given back", gone: "had no seat any more" },
  release: { calls: [], cost: "none", words: "released, stays a member" },
  keepSeat: { calls: [], cost: "none", words: "seat no longer managed, stays assigned" },
  onboard: { calls: [4], cost: "none", words: "invited by mail" },
  join: { calls: [5], cost: "none", words: "joins" },
  adopt: { calls: [], cost: "none", words: "taken over, is a member already" },
  /** Call 6 makes sure of it, but for adoptions, which write nothing; no further seat is used. */
  adoptSeat: { calls: [6], cost: "none", words: "seat taken over" },
  assignSeat: { calls: [6], cost: "none", words: "gets a seat" },
  issueToken: { calls: [7], cost: "none", words: "token issued" },
  renewToken: { calls: [8], cost: "none", words: "token renewed, same value" },
  createAccount: { calls: [1], cost: "none", words: "service account created" },
  createTable: { calls: [16], cost: "none", words: "table created" },
  takeOver: { calls: [], cost: "none", words: "taken over" },
  forget: { calls: [], cost: "none", words: "no longer managed, stays as it is" },
  protect: { calls: [], cost: "none", words: "protected from removal" },
  unprotect: { calls: [], cost: "none", words: "no longer protected from removal" },
  note: { calls: [], cost: "none", words: "noted in the state only" },
} as const satisfies Record<string, DeedFacts>;

export type Deed = keyof typeof deeds;

export const deedNames = Object.keys(deeds) as readonly Deed[];

/** Deeds by which one membership ends and another of the same resource begins. */
export const replacements = [
  "changeEmail",
  "changePurpose",
  "changeOrganization",
  "changeKind",
  "replaceMember",
] as const satisfies readonly Deed[];

/** What is said of a deed that found nothing to take away. */
export function wordsOfGone(deed: Deed): string {
  const { gone, words }: DeedFacts = deeds[deed];
  return gone ?? words;
}

/** Whether the person loses a token, a seat or the membership by it. */
export function takesAway(deed: Deed): boolean {
  return deeds[deed].cost !== "none";
}

export function isFinal(deed: Deed): boolean {
  return deeds[deed].cost === "final";
}
