/** What has happened to people at the service, by comparing it before and after; and what a plan says will happen. */

import type { PlannedMember } from "../../command/plan/members.ts";
import type { Plan } from "../../command/plan/plan.ts";
import type { ServiceSnapshot } from "../../sandbox/service/index.ts";

/** One thing that happens to one person: `join ada@acme.example`, `token- 7a1f…`. Who is new has no id yet. */
export type Effect =
  `${"join" | "leave" | "seat+" | "seat-" | "token+" | "token-" | "token~" | "renew"} ${string}`;

/** What has happened between two looks at the service. */
export function effectsBetween(before: ServiceSnapshot, after: ServiceSnapshot): Set<Effect> {
  const [old, now] = [peopleIn(before), peopleIn(after)];
  const effects = new Set<Effect>();
  for (const [id, { who, seat, token }] of now) {
    const known = old.get(id);
    const name = known === undefined ? who : id;
    if (known === undefined) effects.add(`join ${who}`);
    if (seat && !known?.seat) effects.add(`seat+ ${name}`);
    if (token !== undefined && known?.token === undefined) effects.add(`token+ ${name}`);
    if (token === undefined || known?.token === undefined) continue;
    if (token.hash !== known.token.hash) effects.add(`token~ ${id}`);
    else if (token.expiresAt !== known.token.expiresAt) effects.add(`renew ${id}`);
  }
  for (const [id, { seat, token }] of old) {
    const left = now.get(id);
    if (left === undefined) effects.add(`leave ${id}`);
    if (seat && !left?.seat) effects.add(`seat- ${id}`);
    if (token !== undefined && left?.token === undefined) effects.add(`token- ${id}`);
  }
  return effects;
}

interface PersonAtService {
  readonly who: string;
  readonly seat: boolean;
  readonly token: ServiceSnapshot["tokens"][number] | undefined;
}

function peopleIn({ users, tokens }: ServiceSnapshot): Map<string, PersonAtService> {
  const byUser = new Map(tokens.map((token) => [token.userId, token]));
  return new Map(
    users.map(({ userId, email, firstName, seat }) => [
      userId,
      { who: email ?? firstName ?? userId, seat, token: byUser.get(userId) },
    ]),
  );
}

/** Everything that a plan may do to anybody. */
export function effectsOf({ members }: Plan): Set<Effect> {
  return new Set(members.flatMap(effectsOfMember));
}

/** Everything that a plan may do to one person. */
export function effectsOfMember({ steps }: PlannedMember): Effect[] {
  const user = steps.find(({ type }) => type === "OrgUser");
  // Whoever is made anew, by a row of another email or purpose, is someone else than whoever goes.
  const isAnother = user !== undefined && (user.action === "create" || user.action === "replace");
  const adopted = typeof user?.news?.adopt === "string" ? user.news.adopt : undefined;
  const newcomer = isAnother ? (adopted ?? nameIn(user.news)) : undefined;
  // What an interrupted run has left of a replacement is still of the one before.
  const next = newcomer ?? user?.id ?? steps.find(({ id }) => id !== undefined)?.id ?? "";
  return steps.flatMap(({ type, action, id }): Effect[] => {
    const comes = action === "create" || action === "replace";
    const goes = action === "delete" || action === "replace";
    if (type === "OrgUser") {
      return [
        ...(comes && adopted === undefined ? [`join ${next}` as const] : []),
        ...(goes ? [`leave ${id}` as const] : []),
      ];
    }
    if (type === "SeatAssignment") {
      const heals = action === "update";
      return [
        ...(comes || heals ? [`seat+ ${next}` as const] : []),
        ...(goes ? [`seat- ${id}` as const] : []),
      ];
    }
    if (type !== "UserToken" || action === "same") return [];
    if (action === "update") return [`renew ${id}`];
    if (action === "replace" && next === id) return [`token~ ${id}`, `token- ${id}`, `token+ ${id}`];
    // One that is there may be replaced by it, where the row says so.
    if (action === "create") return [`token+ ${next}`, `token~ ${next}`, `token- ${next}`];
    // A run of the token alone leaves it with the one before, where a replacement of the person is half done.
    const stays = action === "replace" ? [`token~ ${id}` as const] : [];
    return [
      ...(comes ? [`token+ ${next}` as const] : []),
      ...(goes ? [`token- ${id}` as const] : []),
      ...stays,
    ];
  });
}

function nameIn(news: Readonly<Record<string, unknown>> | undefined): string {
  const { email, purpose } = news ?? {};
  return typeof email === "string" ? email : typeof purpose === "string" ? purpose : "";
}
