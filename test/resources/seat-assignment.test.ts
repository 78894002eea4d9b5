import { describe, expect, test } from "vitest";
import { failure, inTurn, scripted } from "./scripted.ts";
import { seat as news, heldSeat as olds } from "./writes.ts";

const holdsOne = { status: 409, body: { error: { message: "holds a seat" } } };

const ASSIGN = "POST /users/u1/seats";

describe("SeatAssignment", () => {
  test("updates the seat for another user, and replaces it for another organization", async () => {
    const run = await scripted(() => ({}));
    const diff = (change: object) => run.seat.diff("seat-1", olds, { ...news, ...change });
    expect(await diff({ userId: "u2" })).toEqual({ changes: true, replaces: [] });
    expect(await diff({ organizationId: "another" })).toEqual({
      changes: true,
      replaces: ["organizationId"],
    });
  });

  test("stays not confirmed if the answer is lost, with the provider's text, and the next update asks again", async () => {
    const run = await scripted(inTurn({ fault: "close" }, holdsOne));
    const error = await failure(run.seat.create(news));
    const held = { users: [{ id: "u1", seat: "unconfirmed" }] };
    expect(error).toMatchObject({ properties: { ...news, adopted: false, held } });
    expect(error.reasons).toEqual([error.message]);
    expect(run.sent()).toEqual([ASSIGN]);
    expect(run.clock.sleeps, "no list would show it later").toEqual([]);

    const [id, kept] = [error.id ?? "", error.properties ?? {}];
    expect(await run.seat.diff(id, kept, news)).toMatchObject({ changes: true, replaces: [] });
    const { outs } = await run.seat.update(id, kept, news);
    expect(outs).toMatchObject({ adopted: false, held: { users: [{ id: "u1", seat: "held" }] } });
    expect(run.sent()).toEqual([ASSIGN, ASSIGN]);
  });

  test("updates without a call once confirmed", async () => {
    const run = await scripted(() => ({}));
    expect(await run.seat.diff("seat-1", olds, news)).toMatchObject({ changes: false });
    const { outs } = await run.seat.update("seat-1", olds, { ...news, onDelete: "retain" });
    expect(outs).toMatchObject({ held: { agreed: { onDelete: { seat: "retain" } } } });
    expect(run.sent()).toEqual([]);
  });

  test("names adopt if the user holds a seat already; adopt takes it over, and it stays (D16)", async () => {
    const run = await scripted(() => holdsOne);
    const error = await failure(run.seat.create(news));
    expect(error.message).toContain(
      "Set `adopt` of an OrgMember to the user id, or of a SeatAssignment to true",
    );
    expect(error.id).toBeUndefined();
    const { outs = {} } = await run.seat.create({ ...news, adopt: true });
    expect(outs).toMatchObject({ adopted: true });
    await run.seat.delete("seat-1", outs);
    expect(run.sent()).toEqual([ASSIGN, ASSIGN]);
  });
});
