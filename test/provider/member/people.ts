/** Members as tests declare and hold them, and the service that contains the same. */
import { type Held, type HeldToken, type HeldUser, markOf } from "../../../provider/member/held.ts";
import type { Wanted, WantedMember } from "../../../provider/member/wanted.ts";
import { instantMs } from "../../../provider/util/instants.ts";
import { type PlatformName, platforms, type World } from "./run.ts";
import { Service } from "./service.ts";

export const NOW = "2026-11-27T12:00:00Z";
export const now = instantMs(NOW);
export const SUBSCRIPTION = "2027-06-30T23:59:59Z";
export const REF = "m-1";
export const ADA = "ada@acme.example";
export const LOVELACE = "lovelace@acme.example";

export function token(platform: PlatformName, more: Partial<HeldToken> = {}): HeldToken {
  return {
    ...(platform === "anaconda" && { id: "t-1" }),
    adopted: false,
    issuedAt: "2026-08-01T08:00:00Z",
    declaredEnd: SUBSCRIPTION,
    reportedEnd: SUBSCRIPTION,
    value: "kept",
    ...more,
  };
}

export function user(platform: PlatformName, more: Partial<HeldUser> = {}): HeldUser {
  return {
    id: "u-1",
    address: markOf(REF, ADA),
    role: "member",
    adopted: false,
    seat: "held",
    seatAdopted: false,
    tokens: [token(platform)],
    ...more,
  };
}

export function held(users: readonly HeldUser[], more: Partial<Held> = {}): Held {
  return { ref: REF, users, agreed: { subscriptionExpiresAt: SUBSCRIPTION }, ...more };
}

export function ada(more: Partial<WantedMember> = {}): WantedMember {
  return { email: ADA, seat: true, token: {}, subscriptionExpiresAt: SUBSCRIPTION, ...more };
}

export const leaver: Wanted = { leaving: true };

/** A service that contains what the member holds. @param emails of users by id; default: that of Ada */
export function worldOf(
  platform: PlatformName,
  held: Held,
  emails: Readonly<Record<string, string>> = {},
): World {
  const service = new Service(platform === "anaconda", SUBSCRIPTION, () => now);
  service.users.set("admin", {
    ...{ id: "admin", email: "root@acme.example", firstName: undefined, lastName: undefined },
    ...{ role: "admin", hasSeat: false, tokens: [] },
  });
  for (const one of held.users) {
    const isMachine = one.purpose !== undefined;
    service.users.set(one.id, {
      id: one.id,
      email: isMachine ? undefined : (emails[one.id] ?? ADA),
      firstName: isMachine ? (emails[one.id] ?? "Builds") : undefined,
      lastName: undefined,
      role: one.role ?? "member",
      hasSeat: ["held", "left", "unconfirmed"].includes(one.seat),
      tokens: one.tokens.map(({ id, reportedEnd, declaredEnd }) => ({
        id: id ?? service.newId("t"),
        end: reportedEnd ?? declaredEnd,
        isRevoked: false,
      })),
    });
  }
  return { service, can: platforms[platform], now: service.now, forgotten: new Set() };
}
