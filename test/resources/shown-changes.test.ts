/** What the preview showed against what the program then says, drawn: nothing is done to anyone that was not shown. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { userSubject } from "../../provider/resources/resource-types.ts";
import { checkCases } from "../setup/cases.ts";
import type { DirectResource } from "../setup/direct.ts";
import { approved, type ShownChange } from "../setup/shown-changes.ts";
import { member, organizationOn } from "./listed.ts";

type Fate = "stays" | "rotates" | "leaves" | "joins" | "is absent";

/** Of each person, what the preview showed and what the run is told; mostly the same. */
function person(isThere: boolean) {
  const fate = fc.constantFrom<Fate>(...(isThere ? HERE : AWAY));
  return fc.oneof(
    { arbitrary: fate.map((one) => ({ isThere, shown: one, told: one })), weight: 4 },
    { arbitrary: fc.record({ isThere: fc.constant(isThere), shown: fate, told: fate }), weight: 1 },
  );
}
const HERE = ["stays", "rotates", "leaves"] as const;
const AWAY = ["joins", "is absent"] as const;
const people = fc.array(fc.oneof(person(true), person(false)), { minLength: 1, maxLength: 5 });

function program(fates: readonly Fate[]): DirectResource[] {
  return fates.flatMap((one, index): DirectResource[] => {
    if (one === "leaves" || one === "is absent") return [];
    const rotation = one === "rotates" ? { rotation: "2" } : {};
    return member(`p${index}`, { email: emailOf(index) }, { token: rotation });
  });
}

function emailOf(index: number): string {
  return `p${index}@acme.example`;
}

/** The calls of each fate. */
const CALLS: Readonly<Record<Fate, readonly number[]>> = {
  stays: [],
  rotates: [7, 9],
  leaves: [9, 10, 11],
  joins: [5, 6, 7],
  "is absent": [],
};

/** @param id the user id of someone who is there */
function changesOf(fate: Fate, index: number, id: string): ShownChange[] {
  const parts = ["OrgUser", "SeatAssignment", "UserToken"] as const;
  if (fate === "leaves") return parts.map((type) => ({ action: "delete", type, id }));
  if (fate === "joins") {
    return parts.map((type) => ({ action: "create", type, subject: JSON.stringify([emailOf(index)]) }));
  }
  if (fate !== "rotates") return [];
  return [
    { action: "delete", type: "UserToken", id },
    { action: "create", type: "UserToken", subject: userSubject(id) },
  ];
}

test.each(platformNames)(
  "approved changes, %s: whatever the program says after its preview, nothing is done that was not shown",
  async (platform) => {
    const organization = await organizationOn(platform, { seats: 10 });
    const { organizationId } = organization;

    const name = `approved changes, ${platform}`;
    const suite = { name, level: "R", cases: 250, siblings: platformNames.length } as const;
    await checkCases(suite, people, async (all) => {
      const stack = organization.stack({ ORGSEAT_MAX_REMOVALS: "25" });
      const before = program(all.map(({ isThere }) => (isThere ? "stays" : "is absent")));
      expect((await stack.up(before)).errors).toEqual([]);
      const idOf = (index: number): string => stack.state.get(`p${index}-user`)?.id ?? "";
      const ids = new Map(all.map((_, index) => [idOf(index), index]));
      const changes = all.flatMap(({ shown }, index) => changesOf(shown, index, idOf(index)));
      await organization.requests();
      const { errors } = await stack.run(program(all.map(({ told }) => told)), {
        continueOnError: true,
        environment: approved(organizationId, changes),
      });

      const { users } = await organization.service.management.snapshot();
      for (const { userId, email } of users) {
        const index = all.findIndex((_, place) => emailOf(place) === email);
        if (index >= 0) ids.set(userId, index);
      }
      const writes = (await organization.requests()).filter(({ method }) => method !== "GET");
      const done = writes.flatMap(({ call, userId }) =>
        typeof call === "number" && call !== 5 ? [{ call, index: ids.get(userId ?? "") ?? -1 }] : [],
      );
      for (const { call, index } of done) expect(CALLS[all[index]?.shown ?? "stays"]).toContain(call);
      for (const [index, { isThere, shown }] of all.entries()) {
        if (users.some(({ email }) => email === emailOf(index)))
          expect(isThere || shown === "joins").toBe(true);
        else expect(!isThere || shown === "leaves").toBe(true);
      }
      const unseen = all.filter(({ shown, told }) => shown !== told && CALLS[told].length > 0);
      expect(
        errors.filter((text) => text.includes("the preview did not show this change")).length >=
          unseen.length,
      ).toBe(true);
      if (unseen.length === 0) {
        expect(errors).toEqual([]);
        expect(done).toHaveLength(all.flatMap(({ told }) => CALLS[told].filter((call) => call !== 5)).length);
      }

      expect((await stack.destroy()).errors).toEqual([]);
    });
  },
);
