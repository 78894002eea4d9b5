/** Judges the content of the service by what is wanted, and by nothing that the product says but its last plan. */
import type { Held } from "../../../provider/member/held.ts";
import type { Wanted } from "../../../provider/member/wanted.ts";
import { unknown } from "../../../provider/resources/unknown.ts";
import { type Ran, runOnce, type World } from "./run.ts";
import type { ServiceUser } from "./service.ts";

/** Runs until neither the state nor the service changes. */
export function settle(world: World, stored: Held, wanted: Wanted, most = 8): Ran {
  let ran = runOnce(world, stored, wanted);
  for (let round = 0; round < most; round++) {
    const before = snapshot(world, ran.held);
    const next = runOnce(world, ran.held, wanted);
    if (next.plan.units.length === 0 || snapshot(world, next.held) === before) return next;
    ran = next;
  }
  throw new Error("the member never settles");
}

function snapshot({ service }: World, held: Held): string {
  return JSON.stringify([[...service.users.values()], held]);
}

/** What is wrong with the service. @param ran settled */
export function faultsIn(world: World, { held, plan }: Ran, wanted: Wanted): string[] {
  const { service } = world;
  const found = [...doubles(world)];
  if (plan.refused.length + plan.waits.length > 0 || plan.units.length > 0) return found;
  const own = held.users.map(({ id }) => service.users.get(id));
  const isEnded =
    wanted.leaving ||
    (typeof wanted.accessUntil === "string" && Date.parse(wanted.accessUntil) <= world.now());
  if (isEnded) return [...found, ...(own.length > 0 ? ["holds a user"] : [])];
  const [user, ...others] = own;
  if (user === undefined) return [...found, "the user is missing"];
  if (others.length > 0) found.push("holds two users");
  return [...found, ...differences(world, user, held, wanted)];
}

function differences(world: World, user: ServiceUser, held: Held, wanted: Wanted): string[] {
  if (wanted.leaving) return [];
  const found: string[] = [];
  if (wanted.email !== unknown && user.email !== wanted.email) found.push(`the email is ${user.email}`);
  if (wanted.purpose !== undefined && user.firstName !== wanted.purpose) found.push("another purpose");
  const seat = held.users[0]?.seat ?? "none";
  const isRetained = seat === "left";
  // Of a seat that is not wanted, and retained if it is there, nothing has to be known.
  const isUnread = !world.service.isListing && held.users[0]?.adopted === true;
  const isOpen = !wanted.seat && (seat === "unconfirmed" || seat === "unknown" || isUnread);
  if (!isOpen && user.hasSeat !== (wanted.seat || isRetained)) found.push(`has a seat: ${user.hasSeat}`);
  const live = world.service.live(user);
  const kept = held.users[0]?.tokens.length ?? 0;
  // Without a list, nothing shows what an adopted user had.
  if (live.length !== kept && !(isUnread && kept === 0))
    found.push(`${live.length} tokens, and the state has ${kept}`);
  const current = live.at(-1);
  if (wanted.token === undefined && live.length > 0 && !isUnread) found.push("a token is left");
  if (wanted.token === undefined) return found;
  if (current === undefined) return [...found, "no token"];
  const declared = wanted.token === unknown ? undefined : wanted.token.expiresAt;
  const ends = [world.service.subscription, ...(typeof declared === "string" ? [declared] : [])];
  const isPast = ends.some((end) => Date.parse(end) <= world.now());
  if (!isPast && Date.parse(current.end) <= world.now()) found.push("the token has expired");
  if (held.users[0]?.tokens[0]?.value === "lost") found.push("the value is lost");
  return found;
}

/** Two users of one person or purpose. */
function doubles({ service, forgotten }: World): string[] {
  const managed = [...service.users.values()].filter(({ id }) => !forgotten.has(id));
  const names = managed.map(({ email, firstName }) => email ?? firstName ?? "");
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is there twice`);
}
