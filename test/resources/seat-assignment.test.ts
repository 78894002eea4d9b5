import { describe, expect, test } from "vitest";
import { failure, inTurn, scripted } from "./scripted.ts";
import { seat as news, heldSeat as olds } from "./writes.ts";

const holdsOne = { status: 409, body: { error: { message: "holds a seat" } } };

const ASSIGN = "POST /users/u1/seats";

describe("SeatAssignment", () => {
  test.each([
    ["userId", { userId: "u2" }],
    ["organizationId", { organizationId: "another" }],
  ])("replaces the seat if the %s changes, the old one first", async (key, change) => {
    const run = await scripted(() => ({}));
    expect(await run.seat.diff("u1", olds, { ...news, ...change })).toEqual({
      changes: true,
      replaces: [key],
      deleteBeforeReplace: true,
    });
  });

  test("stays not confirmed if the answer is lost, with the provider's text, and the next update asks again", async () => {
    const run = await scripted(inTurn({ fault: "close" }, holdsOne));
    const error = await failure(run.seat.create(news));
    expect(error).toMatchObject({ id: "u1", properties: { ...news, confirmed: false, adopted: false } });
    expect(error.reasons).toEqual([error.message]);
    expect(run.sent()).toEqual([ASSIGN]);

    const kept = error.properties ?? {};
    expect(await run.seat.diff("u1", kept, news)).toMatchObject({ changes: true, replaces: [] });
    const { outs } = await run.seat.update("u1", kept, news);
    expect(outs).toMatchObject({ confirmed: true, adopted: false });
    expect(run.sent()).toEqual([ASSIGN, ASSIGN]);
  });

  test("updates without a call once confirmed", async () => {
    const run = await scripted(() => ({}));
    expect(await run.seat.diff("u1", olds, news)).toMatchObject({ changes: false });
    const { outs } = await run.seat.update("u1", olds, { ...news, onDelete: "retain" });
    expect(outs).toMatchObject({ onDelete: "retain", confirmed: true });
    expect(run.sent()).toEqual([]);
  });

  test("names adopt if the user holds a seat already; adopt takes it over, and it stays (D16)", async () => {
    const run = await scripted(() => holdsOne);
    const error = await failure(run.seat.create(news));
    expect(error.message).toContain("`adopt: true`");
    expect(error.id).toBeUndefined();
    const { outs = {} } = await run.seat.create({ ...news, adopt: true });
    expect(outs).toMatchObject({ adopted: true });
    await run.seat.delete("u1", outs);
    expect(run.sent()).toEqual([ASSIGN, ASSIGN]);
  });

  test("says what to do if the member is gone, and leaves no state (D44)", async () => {
    const run = await scripted(() => ({ status: 404, body: { error: { message: "unknown" } } }));
    const error = await failure(run.seat.create(news));
    expect(error.message).toContain("is no longer in the organization. Replace the OrgUser");
    expect(error.id).toBeUndefined();
  });

  test("fails without a state if no seat is free", async () => {
    const run = await scripted(() => ({ status: 402, body: { error: { message: "none" } } }));
    const error = await failure(run.seat.create(news));
    expect(error.message).toContain("No seat is available");
    expect(error.id).toBeUndefined();
  });
});
