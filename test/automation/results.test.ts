// @module-tag ci
/** What a run says of each person through the whole of Pulumi: each line is true. */
import { test } from "vitest";
import {
  droppedRowOfSomebodyMadeAnew,
  halfRotated,
  lostPosts,
  offboardOfSomebodyMadeAnew,
  offboardTwice,
  offboardWithoutToken,
  tokenOfSomebodyGone,
} from "../sdk/automation/result-scenarios.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineGround } from "./ground.ts";

const SEATS = 20;

onEachEngine("results", (engine) => {
  test("a dropped row of somebody whom the service knows under another id only is told as already gone", async () =>
    droppedRowOfSomebodyMadeAnew(await engineGround(engine, SEATS)));

  test("offboard of somebody whom the service knows under another id only fails, the second time too", async () =>
    offboardOfSomebodyMadeAnew(await engineGround(engine, SEATS)));

  test("offboard a second time has nothing to do; of somebody whose token alone was gone it says that", async () => {
    await offboardTwice(await engineGround(engine, SEATS));
    await offboardWithoutToken(await engineGround(engine, SEATS));
  });

  test("a creation whose answer is lost or unreadable is sent once in a command, and its reason is kept", async () =>
    lostPosts(await engineGround(engine, SEATS)));

  test("whoever a rotation has left without a token goes first and alone, past somebody else's refusal", async () =>
    halfRotated(await engineGround(engine, SEATS)));

  test("advice to people of a roster is about their row, and helps whoever follows it", async () =>
    tokenOfSomebodyGone(await engineGround(engine, SEATS)));
});
