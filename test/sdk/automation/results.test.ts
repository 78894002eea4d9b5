/** What a run says of each person, where the service is not as the state has it: each line is true. */
import { test } from "vitest";
import { directGround } from "./ground.ts";
import {
  droppedRowOfSomebodyMadeAnew,
  halfRotated,
  lostPosts,
  offboardOfSomebodyMadeAnew,
  offboardTwice,
  offboardWithoutToken,
  tokenOfSomebodyGone,
} from "./result-scenarios.ts";

const SEATS = 20;

test("a dropped row of somebody whom the service knows under another id only is told as already gone, and never as revoked", async () =>
  droppedRowOfSomebodyMadeAnew(await directGround(SEATS)));

test("offboard of somebody whom the service knows under another id only fails and says so, the second time too", async () =>
  offboardOfSomebodyMadeAnew(await directGround(SEATS)));

test("offboard a second time has nothing to do, which the audit log shows to be right", async () =>
  offboardTwice(await directGround(SEATS)));

test("offboard of somebody whose token alone was gone says that, and that the rest goes", async () =>
  offboardWithoutToken(await directGround(SEATS)));

test("a creation whose answer is lost or unreadable is sent once in a command, and its reason is kept", async () =>
  lostPosts(await directGround(SEATS)));

test("whoever a rotation has left without a token goes first and alone, past somebody else's refusal", async () =>
  halfRotated(await directGround(SEATS)));

test("advice to people of a roster is about their row, and helps whoever follows it", async () =>
  tokenOfSomebodyGone(await directGround(SEATS)));
