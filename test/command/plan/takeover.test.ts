/** People who are taken over: what no preview knows by itself, and what it has to reckon with. */
import { describe, expect, test } from "vitest";
import { availableAfter } from "../../../command/plan/seats.ts";
import type { Step } from "../../../command/plan/steps/steps.ts";
import { countsOf } from "../../../command/plan/texts/counts.ts";
import { member, members, plan } from "./steps.ts";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Somebody whose row names the user id, with seat and token. */
function takenOver(key: string): Step[] {
  const news: Readonly<Partial<Record<Step["type"], object>>> = {
    OrgUser: { adopt: `id-of-${key}` },
    SeatAssignment: { adopt: true, userId: UNKNOWN },
    UserToken: { replaceExisting: true, userId: UNKNOWN },
  };
  return member(key, "create").map((step) => ({ ...step, news: { ...step.news, ...news[step.type] } }));
}

describe("an adopted person with a token", () => {
  test("loses the value that there may be, and counts", () => {
    const { losingAccess, members: all } = plan(takenOver("ada"));
    expect(losingAccess).toHaveLength(1);
    expect(all[0]?.actions).toContain("replaceToken");
    expect(countsOf(plan(takenOver("ada")))).toMatchObject({ tokensIssued: 0, tokensReplaced: 1 });
  });

  test("appears in the list of removals by the user id of the row, which the preview of the token does not know", () => {
    expect(plan(takenOver("ada")).removals).toEqual([{ type: "UserToken", id: "id-of-ada" }]);
  });

  test("keeps the seat, so that of 10 seats 4 are left beside 3 others who join", () => {
    const three = [...takenOver("a"), ...takenOver("b"), ...takenOver("c")];
    const { seats } = plan([...three, ...members(3, "create")], { declaredSeats: 10 });
    expect(seats).toMatchObject({ used: 3, assigned: 3, wanted: 3 });
    expect(availableAfter(seats)).toBe(4);
  });
});
