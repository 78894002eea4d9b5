/** What happens to a person or an object at the service: each deed with the calls that do it, and how it is told. */

/** What a deed costs whom it is about. */
type Cost =
  /** Nothing is taken away. */
  | "none"
  /** Something is taken away that can be given back as it was. */
  | "takes"
  /** Something is taken away for good: a value, an invitation, an account. */
  | "final";

interface ActionDefinition {
  /** The writes behind it, by their numbers, in their order. */
  readonly calls: readonly number[];
  readonly cost: Cost;
  /** What it is called beside a name. */
  readonly text: string;
  /** The same where what it takes away was not there. */
  readonly textIfGone?: string;
}

/** In the order in which a person should read them: what cannot be taken back comes first. */
export const actions = {
  changeEmail: {
    calls: [5, 11],
    cost: "final",
    text: "joins under the new email, and the old membership ends",
    textIfGone: "joins under the new email; the old membership was gone already",
  },
  changePurpose: {
    calls: [5, 11],
    cost: "final",
    text: "added again with the new purpose, and the old membership ends",
    textIfGone: "added again with the new purpose; the old membership was gone already",
  },
  changeOrganization: {
    calls: [5, 11],
    cost: "final",
    text: "joins the other organization, and leaves the one before",
    textIfGone: "joins the other organization; was no member of the one before any more",
  },
  /** A person becomes a managed user, or a managed user a person. */
  changeKind: {
    calls: [5, 11],
    cost: "final",
    text: "added as a new member, and the old membership ends",
    textIfGone: "added as a new member; the old membership was gone already",
  },
  /** Replaced although nothing that tells who it is has changed, for example by `pulumi up --replace`. */
  replaceMember: {
    calls: [5, 11],
    cost: "final",
    text: "added again as a new member, and the old membership ends",
    textIfGone: "added again as a new member; the old membership was gone already",
  },
  leave: {
    calls: [11],
    cost: "final",
    text: "leaves the organization",
    textIfGone: "was no member under this user id any more",
  },
  revokeToken: { calls: [9], cost: "final", text: "token revoked", textIfGone: "had no token any more" },
  reissueToken: {
    calls: [9, 7],
    cost: "final",
    text: "token replaced: the old value stops before the new one exists",
    textIfGone: "new token issued; the old one was gone already",
  },
  /** Of somebody who was a member before: whether there is a token no call tells. */
  replaceToken: {
    calls: [9, 7],
    cost: "final",
    text: "token issued: one that the person has already stops",
  },
  deleteAccount: {
    calls: [3],
    cost: "final",
    text: "service account deleted",
    textIfGone: "service account was gone already",
  },
  deleteServer: {
    calls: [14],
    cost: "final",
    text: "model server deleted",
    textIfGone: "model server was gone already",
  },
  returnSeat: { calls: [10], cost: "takes", text: "seat given back", textIfGone: "had no seat any more" },
  release: { calls: [], cost: "none", text: "released, stays a member" },
  keepSeat: { calls: [], cost: "none", text: "seat no longer managed, stays assigned" },
  onboard: { calls: [4], cost: "none", text: "invited by mail" },
  join: { calls: [5], cost: "none", text: "joins" },
  adopt: { calls: [], cost: "none", text: "taken over, is a member already" },
  /** Call 6 makes sure of it, but for adoptions, which write nothing; no further seat is used. */
  adoptSeat: { calls: [6], cost: "none", text: "seat taken over" },
  assignSeat: { calls: [6], cost: "none", text: "gets a seat" },
  issueToken: { calls: [7], cost: "none", text: "token issued" },
  renewToken: { calls: [8], cost: "none", text: "token renewed, same value" },
  createAccount: { calls: [1], cost: "none", text: "service account created" },
  createTable: { calls: [16], cost: "none", text: "table created" },
  takeOver: { calls: [], cost: "none", text: "taken over" },
  forget: { calls: [], cost: "none", text: "no longer managed, stays as it is" },
  protect: { calls: [], cost: "none", text: "protected from removal" },
  unprotect: { calls: [], cost: "none", text: "no longer protected from removal" },
  note: { calls: [], cost: "none", text: "noted in the state only" },
} as const satisfies Record<string, ActionDefinition>;

export type Action = keyof typeof actions;

export const actionNames = Object.keys(actions) as readonly Action[];

/** Deeds by which one membership ends and another of the same resource begins. */
export const membershipReplacements = [
  "changeEmail",
  "changePurpose",
  "changeOrganization",
  "changeKind",
  "replaceMember",
] as const satisfies readonly Action[];

/** What is said of a deed that found nothing to take away. */
export function describeIfGone(deed: Action): string {
  const { textIfGone, text }: ActionDefinition = actions[deed];
  return textIfGone ?? text;
}

/** Whether the person loses a token, a seat or the membership by it. */
export function removesAccess(deed: Action): boolean {
  return actions[deed].cost !== "none";
}

export function isIrreversible(deed: Action): boolean {
  return actions[deed].cost === "final";
}
