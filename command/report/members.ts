/** The members of the state as a report needs them. Pure. */
import { endOf } from "../../provider/member/held.ts";
import type { StateMember } from "../members/state-members.ts";

/** A member who holds a user. */
export interface ReportMember {
  readonly key: string;
  readonly label: string;
  readonly stack: string;
  readonly userId: string;
  readonly email: string | undefined;
  readonly purpose: string | undefined;
  readonly lastName: string | undefined;
  /** Whether the user was there before. */
  readonly adopted: boolean;
  /** When orgseat added or adopted the user, a timestamp. */
  readonly since: string | undefined;
  readonly seat: ReportSeat | undefined;
  readonly token: ReportToken | undefined;
}

interface ReportSeat {
  readonly confirmed: boolean;
  readonly adopted: boolean;
  /** When orgseat assigned it, a timestamp. */
  readonly since: string | undefined;
}

export interface ReportToken {
  readonly validUntil: string;
  readonly expirySource: "service" | "declared";
  readonly rotateEvery: string | undefined;
  readonly issuedAt: string;
  readonly subscriptionExpiresAt: string | undefined;
}

export function reportMembersOf(members: readonly StateMember[]): ReportMember[] {
  return members.flatMap(({ held, key, label, stack, email, purpose, lastName, created }): ReportMember[] => {
    const [user] = held.users;
    if (user === undefined) return [];
    const [token] = user.tokens;
    const isHeld = user.seat !== "none" && user.seat !== "left";
    const { rotateEvery, subscriptionExpiresAt } = held.agreed;
    return [
      {
        ...{ key, label, stack, email, purpose, lastName, userId: user.id, adopted: user.adopted },
        since: user.since ?? created,
        seat: isHeld
          ? {
              confirmed: user.seat === "held",
              adopted: user.seatAdopted,
              since: user.seatSince ?? (user.seatAdopted ? user.since : undefined),
            }
          : undefined,
        token: token && {
          validUntil: endOf(token),
          expirySource: token.reportedEnd === undefined ? "declared" : "service",
          ...{ rotateEvery, issuedAt: token.issuedAt, subscriptionExpiresAt },
        },
      },
    ];
  });
}
