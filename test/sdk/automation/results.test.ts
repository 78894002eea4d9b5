/** What a run says of each person, where the service is not as the state has it: each line is true. */
import { test } from "vitest";
import { directFixture } from "./fixture.ts";
import {
  interruptedRotation,
  lostResponses,
  offboardRecreatedUser,
  offboardTwice,
  offboardWithoutToken,
  removedRowOfRecreatedUser,
  tokenOfMissingUser,
} from "./result-scenarios.ts";

const SEATS = 20;

test("a dropped row of somebody whom the service knows under another id only is told as already gone, and never as revoked", async () =>
  removedRowOfRecreatedUser(await directFixture(SEATS)));

test("offboard of somebody whom the service knows under another id only fails and says so, the second time too", async () =>
  offboardRecreatedUser(await directFixture(SEATS)));

test("offboard a second time has nothing to do, which the audit log shows to be right", async () =>
  offboardTwice(await directFixture(SEATS)));

test("offboard of somebody whose token alone was gone says that, and that the rest goes", async () =>
  offboardWithoutToken(await directFixture(SEATS)));

test("a creation whose answer is lost or unreadable is sent once in a command, and its reason is kept", async () =>
  lostResponses(await directFixture(SEATS)));

test("whoever a rotation has left without a token goes first and alone, past somebody else's refusal", async () =>
  interruptedRotation(await directFixture(SEATS)));

test("advice to people of a roster is about their row, and helps whoever follows it", async () =>
  tokenOfMissingUser(await directFixture(SEATS)));
