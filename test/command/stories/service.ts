/** What happens to the service of a story, past orgseat. */
import { z } from "zod";
import { requireList } from "../../../provider/resources/members/member-list.ts";
import { faultRuleSchema } from "../../../sandbox/service/base/fault-injection.ts";
import type { Fixture } from "../fixture.ts";
import type { Masks } from "./masks.ts";
import { fieldsIn, peopleIn, wordsIn } from "./people.ts";

/** @param rest of the line, with ids in place of `<ada>` */
export type Change = (rest: string) => Promise<void>;

/** The end of the subscription. */
export const END = "2027-06-30T23:59:59Z";
const textsSchema = z.record(z.string(), z.string());

export function serviceChanges(fixture: Fixture, masks: Masks): Readonly<Record<string, Change>> {
  const { management } = fixture.sandbox.service;
  return {
    /** People whom nobody manages, with the seat and the token of the row. */
    member: async (rest) => {
      for (const { key = "", email, purpose, seat, token } of peopleIn(rest)) {
        const has = { seat: seat !== "no", token: token !== "no", protected: false };
        await fixture.makeMember({ key, email, purpose, ...has });
      }
    },
    /** What someone does there: `revoke ada`, `unseat ada`, `remove ada,bob`, `issue ada`. */
    someone: async (rest) => {
      const [what = "", names = "", end = END] = rest.split(" ");
      for (const who of names.split(",")) await doneBySomeone(fixture, what, masks.idOf(who), end);
    },
    user: async (rest) => {
      const [who = "", change = ""] = rest.split(/ (.*)/);
      await management.changeUser(masks.idOf(who), textsSchema.parse(JSON.parse(change)));
    },
    /** `7 402`, `7 402 once`, `5 cut-after`, `17 500 after=2`, `8 200 body={}`; `none` ends all. */
    fault: async (rest) => {
      if (rest === "none") return management.clearFaults();
      const [call = "", what = "", ...words] = wordsIn(rest);
      const { after, body } = fieldsIn(words.filter((word) => word !== "once"));
      const status = Number(what);
      const refusal = {
        kind: "refuse",
        status,
        ...(body && { body: JSON.parse(body.replaceAll("'", '"')) }),
      };
      const rule = {
        match: call === "DELETE" ? { method: call } : { call: Number(call) },
        ...(words.includes("once") ? {} : { times: "always" }),
        ...(after !== undefined && { after: Number(after) }),
        fault: Number.isNaN(status) ? { kind: what } : refusal,
      };
      await management.addFaults(faultRuleSchema.parse(rule));
    },
    /**
     * Items of a list in another form: `17 bob {"role":null} & 18 eve's {"id":{}}`, where `-` is an item more and no form is none;
     * `none` ends all.
     */
    odd: async (rest) => {
      if (rest === "none") return management.setOddItems();
      const items = rest.split(" & ").map((one) => {
        const [, call, who = "", text] = /^(\d+) (\S+)(?: (.*))?$/.exec(one) ?? [];
        const name = who.endsWith("'s") ? `token of ${who.slice(0, -2)}` : who;
        return {
          ...{ call: Number(call), ...(who !== "-" && { id: masks.idOf(name) }) },
          ...(text !== undefined && { item: JSON.parse(text) }),
        };
      });
      await management.setOddItems(...items);
    },
    switch: async (rest) => management.setSwitches(fieldsIn([rest])),
  };
}

async function doneBySomeone(fixture: Fixture, what: string, id: string, end: string): Promise<void> {
  const { service } = fixture.sandbox;
  await fixture.behindOurBack(async (api, operation) => {
    if (what === "issue") await api.issueToken(id, end, operation);
    else if (what === "unseat") await api.removeSeat(id, operation);
    else if (what === "remove") await service.management.removeUser(id);
    else if (service.platform === "basic") await api.revokeToken(id, operation);
    else {
      const live = requireList(await api.listTokens(id, operation)).filter(({ revoked }) => !revoked);
      for (const token of live) await api.revokeToken(id, operation, token.id);
    }
  });
}
