// @module-tag ci
/** What a run says of each person through the whole of Pulumi: each line is true. */
import { test } from "vitest";
import {
  interruptedRotation,
  lostResponses,
  offboardRecreatedUser,
  offboardTwice,
  offboardWithoutToken,
  removedRowOfRecreatedUser,
  tokenOfMissingUser,
} from "../sdk/automation/result-scenarios.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineFixture } from "./fixture.ts";

const SEATS = 20;

onEachEngine("results", (engine) => {
  test("a dropped row of somebody whom the service knows under another id only is told as already gone", async () =>
    removedRowOfRecreatedUser(await engineFixture(engine, SEATS)));

  test("offboard of somebody whom the service knows under another id only fails, the second time too", async () =>
    offboardRecreatedUser(await engineFixture(engine, SEATS)));

  test("offboard a second time has nothing to do; of somebody whose token alone was gone it says that", async () => {
    await offboardTwice(await engineFixture(engine, SEATS));
    await offboardWithoutToken(await engineFixture(engine, SEATS));
  });

  test("a creation whose answer is lost or unreadable is sent once in a command, and its reason is kept", async () =>
    lostResponses(await engineFixture(engine, SEATS)));

  test("whoever a rotation has left without a token goes first and alone, past somebody else's refusal", async () =>
    interruptedRotation(await engineFixture(engine, SEATS)));

  test("advice to people of a roster is about their row, and helps whoever follows it", async () =>
    tokenOfMissingUser(await engineFixture(engine, SEATS)));
});
